#include "row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace quillmate::detail {
namespace {

// What the bits of a 16-bit float stand for, as the formats are defined.
double value_of(std::uint32_t bits, int fraction_bits, int bias) {
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    const auto exponent = static_cast<int>((bits & 0x7fff) >> fraction_bits);
    const double fraction = std::ldexp(bits & ((1U << fraction_bits) - 1), -fraction_bits);
    if (exponent == 2 * bias + 1) {
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

void expect_same(double widened, double value) {
    if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(widened));
    } else {
        EXPECT_EQ(widened, value);
        EXPECT_EQ(std::signbit(widened), std::signbit(value));
    }
}

TEST(Widen, TakesEveryPatternOf16BitsForWhatItStandsFor) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        SCOPED_TRACE(bits);
        expect_same(widen(float16{static_cast<std::uint16_t>(bits)}), value_of(bits, 10, 15));
        expect_same(widen(bfloat16{static_cast<std::uint16_t>(bits)}), value_of(bits, 7, 127));
    }
}

}  // namespace
}  // namespace quillmate::detail
