#include "quillmate/speculative.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate {
namespace {

using test::Json;

TEST(SpeculativeStep, ReturnsTheGoldenTokens) {
    for (const Json& test_case : test::read_fixture("speculative.json", "cases")) {
        SCOPED_TRACE(test_case["name"]);
        const auto p = test::numbers(test_case["p"]);
        const auto q = test::numbers(test_case["q"]);
        const auto p_before = p;
        const auto q_before = q;
        for (const Json& draw : test_case["draws"]) {
            const auto result =
                speculative_step(p, q, test_case["draft"].get<Token>(), test::number(draw[0]), test::number(draw[1]));
            ASSERT_TRUE(result.has_value()) << error_message(result.error());
            EXPECT_EQ(result->token, draw[2]) << draw;
            EXPECT_EQ(result->accepted, draw[3]) << draw;
        }
        EXPECT_EQ(p, p_before);
        EXPECT_EQ(q, q_before);
    }
}

TEST(SpeculativeStep, EmitsExactlyTheTargetsLawOverAllDraws) {
    // p = [4, 3, 1, 0] / 8 and q = [2, 2, 3, 1] / 8: each acceptance ratio is a multiple of 1/3 and the residual is
    // [2, 1, 0, 0], so 3 equally likely numbers of each kind are all there is.
    const std::vector<double> p{4, 3, 1, 0};
    const std::vector<double> q{2, 2, 3, 1};
    std::vector<int> emitted(4);
    int accepted = 0;
    for (Token draft = 0; draft < 4; ++draft) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                const auto result = *speculative_step(p, q, draft, (i + 0.5) / 3, (j + 0.5) / 3);
                const int weight = static_cast<int>(q[static_cast<std::size_t>(draft)]);
                emitted[static_cast<std::size_t>(result.token)] += weight;
                if (result.accepted) accepted += weight;
            }
        }
    }
    EXPECT_EQ(emitted, (std::vector<int>{4 * 9, 3 * 9, 1 * 9, 0}));
    EXPECT_EQ(accepted, (2 + 2 + 1 + 0) * 9);
}

TEST(SpeculativeStep, FollowsTheTargetWithIndependentDraws) {
    const std::vector<double> p{0.34, 0.33, 0.33};
    const std::vector<double> q{0.8, 0.15, 0.05};
    std::vector<std::int64_t> counts(3);
    std::int64_t accepted = 0;
    constexpr std::int64_t draws = 200'000;
    for (std::uint64_t step = 0; step < draws; ++step) {
        const double u = uniform(11, step, stream::draft);
        const Token draft = u < 0.8 ? 0 : u < 0.95 ? 1 : 2;
        const auto result =
            *speculative_step(p, q, draft, uniform(11, step, stream::accept), uniform(11, step, stream::residual));
        ++counts[static_cast<std::size_t>(result.token)];
        accepted += result.accepted;
    }
    EXPECT_LT(test::chi_square(counts, p), 13.82);  // 2 degrees of freedom, 0.1 %
    const double alpha = emitted_distribution(p, q)->alpha;
    EXPECT_NEAR(static_cast<double>(accepted) / draws, alpha, 4 * std::sqrt(alpha * (1 - alpha) / draws));
}

TEST(SpeculativeStep, NeverRejectsWhenTheDraftIsTheTarget) {
    std::vector<double> p;
    for (std::uint64_t i = 0; i < 100; ++i) p.push_back(uniform(12, i));
    for (const double factor : {1.0, 0.25, 0x1p-900}) {
        std::vector<double> q;
        for (const double weight : p) q.push_back(weight * factor);
        for (Token draft = 0; draft < 100; ++draft) {
            const auto result = *speculative_step(p, q, draft, test::below_one, 0);
            EXPECT_TRUE(result.accepted);
            EXPECT_EQ(result.token, draft);
        }
    }
}

TEST(EmittedDistribution, IsTheGoldenOne) {
    for (const Json& test_case : test::read_fixture("emitted.json", "cases")) {
        SCOPED_TRACE(test_case["name"]);
        const auto result = emitted_distribution(test::numbers(test_case["p"]), test::numbers(test_case["q"]));
        ASSERT_TRUE(result.has_value());
        ASSERT_EQ(result->distribution.size(), test_case["distribution"].size());
        for (std::size_t i = 0; i < result->distribution.size(); ++i) {
            EXPECT_NEAR(result->distribution[i], test_case["distribution"][i].get<double>(), 1e-12) << i;
        }
        EXPECT_NEAR(result->alpha, test_case["alpha"].get<double>(), 1e-12);
    }
}

std::vector<double> dirichlet(std::size_t size, double alpha, std::mt19937_64& random) {
    std::gamma_distribution<double> gamma(alpha);
    std::vector<double> weights(size);
    double total = 0;
    for (double& weight : weights) total += weight = gamma(random);
    for (double& weight : weights) weight /= total;
    return weights;
}

void expect_target_and_overlap(const std::vector<double>& p, const std::vector<double>& q) {
    const auto result = *emitted_distribution(p, q);
    const double p_total = std::accumulate(p.begin(), p.end(), 0.0);
    const double q_total = std::accumulate(q.begin(), q.end(), 0.0);
    double sum = 0;
    double variation = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_NEAR(result.distribution[i], p[i] / p_total, 1e-12);
        ASSERT_GE(result.distribution[i], 0);
        sum += result.distribution[i];
        variation += std::abs(p[i] / p_total - q[i] / q_total) / 2;
    }
    ASSERT_NEAR(sum, 1, 1e-12);
    ASSERT_NEAR(result.alpha, 1 - variation, 1e-12);
}

TEST(EmittedDistribution, IsTheTargetForRandomPairsAndAlphaIsTheirOverlap) {
    std::mt19937_64 random(0);
    for (int pair = 0; pair < 300; ++pair) {
        const std::size_t size = 2 + random() % 38;
        const auto p = dirichlet(size, 1, random);
        auto q = dirichlet(size, 0.3, random);
        expect_target_and_overlap(p, q);
        for (double& weight : q) weight *= 1 + 1e-6;  // a sum that is not quite 1
        expect_target_and_overlap(p, q);
    }
}

TEST(EmittedDistribution, IsTheTargetWhateverTheSupport) {
    const std::vector<double> p{0.25, 0.75, 0, 0};
    expect_target_and_overlap(p, {0, 0, 0.5, 0.5});  // disjoint
    expect_target_and_overlap(p, {0, 0.5, 0.5, 0});  // partly
    expect_target_and_overlap(p, {0.1, 0.2, 0.3, 0.4});
    EXPECT_EQ(emitted_distribution(p, std::vector<double>{0, 0, 0.5, 0.5})->alpha, 0);
    EXPECT_EQ(emitted_distribution(p, p)->alpha, 1);
    EXPECT_EQ(emitted_distribution(p, p)->distribution, p);
}

}  // namespace
}  // namespace quillmate
