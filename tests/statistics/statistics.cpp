// statistics LOG2: tests the random numbers on sequences of 2^LOG2, and the tokens drawn with them on a sixteenth as many draws
// a test. Everything is a function of fixed seeds: the table is the same in every run, and so is the verdict. Returns 0 if no
// test rejects and each test rejects one of the controls, which are generators and draws with a known fault.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "draws.hpp"
#include "quillmate/uniform.hpp"
#include "report.hpp"
#include "uniform_battery.hpp"

namespace quillmate::statistics {
namespace {

// ---- controls: generators that are wrong in ways that were published --------------------------------------------------------

// Multiples of an odd number, as a linear congruential generator has them: too even, and the low bits come in turn.
double lattice(std::uint64_t seed, std::uint64_t step, std::uint64_t stream) {
    const std::uint64_t sum = seed * 0x9e3779b97f4a7c15 + step * 0xd1342543de82ef95 + stream * 0xaf251af3b0f025b5;
    return static_cast<double>(sum >> 11) * 0x1p-53;
}
// The text of seed n + 1 is that of seed n without its first token.
double one_long_text(std::uint64_t seed, std::uint64_t step, std::uint64_t stream) { return uniform(seed + step, 0, stream); }
// A little too small.
double biased(std::uint64_t seed, std::uint64_t step, std::uint64_t stream) {
    return std::ldexp(std::floor(std::ldexp(std::pow(uniform(seed, step, stream), 1.02), 53)), -53);
}
// A float's worth of bits: the others are zeros.
double narrow(std::uint64_t seed, std::uint64_t step, std::uint64_t stream) {
    return static_cast<double>(bits_of(uniform(seed, step, stream)) >> 29) * 0x1p-24;
}

struct Control {
    const char* name;
    Findings findings;
};

// Prints each test's p-values, and which controls it rejects. Returns whether all is as it must be.
bool print(const char* title, const Findings& findings, const std::vector<Control>& controls) {
    const std::size_t family = findings.size();
    std::printf("\n%s: %zu p-values; one outside [%.1e, 1 - %.1e] rejects (1 %% that any does by chance)\n\n", title, family,
                0.005 / static_cast<double>(family), 0.005 / static_cast<double>(family));
    std::puts("| test | of | p | verdict | control rejected |");
    std::puts("| --- | --- | --- | --- | --- |");
    bool good = true;
    for (std::size_t i = 0; i < family; ++i) {
        const bool rejected = is_rejected(findings[i].p, family);
        std::string caught;
        for (const Control& control : controls) {
            if (is_rejected(control.findings[i].p, family)) caught += (caught.empty() ? "" : ", ") + std::string(control.name);
        }
        std::printf("| %s | %s | %.6f | %s | %s |\n", findings[i].test.c_str(), findings[i].of.c_str(), findings[i].p,
                    rejected ? "REJECTED" : "good", caught.empty() ? "NONE" : caught.c_str());
        good = good && !rejected && !caught.empty();
    }
    return good;
}

bool test_numbers(std::size_t n) {
    const auto findings_of = [&](Uniform generator) { return UniformBattery(generator, n).findings(); };
    const std::vector<Control> controls{{"lattice", findings_of(lattice)},
                                        {"one long text", findings_of(one_long_text)},
                                        {"biased", findings_of(biased)},
                                        {"narrow", findings_of(narrow)}};
    return print("uniform(seed, step, stream)", findings_of(uniform), controls);
}

bool test_draws(std::uint64_t draws) {
    // Their faults are large: few draws show them.
    const std::vector<Control> controls{
        {"the wrong law", Draws(std::max<std::uint64_t>(draws / 16, 1 << 13), true).findings()}};
    return print("sample_token and speculative_step", Draws(draws, false).findings(), controls);
}

}  // namespace
}  // namespace quillmate::statistics

int main(int argc, char** argv) {
    const int log2 = argc == 2 ? std::atoi(argv[1]) : 0;
    if (log2 < 14 || log2 > 28) {
        std::fputs("usage: statistics LOG2 (14 to 28)\n", stderr);
        return 2;
    }
    const std::size_t n = std::size_t{1} << log2;
    const bool numbers = quillmate::statistics::test_numbers(n);
    const bool draws = quillmate::statistics::test_draws(n / 16);
    return numbers && draws ? 0 : 1;
}
