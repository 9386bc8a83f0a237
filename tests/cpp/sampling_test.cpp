#include "quillmate/sampling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "level.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate {
namespace {

using detail::Level;
using test::Json;

constexpr double infinity = std::numeric_limits<double>::infinity();
// Every golden draw, decided from that level on. Of rows that are slow to decide a few draws will do.
void expect_golden_tokens(const Json& test_case, Level level, std::size_t draws_of_long_rows) {
    SCOPED_TRACE(test_case["name"]);
    const test::Row row(test_case);
    const test::Row before = row;
    std::size_t left = row.size() < 10000 ? test_case["draws"].size() : draws_of_long_rows;
    for (const Json& draw : test_case["draws"]) {
        if (left-- == 0) break;
        const auto decision = detail::decide(level, row.logits(), test::settings_of(test_case), test::number(draw[0]));
        ASSERT_TRUE(decision.has_value()) << error_message(decision.error());
        EXPECT_EQ(decision->token, draw[1]) << "u = " << draw[0];
    }
    EXPECT_TRUE(row.same_bits(before));
}

class SampleTokenFromLevel : public testing::TestWithParam<int> {
protected:
    const Level level_ = static_cast<Level>(GetParam());

    void expect_golden(const char* file) const {
        for (const Json& test_case : test::read_fixture(file, "cases")) {
            expect_golden_tokens(test_case, level_, level_ < Level::binary64 ? 100 : 3);
        }
    }
};
INSTANTIATE_TEST_SUITE_P(AllLevels, SampleTokenFromLevel, testing::Range(0, detail::level_count));

TEST_P(SampleTokenFromLevel, ReturnsTheGoldenTokens) { expect_golden("sampling.json"); }
TEST_P(SampleTokenFromLevel, ReturnsTheGoldenTokensAtBoundaries) { expect_golden("boundaries.json"); }

// Rows as long and as peaked as a language model's; with ties in every other one.
test::Row model_like_row(std::uint64_t seed, std::size_t size) {
    std::vector<double> values;
    for (std::size_t i = 0; i < size; ++i) {
        const double x = 4 * (uniform(seed, i, 1) + uniform(seed, i, 2) + uniform(seed, i, 3) + uniform(seed, i, 4));
        values.push_back(uniform(seed, i, 5) < 0.001 ? x + 6 : x);
        if (seed % 2 == 0) values.back() = std::floor(values.back() * 16) / 16;
    }
    return {values, seed % 3 == 0 ? Dtype::float64 : Dtype::float32};
}

// The number and its neighbours at the distances where one level after the other gives up.
std::vector<double> approaches(double x) {
    std::vector<double> result{x};
    for (int k = 6; k <= 52; k += 4) {
        result.push_back(x * (1 - std::ldexp(1, -k)));
        result.push_back(std::min(x * (1 + std::ldexp(1, -k)), test::below_one));
    }
    return result;
}

void expect_the_exact_token(const test::Row& row, const Settings& settings, double u) {
    const Token exact = detail::decide(Level::exact, row.logits(), settings, u)->token;
    for (int level = 0; level < static_cast<int>(Level::exact); ++level) {
        const auto decision = detail::decide(static_cast<Level>(level), row.logits(), settings, u);
        ASSERT_EQ(decision->token, exact) << "u = " << u << ", top-p = " << settings.top_p << ", level " << level;
        ASSERT_GE(static_cast<int>(decision->level), level);
    }
}

TEST(SampleToken, IsTheSameFromEveryLevel) {
    for (std::uint64_t i = 0; i < 400; ++i) {
        const auto random = [&](std::uint64_t step) { return uniform(i, step, 5); };
        const auto size = static_cast<std::size_t>(std::exp2(random(0) * 13));  // up to 8191
        const double scale = std::ldexp(1, static_cast<int>(random(1) * 12) - 5);
        const bool with_ties = random(2) < 0.5;
        std::vector<double> values;
        for (std::size_t j = 0; j < size; ++j) {
            const double x = scale * uniform(i, j, 6);
            values.push_back(with_ties ? std::floor(x * 4) / 4 : x);
            if (uniform(i, j, 7) < 0.1 && j > 0) values.back() = -infinity;
        }
        const test::Row row(values, random(3) < 0.5 ? Dtype::float32 : Dtype::float64);
        const Settings settings{0.25 + 2 * random(4), random(5) < 0.5 ? 0 : static_cast<std::int64_t>(random(6) * 100),
                                random(7) < 0.5 ? 1 : random(8)};
        for (std::uint64_t draw = 0; draw < 20; ++draw) {
            // Coarse numbers fall on the boundaries of rows with ties.
            const double u = draw % 2 == 0 ? uniform(i, draw, 8) : std::floor(uniform(i, draw, 8) * 64) / 64;
            ASSERT_NO_FATAL_FAILURE(expect_the_exact_token(row, settings, u)) << "row " << i;
        }
    }
}

TEST(SampleToken, IsTheSameFromEveryLevelHoweverCloseTheDrawIsToABoundary) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const test::Row row = model_like_row(seed, 3000);
        const Settings settings{0.5 + 0.25 * static_cast<double>(seed), 0, seed % 3 == 0 ? 0.9 : 1};
        const Distribution law = *distribution(row.logits(), settings);
        double boundary = 0;
        for (std::size_t i = 0; i + 1 < law.ids.size(); ++i) {
            boundary += law.probabilities[i];
            if (i % (law.ids.size() / 12 + 1) != 0) continue;
            for (const double u : approaches(boundary)) ASSERT_NO_FATAL_FAILURE(expect_the_exact_token(row, settings, u));
        }
    }
}

TEST(SampleToken, IsTheSameFromEveryLevelHoweverCloseTopPIsToAShare) {
    for (std::uint64_t seed = 7; seed <= 12; ++seed) {
        const test::Row row = model_like_row(seed, 3000);
        for (const std::size_t rank : {1, 2, 10, 100, 1000}) {
            Settings settings{0.25 * static_cast<double>(seed - 6), static_cast<std::int64_t>(rank), 1};
            const std::vector<Token> kept = distribution(row.logits(), settings)->ids;
            settings.top_k = 0;
            const Distribution law = *distribution(row.logits(), settings);
            double share = 0;
            for (const Token id : kept) share += law.probabilities[static_cast<std::size_t>(id)];
            for (const double top_p : approaches(share + 0x1p-40)) {
                settings.top_p = top_p;
                for (const double u : {0.0, 0.37, test::below_one})
                    ASSERT_NO_FATAL_FAILURE(expect_the_exact_token(row, settings, u));
            }
        }
    }
}

TEST(SampleToken, ReadsFloat16AndBfloat16AsTheValuesTheyStandFor) {
    std::vector<float16> halves;
    std::vector<double> half_values;
    std::vector<bfloat16> brains;
    std::vector<double> brain_values;
    for (std::uint32_t bits = 0; bits < 0x10000; bits += 7) {
        const auto word = static_cast<std::uint16_t>(bits);
        const int exponent = word >> 10 & 31;
        if (exponent != 31) {
            const double fraction = (word & 1023) / 1024.0;
            const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
            halves.push_back({word});
            half_values.push_back(word >> 15 != 0 ? -magnitude : magnitude);
        }
        if ((word >> 7 & 255) != 255) {
            brains.push_back({word});
            brain_values.push_back(std::bit_cast<float>(bits << 16));
        }
    }
    halves.push_back({0xfc00});
    half_values.push_back(-infinity);
    brains.push_back({0xff80});
    brain_values.push_back(-infinity);
    const test::Row half_row(half_values, Dtype::float32);
    const test::Row brain_row(brain_values, Dtype::float32);
    for (const double temperature : {0.0, 1.0, 1e4, 1e37}) {
        for (std::uint64_t i = 0; i < 10; ++i) {
            const Settings settings{temperature, 0, i % 2 == 0 ? 1 : 0.9};
            const double u = uniform(1, i);
            EXPECT_EQ(*sample_token(std::span<const float16>(halves), settings, u),
                      *sample_token(half_row.logits(), settings, u));
            EXPECT_EQ(*sample_token(std::span<const bfloat16>(brains), settings, u),
                      *sample_token(brain_row.logits(), settings, u));
        }
    }
}

TEST(SampleToken, NamesTheIndexOfNanAndInfinityInEveryElementType) {
    const auto index_of_error = [](Logits row) { return sample_token(row, {}, 0.5).error().index; };
    const std::vector<float16> half_nan{{0}, {0x7e01}};
    const std::vector<float16> half_infinity{{0}, {0}, {0x7c00}};
    const std::vector<bfloat16> brain_nan{{0}, {0xffc1}};
    const std::vector<bfloat16> brain_infinity{{0}, {0}, {0x7f80}};
    EXPECT_EQ(index_of_error(std::span<const float16>(half_nan)), 1);
    EXPECT_EQ(index_of_error(std::span<const float16>(half_infinity)), 2);
    EXPECT_EQ(index_of_error(std::span<const bfloat16>(brain_nan)), 1);
    EXPECT_EQ(index_of_error(std::span<const bfloat16>(brain_infinity)), 2);
}

TEST(SampleToken, FollowsTheDistributionOfTheRow) {
    const test::Row row({0.5, -1, 2, 1.25, -0.5, 2, 0, 1}, Dtype::float32);
    for (const Settings& settings : {Settings{}, Settings{0.7, 0, 0.9}, Settings{2, 5, 1}}) {
        const Distribution law = *distribution(row.logits(), settings);
        std::vector<std::int64_t> counts(row.size());
        for (std::uint64_t step = 0; step < 100'000; ++step) {
            ++counts[static_cast<std::size_t>(*sample_token(row.logits(), settings, uniform(2024, step)))];
        }
        std::vector<std::int64_t> kept_counts;
        std::int64_t kept_total = 0;
        for (const Token id : law.ids) {
            kept_counts.push_back(counts[static_cast<std::size_t>(id)]);
            kept_total += kept_counts.back();
        }
        EXPECT_EQ(kept_total, 100'000);
        EXPECT_LT(test::chi_square(kept_counts, law.probabilities), 24.32);  // at most 7 degrees of freedom, 0.1 %
    }
}

TEST(SampleToken, NeverReturnsABannedTokenInAMillionDraws) {
    constexpr std::size_t rows = 128;
    constexpr std::size_t size = 50;
    std::vector<float> logits;
    std::vector<Draw> draws(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        std::array<std::size_t, size> order{};
        for (std::size_t i = 0; i < size; ++i) {
            logits.push_back(static_cast<float>(20 * uniform(row, i) - 10));
            order[i] = i;
        }
        for (std::size_t i = 0; i < 40; ++i) {  // the first 40 of a shuffled row
            std::swap(order[i], order[i + static_cast<std::size_t>(uniform(row, i, 1) * static_cast<double>(size - i))]);
            logits[row * size + order[i]] = -std::numeric_limits<float>::infinity();
        }
        draws[row].settings = {row % 3 == 0 ? 1.0 : 0.5 + static_cast<double>(row) / 64, row % 4 == 0 ? 45 : 0,
                               row % 5 == 0 ? 0.999 : 1};
    }
    std::vector<Token> tokens(rows);
    std::int64_t banned = 0;
    for (std::uint64_t step = 0; step < 1'000'000 / rows + 1; ++step) {
        for (std::size_t row = 0; row < rows; ++row)
            draws[row].u = step == 0 ? 0 : step == 1 ? test::below_one : uniform(row, step);
        ASSERT_TRUE(sample_batch(std::span<const float>(logits), draws, tokens).has_value());
        for (std::size_t row = 0; row < rows; ++row) {
            banned += std::isinf(logits[row * size + static_cast<std::size_t>(tokens[row])]);
        }
    }
    EXPECT_EQ(banned, 0);
}

TEST(SampleToken, IsMonotoneInU) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 300; ++i) values.push_back(uniform(4, i) * 6);
    const test::Row row(values, Dtype::float32);
    for (const Settings& settings : {Settings{}, Settings{0.7, 100, 0.95}}) {
        Token last = 0;
        for (int i = 0; i < 4096; ++i) {
            const Token token = *sample_token(row.logits(), settings, i / 4096.0);
            ASSERT_GE(token, last);
            last = token;
        }
    }
}

}  // namespace
}  // namespace quillmate
