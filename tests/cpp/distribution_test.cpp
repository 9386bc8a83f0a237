#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/sampling.hpp"

namespace quillmate {
namespace {

using test::Json;

TEST(DistributionOfARow, IsTheGoldenOne) {
    for (const Json& test_case : test::read_fixture("distribution.json", "cases")) {
        SCOPED_TRACE(test_case["name"]);
        const test::Row row(test_case);
        const test::Row before = row;
        const auto result = distribution(row.logits(), test::settings_of(test_case));
        ASSERT_TRUE(result.has_value());
        EXPECT_EQ(result->ids, test_case["ids"].get<std::vector<Token>>());
        EXPECT_EQ(result->probabilities, test_case["probabilities"].get<std::vector<double>>());
        EXPECT_TRUE(row.same_bits(before));
    }
}

TEST(DistributionOfARow, ListsWhatTheGoldenCasesKeep) {
    for (const char* file : {"sampling.json", "boundaries.json"}) {
        for (const Json& test_case : test::read_fixture(file, "cases")) {
            if (!test_case.contains("kept")) continue;
            SCOPED_TRACE(test_case["name"]);
            const auto result = distribution(test::Row(test_case).logits(), test::settings_of(test_case));
            ASSERT_TRUE(result.has_value());
            EXPECT_EQ(result->ids, test_case["kept"].get<std::vector<Token>>());
        }
    }
}

TEST(DistributionOfARow, SumsToOne) {
    const test::Row row(
        test::numbers(Json::parse(R"([{"uniform": {"seed": "7", "count": 3000, "levels": 512, "scale": 16, "offset": -8}}])")),
        Dtype::float32);
    for (const Settings& settings : {Settings{}, Settings{0.5, 0, 0.9}, Settings{2, 100, 1}, Settings{1e308, 0, 0.3}}) {
        const auto result = distribution(row.logits(), settings);
        ASSERT_TRUE(result.has_value());
        EXPECT_NEAR(std::accumulate(result->probabilities.begin(), result->probabilities.end(), 0.0), 1, 1e-12);
    }
}

}  // namespace
}  // namespace quillmate
