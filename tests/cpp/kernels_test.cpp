#include "kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
    EXPECT_GT(over, 1.061);
    EXPECT_GT(under, 1.00003);
}

TYPED_TEST(KernelsOf, SumsOfMeansStayWithinTheirPublishedFactors) {
    using Batch = TypeParam;
    using Kernel = Kernels<Batch>;
    std::vector<float> block(Kernel::block_size, -infinity);  // but for one batch: 15 weights of 2^-126 are seen nowhere else
    double over = 0;
    double under = infinity;
    for_exponents<Batch>([&](const std::array<float, Batch::size>& y) {
        std::ranges::copy(y, block.begin());
        std::array<float, Batch::size> sums;
        Kernel::sum_of_means(block.data(), Batch(0), Batch(1)).store_unaligned(sums.data());
        for (std::size_t i = 0; i < y.size(); ++i) {
            if (y[i] < -90) continue;
            const double ratio = sums[i] / std::exp2(double{y[i]});
            over = std::max(over, ratio);
            under = std::min(under, ratio);
        }
    });
    EXPECT_LT(over, mean_over);
    EXPECT_GT(under, 1 / mean_under);
    EXPECT_GT(over, 1.0458);
    EXPECT_LT(under, 1.0304);
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

TYPED_TEST(KernelsOf, CanBeSampledSaysSoOfAllButNanAndPlusInfinityWhereverTheyAre) {
    using Batch = TypeParam;
    using Kernel = Kernels<Batch>;
    std::vector<float> row(Kernel::block_size, 1);
    for (std::size_t i = 0; i < Kernel::block_size; ++i) {
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity}) {
            row[i] = bad;
            EXPECT_FALSE(Kernel::can_be_sampled(row.data()));
        }
        row[i] = i % 2 == 0 ? -infinity : 3e38F;
        EXPECT_TRUE(Kernel::can_be_sampled(row.data()));
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

// A block of 16 batches with its weights, both small whole numbers, so that sums are exact.
template <class Batch>
struct Block {
    static constexpr std::size_t size = Kernels<Batch>::block_size;
    Block() {
        for (std::size_t i = 0; i < size; ++i) {
            logits.push_back(static_cast<float>(static_cast<int>(uniform(7, i) * 8)));
            weights.push_back(static_cast<float>(static_cast<int>(uniform(8, i) * 8)));
        }
    }
    // The sum of the weights whose logit is wanted.
    template <class Wanted>
    [[nodiscard]] float sum(Wanted wanted) const {
        float sum = 0;
        for (std::size_t i = 0; i < size; ++i) sum += wanted(logits[i]) ? weights[i] : 0;
        return sum;
    }
    std::vector<float> logits;
    std::vector<float> weights;
};

TYPED_TEST(KernelsOf, WeighWritesTheWeightsThatItAdds) {
    using Batch = TypeParam;
    using Kernel = Kernels<Batch>;
    const Block<Batch> block;
    std::vector<float> weights(Kernel::block_size);
    const Batch m(8);
    const Batch c(0.3F);
    const float total = xsimd::reduce_add(Kernel::weigh(block.logits.data(), m, c, weights.data()));
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        EXPECT_EQ(weights[i], Kernel::exp2(Kernel::exponent(Batch(block.logits[i]), m, c)).get(0));
        sum += weights[i];
    }
    EXPECT_NEAR(total, sum, 1e-5 * sum);
}

TYPED_TEST(KernelsOf, WeightsAreSummedBelowEachThresholdAndFromOneUp) {
    using Batch = TypeParam;
    using Kernel = Kernels<Batch>;
    const Block<Batch> block;
    const std::array thresholds{-1.0F, 3.0F, 9.0F};
    const auto below = Kernel::sums_below(block.logits.data(), block.weights.data(),
                                          std::array{Batch(thresholds[0]), Batch(thresholds[1]), Batch(thresholds[2])});
    for (std::size_t t = 0; t < thresholds.size(); ++t) {
        const float threshold = thresholds[t];
        EXPECT_EQ(xsimd::reduce_add(below[t]), block.sum([&](float x) { return x < threshold; }));
        const Batch from = Kernel::sum_from(block.logits.data(), block.weights.data(), Batch(threshold));
        EXPECT_EQ(xsimd::reduce_add(from), block.sum([&](float x) { return x >= threshold; }));
    }
}

TYPED_TEST(KernelsOf, BandMaskHasABitForEachLogitFromTheLowerEndUpToTheUpper) {
    using Batch = TypeParam;
    const Block<Batch> block;
    for (const float high : {5.0F, 6.0F, infinity}) {
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < 64; ++i) expected |= std::uint64_t{block.logits[i] >= 5 && block.logits[i] < high} << i;
        EXPECT_EQ(Kernels<Batch>::band_mask(block.logits.data(), 5, high), expected);
    }
}

}  // namespace
}  // namespace quillmate::detail
