// levels_proof TRIPLES: draws that many random and adversarial triples of row, settings and u, and returns 0 if on each of them
// sampling gives the same token from whichever level it starts, and the rational oracle gives it too. Prints how often each
// level decided. The oracle shares nothing with the library: the rules word for word, in whole numbers of any size and with an
// exponential of 300 bits.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include "level.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate::detail {
namespace {

using Integer = boost::multiprecision::cpp_int;
using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<300, boost::multiprecision::digit_base_2, void, std::int32_t, -8000, 8000>>;

constexpr double infinity = INFINITY;

// A finite double >= 0 as numerator / 2^bits.
struct Fraction {
    Integer numerator;
    unsigned bits;
};
Fraction fraction_of(double value) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    Integer numerator = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
    const int bits = 53 - exponent;
    if (bits < 0) numerator <<= -bits;
    return {numerator, static_cast<unsigned>(std::max(bits, 0))};
}

// e^z rounded to the nearest double, in units of 2^-1074.
Integer weight_of(double z) {
    if (z < -800) return 0;
    const Wide value = ldexp(exp(Wide(z)), 1074);
    const int size = value < 1 ? 0 : static_cast<int>(ilogb(value)) + 1;  // bits before the point
    const int dropped = std::max(size - 53, 0);
    Integer kept = static_cast<Integer>(floor(ldexp(value, -dropped) + Wide(0.5)));  // e^z is never half-way, but for z = 0
    return kept << dropped;
}

// The row at one temperature: its weights, and its tokens in the order of rule 4.
class Oracle {
public:
    Oracle(const std::vector<double>& row, double temperature) {
        const double peak = *std::ranges::max_element(row);
        std::map<double, Integer> known;
        for (const double x : row) {
            const double z = (x - peak) / temperature;
            const auto [place, is_new] = known.try_emplace(z);
            if (is_new) place->second = weight_of(z);
            weights_.push_back(place->second);
        }
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (row[i] != -infinity) order_.push_back(static_cast<Token>(i));
        }
        std::ranges::stable_sort(order_, std::greater{}, [&](Token t) { return row[static_cast<std::size_t>(t)]; });
    }

    // What rules 4 and 6 keep, in the order of rule 4.
    [[nodiscard]] std::vector<Token> kept(const Settings& settings) const {
        std::vector<Token> tokens = order_;
        if (settings.top_k > 0) tokens.resize(std::min(tokens.size(), static_cast<std::size_t>(settings.top_k)));
        if (settings.top_p == 1) return tokens;
        // top_p - 2^-40 in units of 2^-bits.
        auto [share, bits] = fraction_of(settings.top_p);
        if (bits < 40) {
            share <<= 40 - bits;
            bits = 40;
        }
        share -= Integer(1) << (bits - 40);
        const Integer all = total(tokens);
        Integer sum = 0;
        std::size_t count = 0;
        do sum += weight(tokens[count++]);
        while (count < tokens.size() && (sum << bits) < share * all);
        tokens.resize(count);
        return tokens;
    }

    // Rule 7.
    [[nodiscard]] Token walk(std::vector<Token> tokens, double u) const {
        std::ranges::sort(tokens);
        const auto [numerator, bits] = fraction_of(u);
        const Integer target = numerator * total(tokens);
        Integer sum = 0;
        for (const Token token : tokens) {
            sum += weight(token);
            if ((sum << bits) > target) return token;
        }
        std::abort();
    }

    // The double nearest to the share that the first `count` of these tokens have of them all.
    [[nodiscard]] double share(const std::vector<Token>& tokens, std::size_t count) const {
        const std::vector<Token> first(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(count));
        return static_cast<double>(Wide(total(first)) / Wide(total(tokens)));
    }

private:
    [[nodiscard]] const Integer& weight(Token token) const { return weights_[static_cast<std::size_t>(token)]; }
    [[nodiscard]] Integer total(const std::vector<Token>& tokens) const {
        Integer sum = 0;
        for (const Token token : tokens) sum += weight(token);
        return sum;
    }

    std::vector<Integer> weights_;
    std::vector<Token> order_;
};

// Numbers for the n-th row; `purpose` keeps them apart.
double random(std::uint64_t n, std::uint64_t i, std::uint64_t purpose) { return uniform(n, i, purpose); }
std::size_t below(double u, std::size_t limit) { return static_cast<std::size_t>(u * static_cast<double>(limit)); }

// A row of float32 numbers; every fourth is long enough for all levels to take part.
std::vector<double> row_of(std::uint64_t n) {
    const bool is_long = n % 4 == 0;
    const std::size_t size = is_long ? 2048 + below(random(n, 0, 1), 1000) : 1 + below(random(n, 0, 1), 100);
    const std::uint64_t kind = n / 4 % 9;
    std::vector<double> row(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double noise = random(n, i, 2);
        const double rank = random(n, i, 3) * static_cast<double>(size);
        double x = 0;
        switch (kind) {
            case 0: x = 12 * noise; break;
            case 1: x = std::max(8 * noise - 20, -1.5 * std::log(1 + rank)); break;
            case 2: x = 0.5; break;
            case 3: x = noise < 0.7 ? 0 : 1; break;
            case 4: x = std::floor(16 * noise) / 4; break;
            case 5: x = i == size / 3 ? 25 : noise; break;
            case 6: x = i % 3 == 0 && size > 1 ? -infinity : 6 * noise; break;
            case 7: x = -0.002 * static_cast<double>(i); break;
            default: x = noise < 0.5 ? 3e38 : -3e38; break;
        }
        row[i] = static_cast<float>(x);
    }
    return row;
}

// The number itself, or a neighbour of it, inside [0, 1).
double beside(double x, std::uint64_t which) {
    if (which % 3 == 1) x = std::nextafter(x, 0.0);
    if (which % 3 == 2) x = std::nextafter(x, 1.0);
    return std::clamp(x, 0.0, 1 - 0x1p-53);
}

class Proof {
public:
    // As many triples of the n-th row as there are draws.
    void check_row(std::uint64_t n, std::uint64_t draws) {
        const std::vector<double> row = row_of(n);
        const std::vector<float> floats(row.begin(), row.end());
        constexpr std::array temperatures{1.0, 0.7, 0.05, 3.0, 1e30, 1e-30};
        const double temperature = temperatures[n / 36 % temperatures.size()];
        const Oracle oracle(row, temperature);
        for (std::uint64_t draw = 0; draw < draws; ++draw) {
            const Settings settings = settings_for(oracle, row.size(), temperature, n, draw);
            std::vector<Token> kept = oracle.kept(settings);
            double u = random(n, draw, 4);
            if (draw % 2 == 1) {  // on or beside the boundary after some token
                std::ranges::sort(kept);
                u = beside(oracle.share(kept, 1 + below(u, kept.size())), draw / 2);
            }
            check(floats, settings, u, oracle.walk(kept, u));
        }
    }

    // 0 if all agreed.
    [[nodiscard]] int report() const {
        std::printf("%llu triples: every level and the rational oracle return the same token in all but %llu\n", triples_,
                    differing_);
        constexpr std::array names{"blocks", "float32", "binary64", "exact"};
        for (std::size_t level = 0; level < names.size(); ++level) {
            std::printf("decided by %-8s %llu\n", names[level], decided_[level]);
        }
        return differing_ == 0 ? 0 : 1;
    }

private:
    // Every fourth top_p lies on or beside the share of some prefix.
    static Settings settings_for(const Oracle& oracle, std::size_t size, double temperature, std::uint64_t n,
                                 std::uint64_t draw) {
        Settings settings{.temperature = temperature};
        const double number = random(n, draw, 5);
        if (draw % 5 == 4) settings.top_k = static_cast<std::int64_t>(1 + below(number, size + 1));
        if (draw % 4 == 1) settings.top_p = 0.5 + number / 2;
        if (draw % 4 == 3) {
            const std::vector<Token> all = oracle.kept(settings);
            settings.top_p = beside(oracle.share(all, 1 + below(number, all.size())) + 0x1p-40, draw / 4);
        }
        return settings;
    }

    void check(const std::vector<float>& row, const Settings& settings, double u, Token expected) {
        ++triples_;
        bool same = true;
        for (const Level first : {Level::blocks, Level::float32, Level::binary64, Level::exact}) {
            const auto decision = decide(first, Logits(row), settings, u);
            same = same && decision && decision->token == expected;
            if (first == Level::blocks && decision) ++decided_[static_cast<std::size_t>(decision->level)];
        }
        if (same) return;
        if (++differing_ <= 10) {
            std::printf("a row of %zu: temperature %a, top_k %lld, top_p %a, u %a: expected %lld\n", row.size(),
                        settings.temperature, static_cast<long long>(settings.top_k), settings.top_p, u,
                        static_cast<long long>(expected));
        }
    }

    unsigned long long triples_ = 0;
    unsigned long long differing_ = 0;
    std::array<unsigned long long, level_count> decided_{};
};

}  // namespace
}  // namespace quillmate::detail

int main(int argc, char** argv) {
    constexpr std::uint64_t draws_per_row = 100;
    const std::uint64_t triples = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
    if (triples == 0) {
        std::fputs("usage: quillmate_levels_proof TRIPLES\n", stderr);
        return 2;
    }
    quillmate::detail::Proof proof;
    for (std::uint64_t n = 0; n * draws_per_row < triples; ++n) {
        proof.check_row(n, std::min(draws_per_row, triples - n * draws_per_row));
    }
    return proof.report();
}
