#include "exponential.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fixed_exponential.hpp"
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

using Batch = DoubleBatch;
using Lanes = std::array<double, Batch::size>;

// A step of the reduction, ln 2 / 64 or a 64th of that, in three parts: the multiples of 2^-42, of 2^-(42 + middle_bits), and
// of 2^-124.
struct StepParts {
    double high, middle, low;
};
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

// z = n ln2/64 + r + r_low with |r| <= ln 2 / 128 and rounding, for -745.2 <= z <= 0. z - n high is exact (both are multiples of
// 2^-60 or of ulp(z), and it is below 2^-7), n middle is exact, the sum of the two is kept as a pair; n low is below 2^-61 and
// off by 2^-106. So r + r_low is right to 2^-106.
struct Reduced {
    std::array<int, Batch::size> n;
    Batch r, r_low;
};
constexpr double steps_per_unit = 0x1.71547652b82fep+6;  // 64 / ln 2
constexpr double round_to_integer = 0x1.8p52;            // adding 1.5 * 2^52 does it
int integer_in(double shifted) noexcept { return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(shifted)); }

Reduced reduce(Batch z) noexcept {
    const Batch shifted = z * Batch(steps_per_unit) + Batch(round_to_integer);
    const Batch steps = shifted - Batch(round_to_integer);
    const Batch first = z - steps * Batch(step_parts.high);
    const Batch second = steps * Batch(step_parts.middle);
    const Batch r = first - second;
    Lanes integers;
    shifted.store_unaligned(integers.data());
    Reduced reduced{{}, r, ((first - r) - second) - steps * Batch(step_parts.low)};
    for (std::size_t i = 0; i < Batch::size; ++i) reduced.n[i] = integer_in(integers[i]);
    return reduced;
}

// e^r - 1 - r: the series to r^7 leaves r^8/8! < 2^-75; evaluated below 2^-15.9, off by 2^-67.5.
Batch exponential_tail(Batch r) noexcept {
    Batch tail(1.0 / 5040);
    for (const double term : {1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}) tail = tail * r + Batch(term);
    return r * r * tail;
}

const Power& power_for(int n) noexcept { return powers_of_2[static_cast<std::size_t>(n & (table_size - 1))]; }
int exponent_for(int n) noexcept { return n >> 6; }

// Numbers as sums of two.
struct Pairs {
    Batch high, low;
};

// e^z as value 2^exponent_for(n).
struct Expanded {
    Pairs value;
    std::array<int, Batch::size> n;
};

// e^z 2^-k, k = exponent_for(reduced.n). Error, with T = 2^(j/64) < 2 and e^r = 1 + r + tail: T.high r_high is exact (26 + 26
// bits) and added as a pair; T.low (52 bits below 2^-25) is off by 2^-77; everything else adds up below 2^-14.5 in four roundings
// of at most 2^-67.5 each. With the tail's own 2 * 2^-67.5 that is below 2^-64.9.
Pairs expand_reduced(const Reduced& reduced) noexcept {
    Lanes highs;
    Lanes lows;
    for (std::size_t i = 0; i < Batch::size; ++i) {
        highs[i] = power_for(reduced.n[i]).high;
        lows[i] = power_for(reduced.n[i]).low;
    }
    const Batch power_high = Batch::load_unaligned(highs.data());
    const Batch power_low = Batch::load_unaligned(lows.data());
    const auto& [n, r, r_low] = reduced;
    using Bits = xsimd::batch<std::uint64_t, Batch::arch_type>;
    const Batch r_high = xsimd::bitwise_cast<double>(xsimd::bitwise_cast<std::uint64_t>(r) & Bits(0xfffffffff8000000));
    const Batch exact = power_high * r_high;
    const Batch head = power_high + exact;
    const Batch head_low = exact - (head - power_high);
    const Batch rest = (power_high + power_low) * (exponential_tail(r) + (r_low + r_low * r));
    const Batch small = head_low + (power_low + (power_high * (r - r_high) + (power_low * r + rest)));
    const Batch high = head + small;
    return {high, small - (high - head)};
}

// ---- the same in nearly twice the precision: pairs with |low| <= 2^-51 |high| ---------------------------------------------

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

// As expand(), with e^z = 2^-k 2^(i/64) 2^(j/4096) e^r and |r| <= ln 2 / 8192 < 2^-13.5. r: z - n high is exact as in reduce(), n
// middle too, n low is below 2^-49 and off by 2^-101 (2^23 times what `low` lacks) and roundings of 2^-103. e^r - 1 = r + r^2/2 +
// cubic: the series to r^6 leaves r^7/7! < 2^-106; the cubic term, below 2^-43.1, is off by eight times 2^-53 of it, 2^-93.1 (four
// roundings in the last step of Horner's rule and the products, one for r^2 without its low part, three for r without it), the
// three sums that it takes part in by 2^-97 each. Together below 2^-92.7, and twice that for 2^(i/64) 2^(j/4096) < 2, which in
// pairs is off by 2^-102.
Expanded expand_in_pairs(Batch z) noexcept {
    Lanes shifted, steps, power_high, power_low, small_high, small_low;
    Expanded expanded;
    (z * Batch(steps_per_unit * table_size) + Batch(round_to_integer)).store_unaligned(shifted.data());
    for (std::size_t i = 0; i < Batch::size; ++i) {
        const int n = integer_in(shifted[i]);
        expanded.n[i] = n >> 6;
        const Power& power = power_for(n >> 6);
        const Power& small = small_powers_of_2[static_cast<std::size_t>(n & (table_size - 1))];
        steps[i] = shifted[i] - round_to_integer;
        power_high[i] = power.high + power.low;
        power_low[i] = (power.low - (power_high[i] - power.high)) + power.rest;
        small_high[i] = small.high + small.low;
        small_low[i] = (small.low - (small_high[i] - small.high)) + small.rest;
    }
    const Batch n = Batch::load_unaligned(steps.data());
    const Pairs upper = sum_of(z - n * Batch(small_step_parts.high), n * Batch(-small_step_parts.middle));
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
    expanded.value = sum_of_ordered(sum.high, sum.low + (power.low + more.low));
    return expanded;
}

Expansion first_of(const Expanded& expanded) noexcept {
    return {expanded.value.high.get(0), expanded.value.low.get(0), exponent_for(expanded.n[0])};
}

}  // namespace

Expansion expand(double z) noexcept {
    const Reduced reduced = reduce(Batch(z));
    return first_of({expand_reduced(reduced), reduced.n});
}

Expansion expand_further(double z) noexcept { return first_of(expand_in_pairs(Batch(z))); }

namespace {

// ---- rounding -------------------------------------------------------------------------------------------------------------

double normal_power_of_two(int exponent) noexcept {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The double nearest to all numbers that are no further than `error` from hi + lo, if there is one.
std::optional<double> rounded(const Expansion& e, double error) noexcept {
    if (e.exponent > -1022 || (e.exponent == -1022 && e.hi > 1)) {
        const double up = e.hi + (e.lo + error);
        const double down = e.hi + (e.lo - error);
        return up == down ? std::optional(up * normal_power_of_two(e.exponent)) : std::nullopt;
    }
    // A subnormal result is a multiple of 2^-1074.
    const auto value = round_to_grid(e.hi, e.lo, error, std::ldexp(1.0, -1022 - e.exponent));
    return value ? std::optional(std::ldexp(*value, e.exponent)) : std::nullopt;
}

// As exp_from_fixed_point(), remembered: such arguments are so few that a row of them repeats itself.
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

// The same for what the batches leave: where the result may be subnormal, and where nothing else decides.
double exp_of_rarest(double z) noexcept {
    const auto value = z < -0x1p-27 ? rounded(expand_further(z), further_expansion_error) : std::nullopt;
    return value ? *value : exp_of_hardest(z);
}

// Between these lie all numbers that are no further than `error` from the pairs.
struct Bounds {
    Batch up, down;
};
Bounds bounds_of(const Pairs& value, double error) noexcept {
    return {value.high + (value.low + Batch(error)), value.high + (value.low - Batch(error))};
}

// For -2^-27 < z < -2^-54, where e^z is 1 + z and very little more: odd multiples of 2^-54 come too near to midpoints for the
// expansions.
struct NearOne {
    Batch value;
    Batch::batch_bool_type is_rounded;
};
NearOne exp_near_one(Batch z) noexcept {
    const Batch nearest = Batch(1) + z;                                 // below 1, where doubles are 2^-53 apart
    const Batch lack = Batch(0x1p-54) - (z - (nearest - Batch(1)));     // to the midpoint above it; exact
    const Batch more = Batch(0.5) * z * z * (Batch(1) + z / Batch(3));  // e^z - 1 - z, below 2^-55, right to 2^-51 of itself
    return {xsimd::select(more < lack, nearest, nearest + Batch(0x1p-53)), xsimd::abs(lack - more) > Batch(0x1p-50) * more};
}

// Below these a weight may be subnormal, and e^z < 2^-1075, the midpoint above 0, as z < -1075 ln 2.
constexpr double least_normal = -700;
constexpr double zero_from = -0x1.74910d52d3052p+9;
Batch powers_of_two(const std::array<int, Batch::size>& n) noexcept {
    Lanes powers;
    for (std::size_t i = 0; i < Batch::size; ++i) powers[i] = normal_power_of_two(exponent_for(n[i]));
    return Batch::load_unaligned(powers.data());
}

// Calls visit(batch, the places of its numbers); zeros fill the last batch.
template <class Visit>
void for_batches(std::span<double> values, Visit visit) noexcept {
    for (std::size_t i = 0; i < values.size(); i += Batch::size) {
        const std::span<double> lanes = values.subspan(i, std::min(Batch::size, values.size() - i));
        Lanes padded{};
        if (lanes.size() < Batch::size) std::ranges::copy(lanes, padded.begin());
        visit(Batch::load_unaligned(lanes.size() < Batch::size ? padded.data() : lanes.data()), lanes);
    }
}

}  // namespace

void exp_rounded(std::span<double> values) noexcept {
    constexpr int most_skipped = 8;
    int skipped = 0;  // batches for which the first expansion is not tried: it would have rounded none of the last
    for_batches(values, [&](Batch z, std::span<double> lanes) {
        const auto is_one = z >= Batch(-0x1p-54);  // e^z > 1 - 2^-54, the midpoint below 1
        const auto is_near_one = z > Batch(-0x1p-27);
        const auto is_usual = (z >= Batch(least_normal)) & (z <= Batch(-0x1p-27));
        const Batch usual = xsimd::select(is_usual, z, Batch(-1));
        auto is_rounded = is_one | (z <= Batch(zero_from));
        Batch result = xsimd::select(is_one, Batch(1), Batch(0));
        const auto round = [&](const Expanded& expanded, double error) {
            const Bounds bounds = bounds_of(expanded.value, error);
            result = xsimd::select(is_rounded, result, bounds.up * powers_of_two(expanded.n));
            is_rounded = is_rounded | (is_usual & (bounds.up == bounds.down));
        };
        if (skipped > 0) {
            --skipped;
        } else if (xsimd::any(is_usual)) {
            const Reduced reduced = reduce(usual);
            round({expand_reduced(reduced), reduced.n}, expansion_error);
        }
        if (xsimd::any(is_usual & !is_rounded)) {
            const Expanded further = expand_in_pairs(usual);
            const Bounds first = bounds_of(further.value, expansion_error);
            if (xsimd::none(is_usual & (first.up == first.down))) skipped = most_skipped;
            round(further, further_expansion_error);
        }
        if (xsimd::any(is_near_one & !is_rounded)) {
            const NearOne near = exp_near_one(z);
            result = xsimd::select(is_rounded, result, near.value);
            is_rounded = is_rounded | (is_near_one & near.is_rounded);
        }
        if (xsimd::all(is_rounded) && lanes.size() == Batch::size) return result.store_unaligned(lanes.data());
        for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = is_rounded.get(i) ? result.get(i) : exp_of_rarest(z.get(i));
    });
}

// T rounded, r without r_low (2^-61), the tail, 1 + r + tail summed from the small end, one product: less than 3 * 2^-53 and the
// 2^-53 of exp_rounded itself.
void exp_approximate(std::span<double> values) noexcept {
    for_batches(values, [](Batch z, std::span<double> lanes) {
        const Reduced reduced = reduce(xsimd::select(z < Batch(least_normal), Batch(-1), z));
        Lanes powers;
        for (std::size_t i = 0; i < Batch::size; ++i) {
            const Power& power = power_for(reduced.n[i]);
            powers[i] = (power.high + power.low) * normal_power_of_two(exponent_for(reduced.n[i]));
        }
        const Batch t = Batch::load_unaligned(powers.data());
        const Batch value = xsimd::select(z <= Batch(zero_from), Batch(0), t + t * (reduced.r + exponential_tail(reduced.r)));
        const auto may_be_subnormal = (z < Batch(least_normal)) & (z > Batch(zero_from));
        if (lanes.size() == Batch::size && !xsimd::any(may_be_subnormal)) return value.store_unaligned(lanes.data());
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            lanes[i] = may_be_subnormal.get(i) ? exp_rounded(z.get(i)) : value.get(i);
        }
    });
}

}  // namespace quillmate::detail
