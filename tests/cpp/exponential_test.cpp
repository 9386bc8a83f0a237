#include "exponential.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
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

TEST(ExpApproximate, KeepsItsPublishedErrorBound) {
    const auto check = [](double z) {
        const double w = exp_rounded(z);
        ASSERT_LE(std::abs(exp_approximate(z) - w), 0x1p-50 * w + 0x1p-1074) << std::hexfloat << z;
    };
    for_many_arguments(20000, check);
    for (const Json& group : test::read_fixture("exponential.json", "cases")) {
        for (const Json& value : group["values"]) check(test::number(value[0]));
    }
}

}  // namespace
}  // namespace quillmate::detail
