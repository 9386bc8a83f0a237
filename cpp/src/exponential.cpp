#include "exponential.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "fixed_point.hpp"
#include "subnormal_rounding.hpp"

// Plan: e^z = 2^-k 2^(j/64) e^r with |r| <= ln 2 / 128, as an unevaluated sum hi + lo of doubles whose relative error is
// below 2^-65 (the bound is derived at expand() below). If rounding is the same at both ends of that interval it is correct
// (Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", TOMS 1991); else 276 exact
// bits decide. By the tables of Lefevre and Muller ("Worst cases for correct rounding of the elementary functions in double
// precision", ARITH-15, 2001) no argument beyond 2^-54 needs more than 158.
// Needs binary64 arithmetic without contraction or extended precision: the build passes -ffp-contract=off.

namespace quillmate::detail {
namespace {

constexpr int table_size = 64;  // 2^6
constexpr FixedPoint ln2 = natural_log_of_2();

// ln 2 / 64 in three parts of 36, 36 and 53 bits: a part of 36 bits times an integer below 2^17 is exact.
struct StepParts {
    double high, middle, low;
};
constexpr StepParts step_parts = [] {
    FixedPoint step = ln2;
    step /= table_size;
    // ln 2 / 64 is in [2^-7, 2^-6): its first 36 bits end at 2^-42, the next 36 at 2^-78.
    const double high = step.take(42);
    const double middle = step.take(78);
    step *= 1u << 31;
    step *= 1u << 31;
    const double low = step.take(64) * 0x1p-62;
    return StepParts{high, middle, low};
}();

// 2^(j/64): 26 bits that multiply exactly by another 26, and the next 53.
struct Power {
    double high, low;
};
constexpr std::array<Power, table_size> powers = [] {
    FixedPoint step = ln2;
    step /= table_size;
    const FixedPoint ratio = exponential(step);
    std::array<Power, table_size> table{};
    FixedPoint power(1);
    for (Power& entry : table) {
        FixedPoint rest = power;
        entry.high = 1;
        rest -= FixedPoint(1);
        entry.high += rest.take(25);
        entry.low = rest.take(77);
        power = power * ratio;
    }
    return table;
}();

// z = n ln2/64 + r + r_low with |r| <= ln 2 / 128 and rounding, for -745.2 <= z <= 0. z - n high is exact (both are multiples of
// 2^-60 or of ulp(z), and it is below 2^-7), n middle is exact, the sum of the two is kept as a pair; n low is below 2^-61 and
// off by 2^-114. So r + r_low is right to 2^-113.
struct Reduced {
    int n;
    double r, r_low;
};
inline Reduced reduce(double z) noexcept {
    constexpr double steps_per_unit = 0x1.71547652b82fep+6;  // 64 / ln 2
    const double shifted = z * steps_per_unit + 0x1.8p52;    // adding 1.5 * 2^52 rounds to an integer
    const double steps = shifted - 0x1.8p52;
    const double first = z - steps * step_parts.high;
    const double second = steps * step_parts.middle;
    const double r = first - second;
    const int n = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(shifted));  // its low bits hold the integer
    return {n, r, ((first - r) - second) - steps * step_parts.low};
}

// e^r - 1 - r: the series to r^7 leaves r^8/8! < 2^-75; evaluated below 2^-15.9, off by 2^-67.5.
inline double exponential_tail(double r) noexcept {
    return r * r * (0.5 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040))))));
}

const Power& power_for(int n) noexcept { return powers[static_cast<std::size_t>(n & (table_size - 1))]; }
int exponent_for(int n) noexcept { return n >> 6; }

// e^z = 2^exponent (hi + lo) with hi in (0.99, 2) and |lo| <= ulp(hi) / 2.
struct Expansion {
    double hi, lo;
    int exponent;
};
constexpr double expansion_error = 0x1p-64;  // of hi + lo, whose value is at most 2

// Error, with T = 2^(j/64) < 2 and e^r = 1 + r + tail: T.high r_high is exact (26 + 26 bits) and added as a pair; T.low (52 bits
// below 2^-25) is off by 2^-77; everything else adds up below 2^-14.5 in four roundings of at most 2^-67.5 each. With the tail's
// own 2 * 2^-67.5 that is below 2^-64.9.
Expansion expand(double z) noexcept {
    const auto [n, r, r_low] = reduce(z);
    const Power& power = power_for(n);
    const double r_high = std::bit_cast<double>(std::bit_cast<std::uint64_t>(r) & 0xfffffffff8000000);
    const double t = power.high + power.low;
    const double exact = power.high * r_high;
    const double head = power.high + exact;
    const double head_low = exact - (head - power.high);
    const double rest = t * (exponential_tail(r) + (r_low + r_low * r));
    const double small = head_low + (power.low + (power.high * (r - r_high) + (power.low * r + rest)));
    const double hi = head + small;
    const double lo = small - (hi - head);
    return {hi, lo, exponent_for(n)};
}

// 2^exponent, for -1074 <= exponent <= 0.
double power_of_two(int exponent) noexcept {
    return exponent >= -1022 ? std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)
                             : std::bit_cast<double>(std::uint64_t{1} << (exponent + 1074));
}

// Decides what hi + lo could not. z in (-1075 ln 2, -2^-54].
double exp_from_fixed_point(double z) noexcept {
    const FixedPoint distance = FixedPoint::magnitude(z);
    auto k = static_cast<std::uint32_t>(-z * 0x1.71547652b82fep+0);  // |z| / ln 2, perhaps one too few
    FixedPoint multiple = ln2;
    multiple *= k;
    for (; multiple <= distance; ++k) multiple += ln2;
    multiple -= distance;
    const FixedPoint value = exponential(multiple);  // e^z = value 2^-k, value in (1, 2]

    const int kept = k <= 1022 ? 52 : 1074 - static_cast<int>(k);  // fraction bits of the result
    if (kept < 0) return 0x1p-1074;  // value 2^-1075 with value > 1 is above half of the smallest double
    const std::uint64_t fraction = value.fraction();
    std::uint64_t mantissa = (std::uint64_t{value.whole()} << kept) + (kept == 0 ? 0 : fraction >> (64 - kept));
    mantissa += fraction >> (63 - kept) & 1;  // to nearest; a tie is impossible, e^z is irrational
    return static_cast<double>(mantissa) * power_of_two(-static_cast<int>(k) - kept);
}

}  // namespace

double exp_rounded(double z) noexcept {
    if (z >= -0x1p-54) return 1;                 // e^z > 1 - 2^-54, the midpoint below 1
    if (!(z > -0x1.74910d52d3052p+9)) return 0;  // below 2^-1075, the midpoint above 0: z < -1075 ln 2
    const Expansion e = expand(z);
    if (e.exponent > -1022 || (e.exponent == -1022 && e.hi > 1)) {
        const double up = e.hi + (e.lo + expansion_error);
        const double down = e.hi + (e.lo - expansion_error);
        if (up == down) return up * power_of_two(e.exponent);
        return exp_from_fixed_point(z);
    }
    // A subnormal result is a multiple of 2^-1074.
    const auto rounded = round_to_grid(e.hi, e.lo, expansion_error, std::ldexp(1.0, -1022 - e.exponent));
    return rounded ? std::ldexp(*rounded, e.exponent) : exp_from_fixed_point(z);
}

// T rounded, r without r_low (2^-61), the tail, 1 + r + tail summed from the small end, one product: less than 3 * 2^-53 and the
// 2^-53 of exp_rounded itself.
double exp_approximate(double z) noexcept {
    if (!(z >= -745.2)) return 0;
    const auto [n, r, r_low] = reduce(z);
    const Power& power = power_for(n);
    const double t = power.high + power.low;
    const double value = t + t * (r + exponential_tail(r));
    const int exponent = exponent_for(n);
    return exponent > -1022 ? value * power_of_two(exponent) : std::ldexp(value, exponent);
}

}  // namespace quillmate::detail
