#include "level.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "fixtures.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate::detail {
namespace {

constexpr std::array levels{Level::blocks, Level::float32, Level::binary64, Level::exact};

// Rows long enough that every level takes part.
std::vector<double> row_of(std::uint64_t kind, std::size_t size) {
    std::vector<double> row(size);
    for (std::size_t i = 0; i < size; ++i) {
        const double noise = uniform(kind, i, 11);
        switch (kind % 8) {
            case 0: row[i] = 12 * noise; break;
            case 1:
                row[i] = std::max(8 * noise - 20, -1.5 * std::log(1 + uniform(kind, i, 12) * static_cast<double>(size)));
                break;
            case 2: row[i] = 0.5; break;
            case 3: row[i] = noise < 0.7 ? 0 : 1; break;
            case 4: row[i] = std::floor(16 * noise) / 4; break;
            case 5: row[i] = i == size / 3 ? 25 : noise; break;
            case 6: row[i] = i % 3 == 0 ? -INFINITY : 6 * noise; break;
            default: row[i] = -0.002 * static_cast<double>(i); break;
        }
    }
    return row;
}

TEST(Levels, AllReturnTheSameToken) {
    std::array<int, level_count> decided{};
    for (std::uint64_t kind = 0; kind < 48; ++kind) {
        const test::Row row(row_of(kind, 2048 + 517 * kind), kind % 5 == 4 ? Dtype::float64 : Dtype::float32);
        for (std::uint64_t draw = 0; draw < 12; ++draw) {
            const Settings settings{.temperature = std::array{0.7, 1.0, 2.0}[draw % 3],
                                    .top_k = draw % 4 == 3 ? 100 : 0,
                                    .top_p = draw % 2 == 0 ? 1 : 0.5 + uniform(kind, draw, 13) / 2};
            // Half of the numbers are coarse: they fall on the boundaries of rows with ties.
            double u = uniform(kind, draw, 14);
            if (draw % 4 < 2) u = std::floor(u * 32) / 32;
            const auto first = decide(Level::blocks, row.logits(), settings, u);
            ASSERT_TRUE(first.has_value());
            ++decided[static_cast<std::size_t>(first->level)];
            for (const Level level : levels) {
                const auto decision = decide(level, row.logits(), settings, u);
                ASSERT_TRUE(decision.has_value());
                ASSERT_EQ(decision->token, first->token) << "kind " << kind << ", draw " << draw;
                ASSERT_GE(decision->level, level);
            }
        }
    }
    for (const int count : decided) EXPECT_GT(count, 0);  // each level was needed by something
}

}  // namespace
}  // namespace quillmate::detail
