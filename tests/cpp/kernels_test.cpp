#include "kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "quillmate/uniform.hpp"

namespace quillmate::detail {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// The processor's own batches, and portable emulations of the narrowest and the widest.
template <class Batch>
class KernelsOf : public testing::Test {};
using Batches =
    testing::Types<FloatBatch, xsimd::batch<float, xsimd::emulated<128>>, xsimd::batch<float, xsimd::emulated<512>>>;
TYPED_TEST_SUITE(KernelsOf, Batches);

// Visits floats from -126 up to -0, every 997th of them, a batch at a time, with 2^y good to 2^-52.
template <class Batch, class Visit>
void for_exponents(Visit visit) {
    std::array<float, Batch::size> lanes;
    std::uint32_t bits = std::bit_cast<std::uint32_t>(-0.0F);
    const std::uint32_t last = std::bit_cast<std::uint32_t>(-126.0F);
    while (bits < last) {
        for (float& lane : lanes) {
            lane = std::bit_cast<float>(std::min(bits, last));
            bits += 997;
        }
        visit(lanes);
    }
}

TYPED_TEST(KernelsOf, Exp2KeepsItsPublishedErrorBound) {
    using Batch = TypeParam;
    double worst = 0;
    for_exponents<Batch>([&](const std::array<float, Batch::size>& y) {
        std::array<float, Batch::size> result;
        Kernels<Batch>::exp2(Batch::load_unaligned(y.data())).store_unaligned(result.data());
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double exact = std::exp2(double{y[i]});
            worst = std::max(worst, std::abs(result[i] - exact) / exact);
        }
    });
    EXPECT_LT(worst, exp2_error);
    EXPECT_GT(worst, exp2_error / 8);  // a bound far from what happens would say little
}

TYPED_TEST(KernelsOf, CoarseExp2StaysWithinItsPublishedFactors) {
    using Batch = TypeParam;
    double over = 0;
    double under = 0;
    for_exponents<Batch>([&](const std::array<float, Batch::size>& y) {
        std::array<float, Batch::size> result;
        Kernels<Batch>::coarse_exp2(Batch::load_unaligned(y.data())).store_unaligned(result.data());
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double ratio = result[i] / std::exp2(double{y[i]});
            over = std::max(over, ratio);
            under = std::max(under, 1 / ratio);
        }
    });
    EXPECT_LT(over, coarse_over);
    EXPECT_LT(under, coarse_under);
    EXPECT_GT(over, 1.06);
    EXPECT_GT(under, 1.001);
}

TYPED_TEST(KernelsOf, ExponentsKeepTheirPublishedErrorBoundAndAreClampedBelow) {
    using Batch = TypeParam;
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        const auto m = static_cast<float>(std::ldexp(uniform(1, i) - 0.5, static_cast<int>(uniform(2, i) * 40) - 10));
        const auto x = static_cast<float>(m - std::ldexp(uniform(3, i), static_cast<int>(uniform(4, i) * 20) - 10));
        const double temperature = std::ldexp(1 + uniform(5, i), static_cast<int>(uniform(6, i) * 20) - 10);
        const auto c = static_cast<float>(1.4426950408889634 / temperature);
        const float y = Kernels<Batch>::exponent(Batch(x), Batch(m), Batch(c)).get(0);
        const double exact = (double{x} - double{m}) / temperature * 1.4426950408889634;
        if (exact < smallest_exponent * (1 - double{argument_error})) {
            ASSERT_EQ(y, smallest_exponent);
        } else {
            ASSERT_LE(std::abs(y - exact), argument_error * -exact) << x << ' ' << m << ' ' << temperature;
        }
    }
    EXPECT_EQ(Kernels<Batch>::exponent(Batch(-infinity), Batch(1), Batch(1)).get(0), smallest_exponent);
    EXPECT_EQ(Kernels<Batch>::exponent(Batch(-3e38F), Batch(3e38F), Batch(1)).get(0), smallest_exponent);
}

TYPED_TEST(KernelsOf, ScanFindsEachLanesMaximumFromAnyStart) {
    using Batch = TypeParam;
    using Kernel = Kernels<Batch>;
    for (std::size_t start = 0; start < 5; ++start) {
        std::vector<float> row(Kernel::block_size + start);
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(uniform(start, i)) - 0.5F;
        Batch sum(0);
        const Batch maxima = Kernel::scan(row.data() + start, sum);
        for (std::size_t lane = 0; lane < Kernel::lanes; ++lane) {
            float expected = -infinity;
            for (std::size_t i = start + lane; i < row.size(); i += Kernel::lanes) expected = std::max(expected, row[i]);
            EXPECT_EQ(maxima.get(lane), expected);
        }
        EXPECT_TRUE(std::isfinite(xsimd::reduce_add(sum)));
    }
}

TYPED_TEST(KernelsOf, ScansSumShowsNanAndInfinitiesWhereverTheyAre) {
    using Batch = TypeParam;
    using Kernel = Kernels<Batch>;
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
        for (std::size_t i = 0; i < Kernel::block_size; ++i) {
            std::vector<float> row(Kernel::block_size, 1);
            row[i] = bad;
            Batch sum(0);
            (void)Kernel::scan(row.data(), sum);
            EXPECT_FALSE(std::isfinite(xsimd::reduce_add(sum)));
        }
    }
}

TYPED_TEST(KernelsOf, SumsOfLanesAreInTheOrderOfTheBatches) {
    using Batch = TypeParam;
    std::array<Batch, Batch::size> batches;
    for (std::size_t i = 0; i < Batch::size; ++i) {
        std::array<float, Batch::size> lanes{};
        lanes[i] = 1;
        lanes[0] += static_cast<float>(100 * i);
        batches[i] = Batch::load_unaligned(lanes.data());
    }
    const Batch sums = Kernels<Batch>::sums_of_lanes(batches);
    for (std::size_t i = 0; i < Batch::size; ++i) EXPECT_EQ(sums.get(i), static_cast<float>(100 * i + 1));
}

TYPED_TEST(KernelsOf, ReachMaskHasABitForEachLogitFromTheThresholdUp) {
    using Batch = TypeParam;
    std::vector<float> block(64);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
        block[i] = static_cast<float>(static_cast<int>(uniform(7, i) * 8));
        expected |= std::uint64_t{block[i] >= 5} << i;
    }
    EXPECT_EQ(Kernels<Batch>::reach_mask(block.data(), Batch(5)), expected);
}

}  // namespace
}  // namespace quillmate::detail
