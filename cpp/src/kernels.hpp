#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "simd.hpp"

// The loops over a row of float logits, for any xsimd batch type: they read the row in blocks of 16 batches and never see its
// end (the caller pads the last block with minus infinity). What they compute differs between batch types by rounding alone;
// every result carries a bound, named below, and decisions are made on the bounds.

namespace quillmate::detail {

inline constexpr std::size_t batches_per_block = 16;

// 2^y by putting y's binary digits where a float has its exponent and fraction: the fraction then stands for 2^f - 1 instead of
// f. 1 <= (1 + f) / 2^f <= 1.06148 (the maximum is at f = 1 / ln 2 - 1). y is kept to 13 binary digits (off by 2^-14, a factor of
// 1.00005) after three roundings whose error is bounded by argument_error * 126 < 2^-15 (a factor of 1.00003). Hence, for
// -126 <= y <= 0, coarse / coarse_over <= 2^y <= coarse * coarse_under.
inline constexpr float coarse_over = 1.0616F;
inline constexpr float coarse_under = 1.0001F;

// The mean of that and of 2^(y + 1/2) / sqrt(2) found in the same way: where one is far too large the other is not. The ratio of
// the mean to 2^y has a period of 1/2 in y and lies between 1.03033 (at f = 0) and 1.04590 (at f = 0.236). With the factors above
// and 2^-22 for 1 / sqrt(2), the product with it and the sum, mean / mean_over <= 2^y <= mean * mean_under.
inline constexpr float mean_over = 1.0461F;
inline constexpr float mean_under = 1 / 1.0302F;

// y = (x - m) c: the subtraction, the product and c itself are each off by 2^-24 of the result, and so may x - m be when it was
// narrowed from binary64. The binary64 scaled logit differs from the real quotient by 2^-52 of itself, which the rest covers.
inline constexpr float argument_error = 4.01F * 0x1p-24F;  // of |y|

// 2^f for |f| <= 1/2 by a polynomial of degree 5: its own error is 2^-23.6 (minimax, Remez), the rounded coefficients and five
// steps of Horner's rule add less than 2^-22.2 (each rounding after the first is scaled by |f| <= 1/2). f = y - n is exact.
inline constexpr float exp2_error = 0x1p-21F;

// Below 2^-126 all three kernels return 2^-126: weights too small for a float are over-estimated by at most that much.
inline constexpr float smallest_exponent = -126;

template <class Architecture>
inline constexpr bool is_emulated = false;
template <std::size_t Bits>
inline constexpr bool is_emulated<xsimd::emulated<Bits>> = true;

template <class Batch>
struct Kernels {
    static constexpr std::size_t lanes = Batch::size;
    static constexpr std::size_t block_size = batches_per_block * lanes;  // a multiple of 64 from four lanes on
    static_assert(block_size % 64 == 0);

    using Integers = xsimd::batch<std::int32_t, typename Batch::arch_type>;

    static Batch larger(Batch a, Batch b) { return xsimd::select(a < b, b, a); }  // a where b is NaN; max pays for NaN rules

    // What numbers are compared as, in the loop over all of a row. Where there are no vectors, as integers: engines make a branch of
    // the larger of two floats, which logits mispredict every other time, and none of the larger of two integers.
    static constexpr bool emulated = is_emulated<typename Batch::arch_type>;
    using InOrder = std::conditional_t<emulated, Integers, Batch>;

    static InOrder in_order(Batch x) {
        if constexpr (emulated)
            return flipped_below_0(xsimd::bitwise_cast<std::int32_t>(x));
        else
            return x;
    }

    static Batch from_order(InOrder x) {
        if constexpr (emulated)
            return xsimd::bitwise_cast<float>(flipped_below_0(x));
        else
            return x;
    }

    // The bits of floats in the order of their values, and back: a sign and a distance from 0 against two's complement.
    static Integers flipped_below_0(Integers bits) { return bits ^ ((bits >> 31) & Integers(0x7fffffff)); }

    static Integers larger(Integers a, Integers b) { return xsimd::max(a, b); }

    // The maximum of each lane of the block; adds products of its logits, four by four, to `sum`, which stays finite only when none
    // is NaN or infinite. Products, as sums of the logits themselves would keep those units busy that compare; and four batches at a
    // time, as a block's 16 would not stay in the registers of an engine that unrolls.
    static Batch scan(const float* block, Batch& sum) {
        InOrder maximum = in_order(Batch(-std::numeric_limits<float>::infinity()));
        Batch block_sum(0);
#pragma GCC unroll 1
        for (std::size_t i = 0; i < block_size; i += 4 * lanes) {
            const Batch a = Batch::load_unaligned(block + i);
            const Batch b = Batch::load_unaligned(block + i + lanes);
            const Batch c = Batch::load_unaligned(block + i + 2 * lanes);
            const Batch d = Batch::load_unaligned(block + i + 3 * lanes);
            maximum = larger(maximum, larger(larger(in_order(a), in_order(b)), larger(in_order(c), in_order(d))));
            block_sum += (a * b) * (c * d);
        }
        sum += block_sum;
        return from_order(maximum);
    }

    // Whether all logits of the block are finite or minus infinity.
    static bool can_be_sampled(const float* block) {
        auto all = Batch::load_unaligned(block) < Batch(std::numeric_limits<float>::infinity());
        for (std::size_t i = lanes; i < block_size; i += lanes) {
            all = all & (Batch::load_unaligned(block + i) < Batch(std::numeric_limits<float>::infinity()));
        }
        return xsimd::all(all);
    }

    // How many powers of two each weight of at most 1 lies below 1, or `most` if those are fewer.
    static Integers octaves_below_1(Batch weights, std::int32_t most) {
        const Integers below = Integers(127) - (xsimd::bitwise_cast<std::int32_t>(weights) >> 23);
        return xsimd::min(below, Integers(most));
    }

    // The sums of the lanes of as many batches as a batch has lanes, in their order.
    static Batch sums_of_lanes(const std::array<Batch, lanes>& batches) {
        if constexpr (lanes <= 8) {
            return xsimd::haddp(batches.data());
        } else {  // where xsimd 13.2 returns them in another order
            std::array<float, lanes> sums;
            for (std::size_t i = 0; i < lanes; ++i) sums[i] = xsimd::reduce_add(batches[i]);
            return Batch::load_unaligned(sums.data());
        }
    }

    // y = max((x - m) c, -126)
    static Batch exponent(Batch x, Batch m, Batch c) { return larger(Batch(smallest_exponent), (x - m) * c); }

    // 2^(y + shift)
    static Batch coarse_exp2(Batch y, float shift = 0) {
        // Adding 1.5 * 2^10 leaves 13 binary digits after the point at the low end of the fraction.
        const Batch shifted = y + Batch(0x1.8p10F + 127 + shift);
        return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(shifted) << 10);
    }

    static Batch exp2(Batch y) {
        const Batch shifted = y + Batch(0x1.8p23F + 127);  // the nearest whole number n, biased, at the low end
        const Batch f = y - (shifted - Batch(0x1.8p23F + 127));
        Batch p = Batch(0x1.5c0904p-10F);
        p = p * f + Batch(0x1.3d0c52p-7F);
        p = p * f + Batch(0x1.c6b6e4p-5F);
        p = p * f + Batch(0x1.ebf918p-3F);
        p = p * f + Batch(0x1.62e428p-1F);
        p = p * f + Batch(1);
        return p * xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(shifted) << 23);
    }

    // The sum, lane by lane, of the means of coarse_exp2(y) and coarse_exp2(y, 1/2) / sqrt(2) over the block's logits.
    static Batch sum_of_means(const float* block, Batch m, Batch c) {
        Batch sum(0);
        Batch half_an_octave_up(0);
        for (std::size_t i = 0; i < block_size; i += lanes) {
            const Batch y = exponent(Batch::load_unaligned(block + i), m, c);
            sum += coarse_exp2(y);
            half_an_octave_up += coarse_exp2(y, 0.5F);
        }
        return Batch(0.5F) * sum + Batch(0.5F * 0.70710678F) * half_an_octave_up;
    }

    // The sum, lane by lane, of exp2(y), each of which it writes to `weights`.
    static Batch weigh(const float* block, Batch m, Batch c, float* weights) {
        Batch sum(0);
        for (std::size_t i = 0; i < block_size; i += lanes) {
            const Batch weight = exp2(exponent(Batch::load_unaligned(block + i), m, c));
            weight.store_unaligned(weights + i);
            sum += weight;
        }
        return sum;
    }

    // For each threshold the sum, lane by lane, of the weights of the block's logits below it.
    template <std::size_t count>
    static std::array<Batch, count> sums_below(const float* block, const float* weights,
                                               const std::array<Batch, count>& thresholds) {
        std::array<Batch, count> sums;
        sums.fill(Batch(0));
        for (std::size_t i = 0; i < block_size; i += lanes) {
            const Batch x = Batch::load_unaligned(block + i);
            const Batch weight = Batch::load_unaligned(weights + i);
            for (std::size_t t = 0; t < count; ++t) sums[t] += xsimd::select(x < thresholds[t], weight, Batch(0));
        }
        return sums;
    }

    // The sum, lane by lane, of the weights of the block's logits from the threshold up.
    static Batch sum_from(const float* block, const float* weights, Batch threshold) {
        Batch sum(0);
        for (std::size_t i = 0; i < block_size; i += lanes) {
            const Batch weight = Batch::load_unaligned(weights + i);
            sum += xsimd::select(Batch::load_unaligned(block + i) < threshold, Batch(0), weight);
        }
        return sum;
    }

    // Bit i of the result: whether low <= block[i] < high, for 64 logits.
    static std::uint64_t band_mask(const float* block, float low, float high) {
        const auto mask_where = [&](auto is_inside) {
            std::uint64_t mask = 0;
            for (std::size_t i = 0; i < 64; i += lanes) {
                mask |= static_cast<std::uint64_t>(is_inside(Batch::load_unaligned(block + i)).mask()) << i;
            }
            return mask;
        };
        if (high == std::numeric_limits<float>::infinity()) return mask_where([&](Batch x) { return x >= Batch(low); });
        return mask_where([&](Batch x) { return (x >= Batch(low)) & (x < Batch(high)); });
    }
};

}  // namespace quillmate::detail
