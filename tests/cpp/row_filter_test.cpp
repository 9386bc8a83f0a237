#include "row_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "exponential.hpp"
#include "fixtures.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct NamedRow {
    std::string name;
    std::vector<double> values;
};

// Rows of every kind at sizes around the blocks' edges.
std::vector<NamedRow> rows() {
    std::vector<NamedRow> all;
    for (const std::size_t size : {1, 3, 63, 64, 65, 255, 257, 1000, 4096, 10007}) {
        const auto add = [&](const char* name, auto value_of) {
            std::vector<double> values(size);
            for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<float>(value_of(i));
            all.push_back({name + (" of " + std::to_string(size)), std::move(values)});
        };
        const auto noise = [size](std::size_t i) { return uniform(size, i); };
        add("noise", [&](std::size_t i) { return 30 * noise(i); });
        add("a spike", [&](std::size_t i) { return i == size / 2 ? 20 : noise(i); });
        add("equal logits", [](std::size_t) { return -3; });
        add("two values", [&](std::size_t i) { return noise(i) < 0.5 ? 1 : 2; });
        add("descending", [](std::size_t i) { return -0.01 * static_cast<double>(i); });
        add("ascending", [](std::size_t i) { return 0.01 * static_cast<double>(i); });
        add("a Zipf-like head", [&](std::size_t i) { return -1.5 * std::log(1 + noise(i) * static_cast<double>(size)); });
        add("huge logits", [&](std::size_t i) { return noise(i) < 0.5 ? -3e38 : 3e38; });
        add("half banned", [&](std::size_t i) { return i % 2 == 1 ? -infinity : noise(i); });
        add("all banned but the last", [&](std::size_t i) { return i + 1 == size ? 0 : -infinity; });
    }
    return all;
}

TEST(RowFilter, FindsThePeakAndTheLowestIdThatHasIt) {
    for (const NamedRow& row : rows()) {
        for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
            SCOPED_TRACE(row.name);
            const test::Row owner(row.values, dtype);
            RowFilter filter;
            const auto peak = filter.read(owner.logits());
            ASSERT_TRUE(peak.has_value());
            const auto largest = std::ranges::max_element(row.values);
            EXPECT_EQ(peak->logit, *largest);
            EXPECT_EQ(peak->id, static_cast<std::size_t>(largest - row.values.begin()));
        }
    }
}

TEST(RowFilter, BoundsHoldTheExactWeightOfEachBlockAtEachPrecision) {
    for (const NamedRow& row : rows()) {
        for (const double temperature : {0x1p-60, 0.01, 0.8, 1.0, 50.0, 0x1p60}) {
            for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
                SCOPED_TRACE(row.name + " at temperature " + std::to_string(temperature));
                const test::Row owner(row.values, dtype);
                RowFilter filter;
                const auto peak = filter.read(owner.logits());
                ASSERT_TRUE(peak.has_value());
                std::vector<long double> exact(filter.block_count());
                for (std::size_t i = 0; i < row.values.size(); ++i) {
                    exact[i / filter.block_size()] += exp_rounded((row.values[i] - peak->logit) / temperature);
                }
                Masses masses;
                const auto check = [&] {
                    for (std::size_t b = 0; b < exact.size(); ++b) {
                        ASSERT_LE(masses.low[b], exact[b]);
                        ASSERT_GE(masses.high[b], exact[b]);
                    }
                };
                filter.estimate(temperature, masses);
                check();
                for (const double open_share : {0x1p-10, 0x1p-14, 0.0}) {
                    filter.refine(open_share, masses);
                    check();
                }
                // Fully refined, little is left open.
                for (std::size_t b = 0; b < exact.size(); ++b) {
                    ASSERT_LE(masses.high[b] - masses.low[b], 0x1p-14 * exact[b] + 0x1p-60);
                }
            }
        }
    }
}

TEST(RowFilter, WeighsWhatLiesBelowThresholdsAndFromOneUp) {
    for (const NamedRow& row : rows()) {
        SCOPED_TRACE(row.name);
        const test::Row owner(row.values, Dtype::float32);
        RowFilter filter;
        const auto peak = filter.read(owner.logits());
        ASSERT_TRUE(peak.has_value());
        const auto weight_of = [&](auto wanted) {
            long double weight = 0;
            for (const double x : row.values) weight += wanted(x) ? exp_rounded((x - peak->logit) / 0.8) : 0;
            return weight;
        };
        Masses masses;
        filter.estimate(0.8, masses);
        filter.refine(0x1p-12, masses);
        const std::array thresholds{filter.below_peak(20), filter.below_peak(5), filter.below_peak(0)};
        filter.weigh_from(thresholds.front(), masses);
        const auto below = filter.weights_below(thresholds, masses);
        for (std::size_t i = 0; i < thresholds.size(); ++i) {
            const float threshold = thresholds[i];
            const long double exact_below = weight_of([&](double x) { return x < threshold; });
            EXPECT_LE(below[i].low, exact_below);
            EXPECT_GE(below[i].high, exact_below);
            const long double exact_from = weight_of([&](double x) { return x >= threshold; });
            const Interval from = filter.weight_from(threshold);
            EXPECT_LE(from.low, exact_from);
            EXPECT_GE(from.high, exact_from);
            EXPECT_LE(from.high - from.low, 0x1p-13 * from.high);
        }
        const Interval total = filter.weight(masses);
        EXPECT_LE(total.low, weight_of([](double) { return true; }));
        EXPECT_GE(total.high, weight_of([](double) { return true; }));
    }
}

TEST(RowFilter, BoundsHoldTheExactWeightOfWhatACutKeepsOfEachBlock) {
    for (const NamedRow& row : rows()) {
        for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
            SCOPED_TRACE(row.name);
            const test::Row owner(row.values, dtype);
            RowFilter filter;
            const auto peak = filter.read(owner.logits());
            ASSERT_TRUE(peak.has_value());
            Masses masses;
            filter.estimate(1, masses);
            for (const std::size_t at : {std::size_t{0}, row.values.size() / 2, row.values.size() - 1}) {
                const Cut cut{row.values[at] + 0.0, static_cast<Token>(at)};
                if (std::isinf(cut.logit)) continue;
                filter.weigh_from(filter.filtered(cut.logit), masses);
                Masses kept;
                filter.keep(cut, kept);
                std::vector<long double> exact(filter.block_count());
                for (std::size_t i = 0; i < row.values.size(); ++i) {
                    if (!cut.keeps(row.values[i], static_cast<Token>(i))) continue;
                    exact[i / filter.block_size()] += exp_rounded(row.values[i] - peak->logit);
                }
                for (std::size_t b = 0; b < exact.size(); ++b) {
                    ASSERT_LE(kept.low[b], exact[b]);
                    ASSERT_GE(kept.high[b], exact[b]);
                    // Ties are cut apart in one block alone.
                    if (dtype == Dtype::float32 && b != at / filter.block_size()) {
                        ASSERT_LE(kept.high[b] - kept.low[b], 0x1p-13 * exact[b] + 0x1p-60);
                    }
                }
            }
        }
    }
}

TEST(RowFilter, GathersABandUpToALimit) {
    for (const NamedRow& row : rows()) {
        SCOPED_TRACE(row.name);
        const test::Row owner(row.values, Dtype::float32);
        RowFilter filter;
        ASSERT_TRUE(filter.read(owner.logits()).has_value());
        for (const Band band : {Band{}, Band{.low = 0.5F}, Band{.low = -4, .high = 1.5F}}) {
            std::vector<Token> expected;
            for (std::size_t i = 0; i < row.values.size(); ++i) {
                const double x = row.values[i];
                if (x >= band.low && x < band.high && x > -infinity) expected.push_back(static_cast<Token>(i));
            }
            Kept kept;
            ASSERT_TRUE(filter.gather(band, expected.size(), kept));
            kept.ids.resize(kept.count);
            EXPECT_EQ(kept.ids, expected);
            if (!expected.empty()) {
                EXPECT_FALSE(filter.gather(band, expected.size() - 1, kept));
            }
        }
    }
}

TEST(RowFilter, GathersEveryTokenThatReachesTheThresholdForACount) {
    for (const NamedRow& row : rows()) {
        for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
            for (const std::size_t k : {1, 2, 40, 300}) {
                SCOPED_TRACE(row.name + ", " + std::to_string(k));
                const test::Row owner(row.values, dtype);
                RowFilter filter;
                ASSERT_TRUE(filter.read(owner.logits()).has_value());
                Kept kept;
                filter.gather(Band{.low = filter.threshold_for_count(k)}, row.values.size(), kept);
                const auto allowed =
                    static_cast<std::size_t>(std::ranges::count_if(row.values, [](double x) { return x > -infinity; }));
                ASSERT_GE(kept.count, std::min(k, allowed));
                double least = infinity;
                for (std::size_t i = 0; i < kept.count; ++i) {
                    const auto id = static_cast<std::size_t>(kept.ids[i]);
                    ASSERT_TRUE(i == 0 || kept.ids[i - 1] < kept.ids[i]);
                    ASSERT_EQ(kept.logits[i], row.values[id]);
                    least = std::min(least, kept.logits[i]);
                }
                const auto larger = std::ranges::count_if(row.values, [&](double x) { return x > least; });
                EXPECT_LE(static_cast<std::size_t>(larger), kept.count);
                EXPECT_GE(kept.count, static_cast<std::size_t>(std::ranges::count(row.values, least)));
            }
        }
    }
}

TEST(RowFilter, NamesTheFirstLogitThatCannotBeSampled) {
    for (const std::size_t bad : {0, 63, 64, 700, 999}) {
        std::vector<float> row(1000, 1);
        row[bad] = std::numeric_limits<float>::quiet_NaN();
        row[999] = std::numeric_limits<float>::infinity();
        RowFilter filter;
        const auto peak = filter.read(std::span<const float>(row));
        ASSERT_FALSE(peak.has_value());
        EXPECT_EQ(peak.error().code, bad == 999 ? ErrorCode::INFINITE_LOGIT : ErrorCode::NAN_LOGIT);
        EXPECT_EQ(peak.error().index, static_cast<std::int64_t>(bad));
    }
}

}  // namespace
}  // namespace quillmate::detail
