// The text of a state: Generator::from_state and back. The input is the text.

#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "quillmate/generator.hpp"

namespace quillmate::fuzz {
namespace {

Generator accepted(const std::string& state) {
    auto generator = Generator::from_state(state);
    check(generator.has_value(), "what state() wrote is read");
    return std::move(*generator);
}

bool same(const Generator& a, const Generator& b) {
    return std::ranges::equal(a.tokens(), b.tokens()) && a.prompt_length() == b.prompt_length() && a.seed() == b.seed() &&
           a.settings() == b.settings() && a.model() == b.model();
}

// A step from here and from the state of here, with any row that fits.
void check_step(Generator& generator, const nlohmann::json& state) {
    constexpr std::size_t most = 4096;
    std::size_t size = state.value("vocabSize", std::size_t{0});
    if (size > most) return;
    for (const Token token : generator.tokens()) size = std::max(size, static_cast<std::size_t>(token) + 1);
    if (size > most) return;
    std::vector<float> row(std::max(size, std::size_t{1}));
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i % 7) - 0.25F * static_cast<float>(i % 13);

    const std::string before = generator.state();
    std::vector<float> bad = row;
    bad.back() = NAN;
    const auto refused = generator.step(std::span<const float>(bad));
    check(!refused && refused.error().code == ErrorCode::NAN_LOGIT, "a bad row is refused");
    check(generator.state() == before, "a step that fails changes nothing");

    Generator resumed = accepted(before);
    const auto token = generator.step(std::span<const float>(row));
    const auto again = resumed.step(std::span<const float>(row));
    check(token && again && *token == *again, "a resumed generator draws the same token");
    check(generator.state() == resumed.state(), "and has the same state");
    check(same(accepted(generator.state()), generator), "which is read again");
}

// Whatever identity a generator is made with, its state is read again.
void check_identity(const std::string& text) {
    const std::size_t half = text.size() / 2;
    const auto generator =
        Generator::create({}, 1, {}, {{text.substr(0, half), text.substr(half)}, {text.substr(half), "again"}});
    if (!generator) return check(generator.error().code == ErrorCode::INVALID_MODEL, "an identity is refused as such");
    check(same(accepted(generator->state()), *generator), "an identity is stored");
}

void run(const std::string& text) {
    check_identity(text);
    auto generator = Generator::from_state(text);
    if (!generator) {
        check_error(generator.error(), text.size() + 1);  // the end of the text is a place too
        constexpr std::array codes{ErrorCode::STATE_NOT_JSON, ErrorCode::STATE_FOREIGN_FORMAT, ErrorCode::STATE_UNKNOWN_VERSION,
                                   ErrorCode::STATE_INCONSISTENT};
        return check(std::ranges::find(codes, generator.error().code) != codes.end(), "the error is one of a state");
    }
    const std::string state = generator->state();
    const Generator again = accepted(state);
    check(again.state() == state, "a state is written as it was read, byte for byte");
    check(same(again, *generator), "and means the same");
    // Another reader of JSON has the same opinion of the text and finds the same in it.
    auto given = nlohmann::json::parse(text, nullptr, false);
    const auto written = nlohmann::json::parse(state, nullptr, false);
    check(!given.is_discarded(), "the text accepted is JSON");
    auto& seed = given["seed"].get_ref<std::string&>();
    seed.erase(0, std::min(seed.find_first_not_of('0'), seed.size() - 1));  // a seed is a decimal string: 01 is 1
    check(given == written || given.value("model", nlohmann::json()).empty(), "the state written says what the text said");
    check_step(*generator, written);
}

}  // namespace
}  // namespace quillmate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    quillmate::fuzz::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
