#include "quillmate/generator.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate {
namespace {

using test::Json;

Token step(Generator& generator, const Json& run) {
    const auto row = test::toy_row(generator.tokens(), test::uint64(run["modelSeed"]), run["vocabSize"].get<std::size_t>(),
                                   test::dtype_of(run));
    const auto token = generator.step(row.logits());
    EXPECT_TRUE(token.has_value());
    return token.value_or(-1);
}

Generator create(const Json& run) {
    ModelIdentity identity;
    if (run.contains("identity")) {
        for (const auto& [name, value] : run["identity"].items()) identity.emplace_back(name, value.get<std::string>());
    }
    auto generator = Generator::create(run["prompt"].get<std::vector<Token>>(), test::uint64(run["seed"]),
                                       test::settings_of(run), identity, test::audit_of(run));
    return std::move(generator.value());
}

std::vector<Token> tokens_of(const Json& run) { return run["tokens"].get<std::vector<Token>>(); }

class GoldenRuns : public testing::Test {
protected:
    const Json runs_ = test::read_fixture("generator.json", "runs");
    const Json& plain_run_ = runs_[0];
};

TEST_F(GoldenRuns, AreRepeatedTokenByToken) {
    for (const Json& run : runs_) {
        SCOPED_TRACE(run["name"]);
        Generator generator = create(run);
        EXPECT_EQ(Json::parse(generator.state()), run["freshState"]);
        for (const Token token : tokens_of(run)) EXPECT_EQ(step(generator, run), token);
        EXPECT_EQ(generator.step_index(), 15U);
        EXPECT_EQ(generator.prompt_length(), run["prompt"].size());
    }
}

TEST_F(GoldenRuns, GoOnFromTheStateAfterSevenTokens) {
    for (const Json& run : runs_) {
        SCOPED_TRACE(run["name"]);
        Generator straight = create(run);
        for (int i = 0; i < 7; ++i) step(straight, run);
        const std::string saved = straight.state();
        EXPECT_EQ(Json::parse(saved), run["stateAfter7"]);

        auto resumed = Generator::from_state(saved);
        ASSERT_TRUE(resumed.has_value()) << error_message(resumed.error());
        EXPECT_EQ(resumed->state(), saved);
        const auto tokens = tokens_of(run);
        for (std::size_t i = 7; i < tokens.size(); ++i) EXPECT_EQ(step(*resumed, run), tokens[i]);
        for (std::size_t i = 7; i < tokens.size(); ++i) step(straight, run);
        EXPECT_EQ(resumed->state(), straight.state());
    }
}

TEST_F(GoldenRuns, GoOnFromAStateThatAnotherJsonWriterFormatted) {
    for (const Json& run : runs_) {
        SCOPED_TRACE(run["name"]);
        for (const std::string& text : {run["stateAfter7"].dump(4), run["stateAfter7"].dump(-1, ' ', true)}) {
            auto resumed = Generator::from_state(text);
            ASSERT_TRUE(resumed.has_value()) << error_message(resumed.error());
            EXPECT_EQ(step(*resumed, run), tokens_of(run)[7]);
        }
    }
}

TEST_F(GoldenRuns, BranchFromEveryStep) {
    Generator generator = create(plain_run_);
    std::vector<std::string> states;
    for (int i = 0; i < 15; ++i) {
        states.push_back(generator.state());
        step(generator, plain_run_);
    }
    for (std::size_t i = 0; i < states.size(); ++i) {
        auto branch = *Generator::from_state(states[i]);
        for (std::size_t j = i; j < 15; ++j) EXPECT_EQ(step(branch, plain_run_), tokens_of(plain_run_)[j]);
    }
}

TEST_F(GoldenRuns, AreNotDisturbedByGeneratorsBesideThem) {
    for (const bool backwards : {false, true}) {
        std::vector<Generator> generators;
        for (const Json& run : runs_) generators.push_back(create(run));
        const std::size_t count = generators.size();
        for (std::size_t i = 0; i < 15; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                const std::size_t k = backwards ? count - 1 - j : j;
                EXPECT_EQ(step(generators[k], runs_[k]), tokens_of(runs_[k])[i]);
            }
        }
    }
}

TEST_F(GoldenRuns, AreNotDisturbedByRowsThatAreRefused) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinity = std::numeric_limits<float>::infinity();
    Generator generator = create(plain_run_);
    const std::size_t size = plain_run_["vocabSize"].get<std::size_t>();
    for (const Token token : tokens_of(plain_run_)) {
        const std::string before = generator.state();
        std::vector<float> row(size, 1.0F);
        row[5] = nan;
        EXPECT_EQ(generator.step(std::span<const float>(row)).error().code, ErrorCode::NAN_LOGIT);
        row[5] = infinity;
        EXPECT_EQ(generator.step(std::span<const float>(row)).error().code, ErrorCode::INFINITE_LOGIT);
        row.assign(size, -infinity);
        EXPECT_EQ(generator.step(std::span<const float>(row)).error().code, ErrorCode::ALL_BANNED);
        EXPECT_EQ(generator.step(std::span<const float>()).error().code, ErrorCode::EMPTY_ROW);
        if (generator.step_index() > 0) {
            row.assign(size + 1, 1.0F);
            EXPECT_EQ(generator.step(std::span<const float>(row)).error().code, ErrorCode::WRONG_LENGTH);
        }
        EXPECT_EQ(generator.state(), before);
        EXPECT_EQ(step(generator, plain_run_), token);
    }
}

TEST_F(GoldenRuns, BranchAtEveryPositionAndDrawOnAsBefore) {
    for (const Json& run : runs_) {
        SCOPED_TRACE(run["name"]);
        Generator generator = create(run);
        for (int i = 0; i < 15; ++i) step(generator, run);
        const std::string whole = generator.state();
        const auto light = generator.audit().mode == AuditMode::light;
        for (std::size_t position = generator.prompt_length(); position <= generator.tokens().size(); ++position) {
            auto branch = *generator.branch(position, generator.seed());
            EXPECT_EQ(branch.tokens().size(), position);
            EXPECT_EQ(branch.prompt_length(), generator.prompt_length());
            ASSERT_TRUE(Generator::from_state(branch.state()).has_value());
            while (branch.step_index() < 15) step(branch, run);
            EXPECT_TRUE(std::ranges::equal(branch.tokens(), generator.tokens()));
            // A chain does not tell what it was before.
            if (!light) {
                EXPECT_EQ(branch.state(), whole);
            }
        }
        EXPECT_EQ(generator.state(), whole);
    }
}

TEST_F(GoldenRuns, BranchWithAnotherSeedIntoATextOfTheirOwn) {
    Generator generator = create(plain_run_);
    for (int i = 0; i < 15; ++i) step(generator, plain_run_);
    auto branch = *generator.branch(8, generator.seed() + 1);
    EXPECT_EQ(branch.prompt_length(), 8U);
    EXPECT_EQ(branch.step_index(), 0U);
    EXPECT_TRUE(std::ranges::equal(branch.tokens(), generator.tokens().first(8)));
    auto fresh = *Generator::create(branch.tokens(), generator.seed() + 1, generator.settings());
    for (int i = 0; i < 15; ++i) EXPECT_EQ(step(branch, plain_run_), step(fresh, plain_run_));
}

TEST_F(GoldenRuns, DoNotBranchOutsideOfWhatWasDrawn) {
    Generator generator = create(runs_[6]);  // a prompt of five tokens
    step(generator, runs_[6]);
    for (const std::uint64_t position : {0, 4, 7, 100}) {
        const auto branch = generator.branch(position, 1);
        ASSERT_FALSE(branch.has_value());
        EXPECT_EQ(branch.error().code, ErrorCode::INVALID_POSITION);
        EXPECT_EQ(branch.error().value, std::to_string(position));
        EXPECT_EQ(branch.error().detail, "5 to 6");
    }
}

class Replays : public testing::TestWithParam<AuditMode> {
protected:
    static constexpr std::size_t prompt_length = 2;
    static constexpr std::size_t drawn = 10;

    // The row of the toy model, with its first logit moved by one unit in the last place at one step of the text.
    static test::Row row(std::span<const Token> tokens, std::optional<std::size_t> changed) {
        std::vector<double> numbers = test::toy_row(tokens, 3, 50, Dtype::float32).numbers();
        if (changed && tokens.size() == prompt_length + *changed)
            numbers[0] = std::nextafter(static_cast<float>(numbers[0]), 100.0F);
        return {numbers, Dtype::float32};
    }

    static void run(Generator& generator, std::size_t steps, std::optional<std::size_t> changed = std::nullopt) {
        for (std::size_t i = 0; i < steps; ++i)
            ASSERT_TRUE(generator.step(row(generator.tokens(), changed).logits()).has_value());
    }

    static Generator recorded() {
        auto generator = *Generator::create(std::vector<Token>{1, 2}, 5, {0.8, 0, 0.9}, {{"name", "old"}}, GetParam());
        run(generator, drawn);
        return generator;
    }
};

TEST_P(Replays, OfTheSameNumbersFindNoMismatchAndEndWithTheSameAudit) {
    const Generator original = recorded();
    auto replay = *Generator::replay(original.state(), {{"name", "old"}});
    EXPECT_EQ(replay.tokens().size(), prompt_length);
    run(replay, drawn);
    EXPECT_FALSE(replay.mismatch());
    EXPECT_EQ(replay.state(), original.state());
    run(replay, 5, drawn + 2);  // nothing was recorded of what comes after
    EXPECT_FALSE(replay.mismatch());
}

TEST_P(Replays, TellWhereTheNumbersDiffer) {
    const std::string state = recorded().state();
    for (std::size_t changed = 0; changed < drawn; ++changed) {
        auto replay = *Generator::replay(state, {{"name", "new"}});
        EXPECT_EQ(replay.model()[0].second, "new");
        run(replay, changed, changed);
        EXPECT_FALSE(replay.mismatch());
        run(replay, drawn - changed, changed);
        if (GetParam() == AuditMode::off) {
            EXPECT_FALSE(replay.mismatch());
        } else {
            ASSERT_TRUE(replay.mismatch());
            const bool full = GetParam() == AuditMode::full;
            EXPECT_EQ(replay.mismatch()->first, prompt_length + (full ? changed : 0));
            EXPECT_EQ(replay.mismatch()->last, prompt_length + (full ? changed : drawn - 1));
        }
    }
}

TEST_P(Replays, OfABranchCompareWhatItsAuditKnows) {
    auto branch = *recorded().branch(prompt_length + 4, 5);
    run(branch, 6);
    const std::string state = branch.state();
    auto same = *Generator::replay(state, {{"name", "old"}});
    run(same, drawn);
    EXPECT_FALSE(same.mismatch());
    EXPECT_EQ(same.state(), state);
    auto other = *Generator::replay(state, {});
    run(other, drawn, 7);
    EXPECT_EQ(other.mismatch().has_value(), GetParam() != AuditMode::off);
    if (GetParam() == AuditMode::light) {
        EXPECT_EQ(other.mismatch()->first, prompt_length + 4);
    }
}

TEST_P(Replays, AreRefusedWhereTheStateOrTheIdentityIs) {
    EXPECT_EQ(Generator::replay("{}", {}).error().code, ErrorCode::STATE_FOREIGN_FORMAT);
    const auto replay = Generator::replay(recorded().state(), {{"name", "1"}, {"name", "2"}});
    EXPECT_EQ(replay.error().code, ErrorCode::INVALID_MODEL);
}

INSTANTIATE_TEST_SUITE_P(AllModes, Replays, testing::Values(AuditMode::off, AuditMode::light, AuditMode::full));

TEST(Generator, RefusesARowWithoutAPlaceForAPromptToken) {
    auto generator = *Generator::create(std::vector<Token>{0, 5}, 1, {});
    const std::vector<float> short_row(5, 1.0F);
    const std::vector<float> long_row(6, 1.0F);
    const auto refused = generator.step(std::span<const float>(short_row));
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::INVALID_TOKEN);
    EXPECT_EQ(refused.error().index, 1);
    EXPECT_EQ(generator.step_index(), 0U);
    EXPECT_TRUE(generator.step(std::span<const float>(long_row)).has_value());
}

TEST(Generator, DrawsWithTheNumberOfItsSeedAndStep) {
    const std::vector<float> row{0.25F, 1, -1, 0.5F, 2};
    auto generator = *Generator::create({}, 99, {0.9, 4, 0.95});
    for (std::uint64_t i = 0; i < 50; ++i) {
        EXPECT_EQ(*generator.step(std::span<const float>(row)),
                  *sample_token(std::span<const float>(row), {0.9, 4, 0.95}, uniform(99, i)));
    }
}

TEST(Generator, KeepsFifteenTextsOfFifteenSeedsApart) {
    std::vector<std::vector<Token>> texts;
    for (std::uint64_t seed = 0; seed < 15; ++seed) {
        auto generator = *Generator::create(std::vector<Token>{0}, seed, {});
        for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(generator.step(test::toy_row(generator.tokens(), 1, 50, Dtype::float32).logits()).has_value());
        }
        const std::vector<Token> text(generator.tokens().begin(), generator.tokens().end());
        for (const auto& other : texts) EXPECT_NE(text, other);
        texts.push_back(text);
    }
}

TEST(Generator, RefusesAModelIdentityThatItsStateCouldNotHold) {
    ModelIdentity crowd;
    for (int i = 0; i < 256; ++i) crowd.emplace_back(std::to_string(i), "");
    const auto with_all = Generator::create({}, 1, {}, crowd);
    ASSERT_TRUE(with_all);
    EXPECT_TRUE(Generator::from_state(with_all->state()));
    crowd.emplace_back("one more", "");
    const std::vector<ModelIdentity> refused{
        crowd, {{"name", "one"}, {"name", "other"}}, {{"name", "half a \xe2\x82"}}, {{"\xff", "name"}}};
    for (const ModelIdentity& identity : refused) {
        const auto generator = Generator::create({}, 1, {}, identity);
        ASSERT_FALSE(generator);
        EXPECT_EQ(generator.error().code, ErrorCode::INVALID_MODEL);
    }
}

TEST(GeneratorState, IsRefusedWhereItIsNotUtf8) {
    const auto state_with = [](std::string_view text) {
        const std::string fresh = Generator::create({}, 1, {}, {{"name", "@"}})->state();
        const std::size_t place = fresh.find('@');
        return fresh.substr(0, place) + std::string(text) + fresh.substr(place + 1);
    };
    for (const std::string_view text : {"\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                                        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
        const auto generator = Generator::from_state(state_with(text));
        ASSERT_TRUE(generator);
        EXPECT_EQ(generator->model()[0].second, text);
    }
    // Alone, cut short, too long for what they say, half a pair, beyond the last.
    for (const std::string_view text :
         {"\x80", "\xbf", "\xc2", "\xe2\x82", "\xf0\x9f\x98", "\xc2x", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
          "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xfe", "\xff"}) {
        const auto generator = Generator::from_state(state_with(text));
        ASSERT_FALSE(generator);
        EXPECT_EQ(generator.error().code, ErrorCode::STATE_NOT_JSON);
    }
}

TEST(GeneratorState, IsRefusedWithTheGoldenCodes) {
    for (const Json& refused : test::read_fixture("generator.json", "refusedStates")) {
        SCOPED_TRACE(refused["name"]);
        const auto generator = Generator::from_state(refused["state"].dump());
        ASSERT_FALSE(generator.has_value());
        EXPECT_EQ(error_name(generator.error().code), refused["code"]);
    }
}

TEST(GeneratorState, IsRefusedWhenItIsNotJson) {
    for (const Json& refused : test::read_fixture("generator.json", "refusedTexts")) {
        SCOPED_TRACE(refused["name"]);
        const auto generator = Generator::from_state(refused["text"].get<std::string>());
        ASSERT_FALSE(generator.has_value());
        EXPECT_EQ(generator.error().code, ErrorCode::STATE_NOT_JSON);
    }
    EXPECT_EQ(Generator::from_state(std::string(100'000, '[')).error().code, ErrorCode::STATE_NOT_JSON);
    EXPECT_EQ(Generator::from_state(std::string(10, '\0')).error().code, ErrorCode::STATE_NOT_JSON);
}

TEST_F(GoldenRuns, HaveStatesThatAreRefusedWhereverTheyAreCutOff) {
    for (const Json& run : runs_) {
        const auto state = run["stateAfter7"].dump();
        for (std::size_t length = 0; length < state.size(); ++length) {
            const auto generator = Generator::from_state(std::string_view(state).substr(0, length));
            ASSERT_FALSE(generator.has_value()) << length;
            ASSERT_EQ(generator.error().code, ErrorCode::STATE_NOT_JSON) << length;
        }
    }
}

TEST_F(GoldenRuns, HaveStatesThatAreReadOrRefusedWhateverByteIsChanged) {
    const auto state = plain_run_["stateAfter7"].dump();
    for (std::size_t at = 0; at < state.size(); ++at) {
        for (const char byte : {'"', '{', ']', '9', '-', '.', 'e', 'x', '\\', '\0', '\xff'}) {
            std::string changed = state;
            changed[at] = byte;
            const auto generator = Generator::from_state(changed);
            if (!generator) continue;
            const auto again = Generator::from_state(generator->state());
            ASSERT_TRUE(again.has_value());
            ASSERT_EQ(again->state(), generator->state());
        }
    }
}

}  // namespace
}  // namespace quillmate
