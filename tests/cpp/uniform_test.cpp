#include "quillmate/uniform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace quillmate {
namespace {

using test::Json;

template <std::size_t n>
std::array<std::uint32_t, n> words(const Json& hex) {
    std::array<std::uint32_t, n> result{};
    for (std::size_t i = 0; i < n; ++i)
        result[i] = static_cast<std::uint32_t>(std::stoul(hex[i].get<std::string>(), nullptr, 16));
    return result;
}

TEST(Philox, ReturnsThePublishedKnownAnswers) {
    for (const Json& known : test::read_fixture("uniform.json", "philox")) {
        SCOPED_TRACE(known["name"]);
        EXPECT_EQ(philox4x32(words<4>(known["counter"]), words<2>(known["key"])), words<4>(known["output"]));
    }
}

TEST(Uniform, ReturnsTheGoldenNumbers) {
    for (const Json& known : test::read_fixture("uniform.json", "uniform")) {
        SCOPED_TRACE(known.dump());
        EXPECT_EQ(uniform(test::uint64(known["seed"]), test::uint64(known["step"]), test::uint64(known["stream"])),
                  known["u"].get<double>());
    }
}

TEST(Uniform, DrawsForTheTokenUnlessAnotherPurposeIsNamed) {
    EXPECT_EQ(uniform(1, 0), uniform(1, 0, stream::token));
    EXPECT_NE(uniform(1, 0), uniform(1, 0, stream::draft));
}

TEST(Uniform, IsAMultipleOfTwoToMinus53BelowOne) {
    for (std::uint64_t step = 0; step < 10000; ++step) {
        const double u = uniform(3, step);
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        ASSERT_EQ(std::floor(u * 0x1p53), u * 0x1p53);
    }
}

TEST(Uniform, SpreadsTheFirstDrawsOfSeeds1To1000Evenly) {
    std::vector<double> draws;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) draws.push_back(uniform(seed, 0));
    std::ranges::sort(draws);
    double distance = 0;  // of Kolmogorov and Smirnov
    for (std::size_t i = 0; i < draws.size(); ++i) {
        distance = std::max({distance, std::abs(draws[i] - static_cast<double>(i) / 1000),
                             std::abs(draws[i] - static_cast<double>(i + 1) / 1000)});
    }
    EXPECT_LT(distance, 1.63 / std::sqrt(1000.0));  // one in a hundred random thousands is farther
    EXPECT_LT(draws.front(), 0.01);
    EXPECT_GT(draws.back(), 0.99);
}

TEST(Uniform, SpreadsOverTheUnitIntervalAlongStepsAndStreams) {
    for (const bool along_steps : {true, false}) {
        std::vector<std::int64_t> counts(64);
        for (std::uint64_t i = 0; i < 64000; ++i) {
            const double u = along_steps ? uniform(9, i, 2) : uniform(9, 2, i);
            ++counts[static_cast<std::size_t>(u * 64)];
        }
        EXPECT_LT(test::chi_square(counts, std::vector<double>(64, 1.0 / 64)), 103.4);  // 63 degrees of freedom, 0.1 %
    }
}

}  // namespace
}  // namespace quillmate
