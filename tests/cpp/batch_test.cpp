#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/sampling.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate {
namespace {

using test::Json;

// A batch whose rows and settings differ in every way.
struct Batch {
    std::vector<std::vector<double>> rows;
    std::vector<Draw> draws;
};

Batch mixed_batch(std::size_t rows, std::size_t vocab_size) {
    Batch batch;
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<double> row;
        for (std::size_t j = 0; j < vocab_size; ++j) {
            const double x = uniform(i, j) * 16 - 8;
            row.push_back(j % 5 == i % 5 ? -std::numeric_limits<double>::infinity() : i % 2 == 0 ? x : std::floor(x));
        }
        batch.rows.push_back(row);
        const Settings settings{i % 4 == 0 ? 0 : 0.4 * static_cast<double>(i % 4), static_cast<std::int64_t>(i % 3) * 7,
                                1 - static_cast<double>(i % 5) / 6};
        batch.draws.push_back({settings, uniform(77, i)});
    }
    return batch;
}

test::Row joined(const Batch& batch, const std::vector<std::size_t>& order, Dtype dtype) {
    test::Row result(std::vector<double>{}, dtype);
    for (const std::size_t i : order) result.append(test::Row(batch.rows[i], dtype));
    return result;
}

TEST(SampleBatch, ReturnsTheGoldenTokens) {
    for (const Json& test_case : test::read_fixture("batch.json", "cases")) {
        SCOPED_TRACE(test_case["name"]);
        test::Row logits(std::vector<double>{}, test::dtype_of(test_case));
        for (const Json& row : test_case["rows"]) logits.append(test::Row(test::numbers(row), test::dtype_of(test_case)));
        std::vector<Draw> draws;
        for (const Json& row : test_case["settings"]) draws.push_back({test::settings_of(row), test::number(row["u"])});
        const test::Row before = logits;
        std::vector<Token> tokens(draws.size());
        ASSERT_TRUE(sample_batch(logits.logits(), draws, tokens).has_value());
        EXPECT_EQ(tokens, test_case["tokens"].get<std::vector<Token>>());
        EXPECT_TRUE(logits.same_bits(before));
    }
}

TEST(SampleBatch, EqualsSampleTokenRowByRowInEveryOrder) {
    for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
        const Batch batch = mixed_batch(12, 70);
        std::vector<Token> alone;
        for (std::size_t i = 0; i < 12; ++i) {
            alone.push_back(*sample_token(test::Row(batch.rows[i], dtype).logits(), batch.draws[i].settings, batch.draws[i].u));
        }
        std::vector<std::size_t> order(12);
        std::iota(order.begin(), order.end(), 0U);
        for (std::uint64_t shuffle = 0; shuffle < 200; ++shuffle) {
            std::vector<Draw> draws;
            std::vector<Token> expected;
            for (const std::size_t i : order) {
                draws.push_back(batch.draws[i]);
                expected.push_back(alone[i]);
            }
            std::vector<Token> tokens(12);
            ASSERT_TRUE(sample_batch(joined(batch, order, dtype).logits(), draws, tokens).has_value());
            ASSERT_EQ(tokens, expected);
            for (std::size_t i = 12; i > 1; --i) {
                std::swap(order[i - 1], order[static_cast<std::size_t>(uniform(shuffle, i) * static_cast<double>(i))]);
            }
        }
    }
}

TEST(SampleBatch, GivesARowTheSameTokenInEveryCompany) {
    const Batch batch = mixed_batch(40, 33);
    for (std::size_t size = 1; size <= 40; ++size) {
        std::vector<std::size_t> order(size);
        std::iota(order.begin(), order.end(), 40 - size);
        std::vector<Draw> draws(batch.draws.end() - static_cast<std::ptrdiff_t>(size), batch.draws.end());
        std::vector<Token> tokens(size);
        ASSERT_TRUE(sample_batch(joined(batch, order, Dtype::float32).logits(), draws, tokens).has_value());
        EXPECT_EQ(tokens.back(), *sample_token(test::Row(batch.rows[39], Dtype::float32).logits(), batch.draws[39].settings,
                                               batch.draws[39].u));
    }
}

TEST(SampleBatch, RefusesLengthsThatDoNotAgree) {
    const std::vector<float> logits(12, 1.0F);
    std::vector<Draw> draws(3);
    std::vector<Token> tokens(3, -7);
    const auto code = [&](std::span<const float> rows, std::span<const Draw> some_draws, std::span<Token> out) {
        const auto result = sample_batch(rows, some_draws, out);
        return result ? ErrorCode::none : result.error().code;
    };
    EXPECT_EQ(code(logits, draws, tokens), ErrorCode::none);
    EXPECT_EQ(code(std::span(logits).first(11), draws, tokens), ErrorCode::WRONG_LENGTH);
    EXPECT_EQ(code(logits, draws, std::span(tokens).first(2)), ErrorCode::WRONG_LENGTH);
    EXPECT_EQ(code(logits, std::span(draws).first(2), tokens), ErrorCode::WRONG_LENGTH);
    EXPECT_EQ(code(logits, {}, {}), ErrorCode::WRONG_LENGTH);
    EXPECT_EQ(code({}, draws, tokens), ErrorCode::EMPTY_ROW);
}

TEST(SampleBatch, NamesTheRowAndLeavesTheOutputAlone) {
    std::vector<float> logits(12, 1.0F);
    logits[9] = std::numeric_limits<float>::quiet_NaN();
    std::vector<Draw> draws(3);
    std::vector<Token> tokens(3, -7);
    const auto result = sample_batch(std::span<const float>(logits), draws, tokens);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::NAN_LOGIT);
    EXPECT_EQ(result.error().row, 2);
    EXPECT_EQ(result.error().index, 1);
    EXPECT_EQ(tokens, std::vector<Token>(3, -7));
}

}  // namespace
}  // namespace quillmate
