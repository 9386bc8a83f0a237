#include "exponential.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fixed_point.hpp"
#include "simd.hpp"
#include "subnormal_rounding.hpp"

// Plan: e^z = 2^-k 2^(j/64) e^r with |r| <= ln 2 / 128, as an unevaluated sum hi + lo of doubles whose relative error is
// below 2^-64 (the bound is derived at expand() below). If rounding is the same at both ends of that interval it is correct
// (Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", TOMS 1991); else, once in a
// thousand arguments, the same is done with an error below 2^-91 (expand_further()), and at last 276 exact bits decide. By the
// tables of Lefevre and Muller ("Worst cases for correct rounding of the elementary functions in double precision", ARITH-15,
// 2001) no argument beyond 2^-54 needs more than 158. All three are made for rows of the hardest arguments only.
// Needs binary64 arithmetic without contraction or extended precision: the build passes -ffp-contract=off.

namespace quillmate::detail {
namespace {

constexpr int table_size = 64;  // 2^6
constexpr FixedPoint ln2 = natural_log_of_2();

// A step of the reduction, ln 2 / 64 or a 64th of that, in three parts: the multiples of 2^-42, of 2^-(42 + middle_bits), and
// of 2^-124.
struct StepParts {
    double high, middle, low;
};
constexpr FixedPoint step = ln2 / table_size;
constexpr FixedPoint small_step = step / table_size;
constexpr StepParts parts_of(FixedPoint step, int middle_bits) {
    const double high = step.take(42);
    const double middle = step.take(42 + middle_bits);
    step *= 1u << 31;
    step *= 1u << 31;
    const double low = step.take(62) * 0x1p-62;
    return {high, middle, low};
}
// ln 2 / 64 is in [2^-7, 2^-6): the first two parts have 36 bits, and each times an integer below 2^17 is exact.
constexpr StepParts step_parts = parts_of(step, 36);

// The powers of e^step: 26 bits that multiply exactly by another 26, the next 53, and what then is left.
struct Power {
    double high, low, rest;
};
constexpr std::array<Power, table_size> powers_of(const FixedPoint& step) {
    const FixedPoint ratio = exponential(step);
    std::array<Power, table_size> table{};
    FixedPoint power(1);
    for (Power& entry : table) {
        FixedPoint rest = power;
        entry.high = 1;
        rest -= FixedPoint(1);
        entry.high += rest.take(25);
        entry.low = rest.take(77);
        rest *= 1u << 31;
        rest *= 1u << 31;
        entry.rest = rest.take(64) * 0x1p-62;
        power = power * ratio;
    }
    return table;
}
constexpr std::array powers = powers_of(step);  // 2^(j/64)

// z = n ln2/64 + r + r_low with |r| <= ln 2 / 128 and rounding, for -745.2 <= z <= 0. z - n high is exact (both are multiples of
// 2^-60 or of ulp(z), and it is below 2^-7), n middle is exact, the sum of the two is kept as a pair; n low is below 2^-61 and
// off by 2^-106. So r + r_low is right to 2^-106.
struct Reduced {
    int n;
    double r, r_low;
};
constexpr double steps_per_unit = 0x1.71547652b82fep+6;  // 64 / ln 2
constexpr double round_to_integer = 0x1.8p52;            // adding 1.5 * 2^52 does it
inline int integer_in(double shifted) noexcept { return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(shifted)); }

inline Reduced reduce(double z) noexcept {
    const double shifted = z * steps_per_unit + round_to_integer;
    const double steps = shifted - round_to_integer;
    const double first = z - steps * step_parts.high;
    const double second = steps * step_parts.middle;
    const double r = first - second;
    return {integer_in(shifted), r, ((first - r) - second) - steps * step_parts.low};
}

// e^r - 1 - r: the series to r^7 leaves r^8/8! < 2^-75; evaluated below 2^-15.9, off by 2^-67.5.
template <class Real>
Real exponential_tail(Real r) noexcept {
    Real tail(1.0 / 5040);
    for (const double term : {1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}) tail = tail * r + Real(term);
    return r * r * tail;
}

inline const Power& power_for(int n) noexcept { return powers[static_cast<std::size_t>(n & (table_size - 1))]; }
inline int exponent_for(int n) noexcept { return n >> 6; }

}  // namespace

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

namespace {

// ---- the same in nearly twice the precision, for several arguments at once ------------------------------------------------

using Batch = DoubleBatch;

// Numbers as sums of two, |low| <= 2^-51 |high|.
struct Pairs {
    Batch high, low;
};

// a + b exactly, for |a| >= |b| (Dekker, "A floating-point technique for extending the available precision", 1971, as are the
// products).
Pairs sum_of_ordered(Batch a, Batch b) noexcept {
    const Batch high = a + b;
    return {high, b - (high - a)};
}

// a + b exactly (Knuth, "The Art of Computer Programming", volume 2, 4.2.2).
Pairs sum_of(Batch a, Batch b) noexcept {
    const Batch high = a + b;
    const Batch b_part = high - a;
    return {high, (a - (high - b_part)) + (b - b_part)};
}

// a b exactly: the halves have 26 bits.
Pairs product_of(Batch a, Batch b) noexcept {
    const Batch splitter(0x1p27 + 1);
    const Batch a_high = splitter * a - (splitter * a - a);
    const Batch b_high = splitter * b - (splitter * b - b);
    const Batch a_low = a - a_high;
    const Batch b_low = b - b_high;
    const Batch high = a * b;
    return {high, a_low * b_low - (((high - a_high * b_high) - a_low * b_high) - a_high * b_low)};
}

// Off by less than 2^-103 of the product: four roundings of at most 2^-105 and the product of the low parts.
Pairs product_of(Pairs a, Pairs b) noexcept {
    const Pairs exact = product_of(a.high, b.high);
    return {exact.high, exact.low + (a.high * b.low + a.low * b.high)};
}

// ln 2 / 4096 is in [2^-13, 2^-12): the first two parts have 30 bits, and each times an integer below 2^23 is exact.
constexpr StepParts small_step_parts = parts_of(small_step, 30);
constexpr std::array small_powers = powers_of(small_step);  // 2^(j/4096)

// As expand(), with e^z = 2^-k 2^(i/64) 2^(j/4096) e^r and |r| <= ln 2 / 8192 < 2^-13.5. r: z - n high is exact as in reduce(), n
// middle too, n low is below 2^-49 and off by 2^-101 (2^23 times what `low` lacks) and roundings of 2^-103. e^r - 1 = r + r^2/2 +
// cubic: the series to r^6 leaves r^7/7! < 2^-106; the cubic term, below 2^-43.1, is off by eight times 2^-53 of it, 2^-93.1 (four
// roundings in the last step of Horner's rule and the products, one for r^2 without its low part, three for r without it), the
// three sums that it takes part in by 2^-97 each. Together below 2^-92.7, and twice that for 2^(i/64) 2^(j/4096) < 2, which in
// pairs is off by 2^-102.
void expand_batch(std::span<const double> z, std::span<Expansion> expansions) noexcept {
    std::array<double, Batch::size> arguments{}, steps{}, power_high{}, power_low{}, small_high{}, small_low{};
    for (std::size_t i = 0; i < z.size(); ++i) {
        const double shifted = z[i] * (steps_per_unit * table_size) + round_to_integer;
        const int n = integer_in(shifted);
        const Power& power = power_for(n >> 6);
        const Power& small = small_powers[static_cast<std::size_t>(n & (table_size - 1))];
        arguments[i] = z[i];
        steps[i] = shifted - round_to_integer;
        power_high[i] = power.high + power.low;
        power_low[i] = (power.low - (power_high[i] - power.high)) + power.rest;
        small_high[i] = small.high + small.low;
        small_low[i] = (small.low - (small_high[i] - small.high)) + small.rest;
        expansions[i].exponent = exponent_for(n >> 6);
    }
    const Batch n = Batch::load_unaligned(steps.data());
    const Pairs upper =
        sum_of(Batch::load_unaligned(arguments.data()) - n * Batch(small_step_parts.high), n * Batch(-small_step_parts.middle));
    const Pairs r = sum_of(upper.high, upper.low - n * Batch(small_step_parts.low));

    const Pairs square = product_of(r.high, r.high);
    Batch cubic(1.0 / 720);
    for (const double term : {1.0 / 120, 1.0 / 24, 1.0 / 6}) cubic = cubic * r.high + Batch(term);
    cubic *= r.high * square.high;
    const Batch half(0.5);
    const Pairs head = sum_of_ordered(r.high, half * square.high);
    const Pairs change =
        sum_of_ordered(head.high, head.low + (r.low + ((half * square.low + r.high * r.low) + cubic)));  // e^r - 1

    const Pairs power = product_of(Pairs{Batch::load_unaligned(power_high.data()), Batch::load_unaligned(power_low.data())},
                                   Pairs{Batch::load_unaligned(small_high.data()), Batch::load_unaligned(small_low.data())});
    const Pairs more = product_of(power, change);
    const Pairs sum = sum_of_ordered(power.high, more.high);
    const Pairs value = sum_of_ordered(sum.high, sum.low + (power.low + more.low));
    for (std::size_t i = 0; i < z.size(); ++i) {
        expansions[i].hi = value.high.get(i);
        expansions[i].lo = value.low.get(i);
    }
}

}  // namespace

void expand_further(std::span<const double> z, std::span<Expansion> expansions) noexcept {
    for (std::size_t i = 0; i < z.size(); i += Batch::size) {
        expand_batch(z.subspan(i, std::min(Batch::size, z.size() - i)), expansions.subspan(i));
    }
}

namespace {

// ---- rounding -------------------------------------------------------------------------------------------------------------

// 2^exponent, for -1074 <= exponent <= 0.
double power_of_two(int exponent) noexcept {
    return exponent >= -1022 ? std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)
                             : std::bit_cast<double>(std::uint64_t{1} << (exponent + 1074));
}

// The double nearest to all numbers that are no further than `error` from hi + lo, if there is one.
std::optional<double> rounded(const Expansion& e, double error) noexcept {
    if (e.exponent > -1022 || (e.exponent == -1022 && e.hi > 1)) {
        const double up = e.hi + (e.lo + error);
        const double down = e.hi + (e.lo - error);
        return up == down ? std::optional(up * power_of_two(e.exponent)) : std::nullopt;
    }
    // A subnormal result is a multiple of 2^-1074.
    const auto value = round_to_grid(e.hi, e.lo, error, std::ldexp(1.0, -1022 - e.exponent));
    return value ? std::optional(std::ldexp(*value, e.exponent)) : std::nullopt;
}

// For -2^-27 < z < -2^-54, where e^z is 1 + z and very little more: odd multiples of 2^-54 come too near to midpoints for the
// expansions. Nothing where this cannot tell either.
std::optional<double> exp_near_one(double z) noexcept {
    const double nearest = 1 + z;                       // below 1, where doubles are 2^-53 apart
    const double lack = 0x1p-54 - (z - (nearest - 1));  // to the midpoint above it; exact
    const double more = 0.5 * z * z * (1 + z / 3);      // e^z - 1 - z, below 2^-55, right to 2^-51 of itself
    if (std::abs(lack - more) <= 0x1p-50 * more) return std::nullopt;
    return more < lack ? nearest : nearest + 0x1p-53;
}

// For z in (-1075 ln 2, -2^-54].
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

// The same, remembered: such arguments are so few that a row of them repeats itself.
double exp_of_hardest(double z) noexcept {
    struct Known {
        double z, value;
    };
    static thread_local std::array<Known, 256> table{};  // e^0 is never asked for
    const std::uint64_t hash = std::bit_cast<std::uint64_t>(z) * 0x9e3779b97f4a7c15;
    Known& known = table[hash >> 56];
    if (known.z != z) known = {z, exp_from_fixed_point(z)};
    return known.value;
}

}  // namespace

void exp_rounded(std::span<double> values) noexcept {
    // Those that the first expansion cannot round, together.
    constexpr std::size_t room = 16;
    std::array<double, room> arguments;
    std::array<double*, room> places;
    std::array<Expansion, room> expansions;
    std::size_t waiting = 0;
    const auto go_further = [&] {
        expand_further(std::span(arguments).first(waiting), expansions);
        for (std::size_t i = 0; i < waiting; ++i) {
            const auto value = rounded(expansions[i], further_expansion_error);
            *places[i] = value ? *value : exp_of_hardest(arguments[i]);
        }
        waiting = 0;
    };
    for (double& value : values) {
        const double z = value;
        if (z >= -0x1p-54) {
            value = 1;  // e^z > 1 - 2^-54, the midpoint below 1
        } else if (!(z > -0x1.74910d52d3052p+9)) {
            value = 0;  // below 2^-1075, the midpoint above 0: z < -1075 ln 2
        } else if (z > -0x1p-27) {
            const auto near = exp_near_one(z);
            value = near ? *near : exp_of_hardest(z);
        } else if (const auto first = rounded(expand(z), expansion_error)) {
            value = *first;
        } else {
            arguments[waiting] = z;
            places[waiting] = &value;
            if (++waiting == room) go_further();
        }
    }
    go_further();
}

// T rounded, r without r_low (2^-61), the tail, 1 + r + tail summed from the small end, one product: less than 3 * 2^-53 and the
// 2^-53 of exp_rounded itself.
double exp_approximate(double z) noexcept {
    if (!(z >= -745.2)) return 0;
    const auto [n, r, r_low] = reduce(z);
    const Power& power = power_for(n);
    const double t = power.high + power.low;
    return std::ldexp(t + t * (r + exponential_tail(r)), exponent_for(n));
}

void exp_approximate(std::span<double> values) noexcept {
    const auto one_by_one = [](std::span<double> some) {
        for (double& value : some) value = exp_approximate(value);
    };
    std::size_t i = 0;
    for (; i + Batch::size <= values.size(); i += Batch::size) {
        const Batch z = Batch::load_unaligned(&values[i]);
        if (xsimd::any(z < Batch(-700))) {  // may be subnormal
            one_by_one(values.subspan(i, Batch::size));
            continue;
        }
        // As in reduce().
        const Batch shifted = z * Batch(steps_per_unit) + Batch(round_to_integer);
        const Batch steps = shifted - Batch(round_to_integer);
        const Batch r = (z - steps * Batch(step_parts.high)) - steps * Batch(step_parts.middle);
        std::array<double, Batch::size> powers_of_z;
        shifted.store_unaligned(powers_of_z.data());
        for (double& power : powers_of_z) {
            const int n = integer_in(power);
            power = (power_for(n).high + power_for(n).low) * power_of_two(exponent_for(n));
        }
        const Batch t = Batch::load_unaligned(powers_of_z.data());
        (t + t * (r + exponential_tail(r))).store_unaligned(&values[i]);
    }
    one_by_one(values.subspan(i));
}

}  // namespace quillmate::detail
