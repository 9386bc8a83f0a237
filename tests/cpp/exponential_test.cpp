#include "exponential.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "fixtures.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate::detail {
namespace {

using test::Json;

// 300 bits: the midpoint of two doubles is exact in it, and its exponential is far closer to e^z than e^z is to a midpoint.
using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<300, boost::multiprecision::digit_base_2, void, std::int32_t, -8000, 8000>>;

Wide midpoint(double a, double b) { return (Wide(a) + Wide(b)) / 2; }

testing::AssertionResult is_nearest_to_exponential(double w, double z) {
    const Wide exact = exp(Wide(z));
    const double above = std::nextafter(w, 2.0);
    if (exact < midpoint(w, above) && (w == 0 || exact > midpoint(std::nextafter(w, 0.0), w)))
        return testing::AssertionSuccess();
    return testing::AssertionFailure() << std::hexfloat << w << " is not the double nearest e^" << z;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// Arguments of every size that matters, from fixed random numbers.
template <class Visit>
void for_many_arguments(std::uint64_t count, Visit visit) {
    for (std::uint64_t i = 0; i < count; ++i) {
        visit(-uniform(1, i));
        visit(-40 * uniform(2, i));
        visit(-745.2 * uniform(3, i));
        visit(-708 - 37.2 * uniform(4, i));                                            // subnormal results
        visit(static_cast<double>(static_cast<float>(-30 * uniform(5, i))));           // float32 logits
        visit(-std::ldexp(1 + uniform(6, i), -static_cast<int>(60 * uniform(7, i))));  // every binade down to 2^-60
    }
}

TEST(ExpRounded, ReturnsTheGoldenBits) {
    for (const Json& group : test::read_fixture("exponential.json", "cases")) {
        SCOPED_TRACE(group["name"]);
        for (const Json& value : group["values"]) {
            const double z = test::number(value[0]);
            EXPECT_EQ(bits(exp_rounded(z)), std::stoull(value[1].get<std::string>(), nullptr, 16)) << std::hexfloat << z;
        }
    }
}

TEST(ExpRounded, IsTheDoubleNearestToMultiprecisionExponentials) {
    for_many_arguments(1000, [](double z) { ASSERT_TRUE(is_nearest_to_exponential(exp_rounded(z), z)); });
}

TEST(ExpRounded, IsTheDoubleNearestForTheHardestArguments) {
    for (const Json& group : test::read_fixture("exponential.json", "cases")) {
        for (const Json& value : group["values"]) {
            const double z = test::number(value[0]);
            if (!std::isfinite(z) || z < -1e6) continue;
            EXPECT_TRUE(is_nearest_to_exponential(exp_rounded(z), z));
        }
    }
}

TEST(ExpRounded, NeverFallsAsTheArgumentRises) {
    for_many_arguments(1000, [](double z) { ASSERT_LE(exp_rounded(z), exp_rounded(std::nextafter(z, 0.0))) << z; });
}

// |hi + lo - e^z 2^-exponent|, rounded.
double error_of(const Expansion& expansion, double z) {
    const Wide exact = ldexp(exp(Wide(z)), -expansion.exponent);
    return static_cast<double>(abs(Wide(expansion.hi) + Wide(expansion.lo) - exact));
}

TEST(Expansions, KeepTheirPublishedErrorBounds) {
    double worst = 0;
    double worst_further = 0;
    const auto check = [&](double z) {
        const Expansion first = expand(z);
        const Expansion further = expand_further(z);
        ASSERT_GT(further.hi, 0.99) << std::hexfloat << z;
        ASSERT_LE(further.hi, 2) << std::hexfloat << z;
        ASSERT_LE(std::abs(further.lo), std::ldexp(further.hi, -52)) << std::hexfloat << z;
        worst = std::max(worst, error_of(first, z));
        worst_further = std::max(worst_further, error_of(further, z));
    };
    for_many_arguments(2000, check);
    for (const Json& group : test::read_fixture("exponential.json", "cases")) {
        for (const Json& value : group["values"]) {
            if (const double z = test::number(value[0]); z >= -745.2) check(z);
        }
    }
    EXPECT_LE(worst, expansion_error);
    EXPECT_LE(worst_further, further_expansion_error);
    // The bounds are not idle.
    EXPECT_GE(worst, expansion_error / 16);
    EXPECT_GE(worst_further, further_expansion_error / 64);
}

// More of the hardest than exp_rounded remembers, in an order that repeats none soon, and among them each kind of argument.
TEST(ExpRounded, GivesInAnyCompanyWhatItGivesAlone) {
    std::vector<double> arguments;
    for_many_arguments(100, [&](double z) { arguments.push_back(z); });
    for (int i = 0; i < 500; ++i) arguments.push_back(-(2 * i + 1) * 0x1p-54);
    for (const Json& group : test::read_fixture("exponential.json", "cases")) {
        for (const Json& value : group["values"]) arguments.push_back(test::number(value[0]));
    }
    const std::size_t size = arguments.size();
    for (const std::size_t stride : {1UL, 7UL, 41UL}) {
        std::vector<double> values(size);
        for (std::size_t i = 0; i < size; ++i) values[i] = arguments[i * stride % size];
        exp_rounded(values);
        for (std::size_t i = 0; i < size; ++i) {
            const double z = arguments[i * stride % size];
            ASSERT_EQ(bits(values[i]), bits(exp_rounded(z))) << std::hexfloat << z;
        }
    }
}

TEST(ExpApproximate, KeepsItsPublishedErrorBound) {
    const auto check = [](double z) {
        const double w = exp_rounded(z);
        double approximate = z;
        exp_approximate(std::span(&approximate, 1));
        ASSERT_LE(std::abs(approximate - w), 0x1p-50 * w + 0x1p-1074) << std::hexfloat << z;
    };
    for_many_arguments(20000, check);
    for (const Json& group : test::read_fixture("exponential.json", "cases")) {
        for (const Json& value : group["values"]) check(test::number(value[0]));
    }
}

}  // namespace
}  // namespace quillmate::detail
