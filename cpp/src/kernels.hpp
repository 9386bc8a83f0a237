#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simd.hpp"

// The loops over a row of float logits, for any xsimd batch type: they read the row in blocks of 16 batches and never see its
// end (the caller pads the last block with minus infinity). What they compute differs between batch types by rounding alone;
// every result carries a bound, named below, and decisions are made on the bounds.

namespace quillmate::detail {

inline constexpr std::size_t batches_per_block = 16;

// 2^y by putting y's binary digits where a float has its exponent and fraction: the fraction then stands for 2^f - 1 instead of
// f. 1 <= (1 + f) / 2^f <= 1.0615 (the maximum is at f = 1 / ln 2 - 1). y is kept to 8 binary digits (off by 2^-9, a factor of
// 1.0014) after three roundings whose error is bounded by argument_error * 126 < 2^-15. Hence, for -126 <= y <= 0,
// coarse / coarse_over <= 2^y <= coarse * coarse_under.
inline constexpr float coarse_over = 1.0635F;
inline constexpr float coarse_under = 1.0020F;

// y = (x - m) c: the subtraction, the product and c itself are each off by 2^-24 of the result, and so may x - m be when it was
// narrowed from binary64. The binary64 scaled logit differs from the real quotient by 2^-52 of itself, which the rest covers.
inline constexpr float argument_error = 4.01F * 0x1p-24F;  // of |y|

// 2^f for |f| <= 1/2 by a polynomial of degree 5: its own error is 2^-23.6 (minimax, Remez), the rounded coefficients and five
// steps of Horner's rule add less than 2^-22.2 (each rounding after the first is scaled by |f| <= 1/2). f = y - n is exact.
inline constexpr float exp2_error = 0x1p-21F;

// Below 2^-126 all three kernels return 2^-126: weights too small for a float are over-estimated by at most that much.
inline constexpr float smallest_exponent = -126;

template <class Batch>
struct Kernels {
    static constexpr std::size_t lanes = Batch::size;
    static constexpr std::size_t block_size = batches_per_block * lanes;  // a multiple of 64 from four lanes on
    static_assert(block_size % 64 == 0);

    using Integers = xsimd::batch<std::int32_t, typename Batch::arch_type>;

    static Batch larger(Batch a, Batch b) { return xsimd::select(a < b, b, a); }  // a where b is NaN; max pays for NaN rules

    // The maximum of each lane of the block; adds its logits to `sum`, which stays finite only when none is NaN or infinite.
    static Batch scan(const float* block, Batch& sum) {
        Batch maximum = Batch::load_unaligned(block);
        Batch block_sum = maximum;
        for (std::size_t i = 1; i < batches_per_block; ++i) {
            const Batch x = Batch::load_unaligned(block + i * lanes);
            maximum = larger(maximum, x);
            block_sum += x;
        }
        sum += block_sum;
        return maximum;
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

    static Batch coarse_exp2(Batch y) {
        // Adding 1.5 * 2^15 leaves 8 binary digits after the point at the low end of the fraction.
        const Batch shifted = y + Batch(0x1.8p15F + 127);
        return xsimd::bitwise_cast<float>(xsimd::bitwise_cast<std::int32_t>(shifted) << 15);
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

    // The sum, lane by lane, of exponential(y) over the block's logits.
    template <Batch (*exponential)(Batch)>
    static Batch sum_of_weights(const float* block, Batch m, Batch c) {
        Batch sum(0);
        Batch other(0);
        for (std::size_t i = 0; i < block_size; i += 2 * lanes) {
            sum += exponential(exponent(Batch::load_unaligned(block + i), m, c));
            other += exponential(exponent(Batch::load_unaligned(block + i + lanes), m, c));
        }
        return sum + other;
    }

    // The same with exp2, of the logits below the threshold alone.
    static Batch sum_of_weights_below(const float* block, Batch threshold, Batch m, Batch c) {
        Batch sum(0);
        for (std::size_t i = 0; i < block_size; i += lanes) {
            const Batch x = Batch::load_unaligned(block + i);
            sum += xsimd::select(x < threshold, exp2(exponent(x, m, c)), Batch(0));
        }
        return sum;
    }

    // Bit i of the result: whether block[i] reaches the threshold, for 64 logits.
    static std::uint64_t reach_mask(const float* block, Batch threshold) {
        std::uint64_t mask = 0;
        for (std::size_t i = 0; i < 64; i += lanes) {
            mask |= static_cast<std::uint64_t>((Batch::load_unaligned(block + i) >= threshold).mask()) << i;
        }
        return mask;
    }
};

}  // namespace quillmate::detail
