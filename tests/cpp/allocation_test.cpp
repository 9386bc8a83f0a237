#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/sampling.hpp"
#include "quillmate/uniform.hpp"

namespace {
std::int64_t allocations = 0;
}

// Not inlined: GCC 12 warns of the pair malloc and free where it sees half of it.
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* place = std::malloc(size == 0 ? 1 : size)) return place;
    std::abort();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
[[gnu::noinline]] void operator delete(void* place) noexcept { std::free(place); }
[[gnu::noinline]] void operator delete(void* place, std::size_t) noexcept { std::free(place); }

namespace quillmate {
namespace {

TEST(SampleToken, AllocatesNothingAfterTheFirstOfItsKind) {
    std::vector<test::Row> rows;
    for (const Dtype dtype : {Dtype::float32, Dtype::float64}) {
        for (const double scale : {0.0, 1.0, 30.0}) {
            std::vector<double> row(20'011);
            for (std::size_t i = 0; i < row.size(); ++i) row[i] = scale * uniform(1, i);
            rows.emplace_back(row, dtype);
        }
    }
    const auto draw = [&](std::uint64_t times) {
        for (std::uint64_t i = 0; i < times; ++i) {
            for (const test::Row& row : rows) {
                for (const Settings& settings :
                     {Settings{}, Settings{.temperature = 0}, Settings{.temperature = 0.8, .top_p = 0.9},
                      Settings{.temperature = 1.2, .top_k = 40, .top_p = 0.95}}) {
                    ASSERT_TRUE(sample_token(row.logits(), settings, uniform(2, i)).has_value());
                }
            }
        }
    };
    draw(1);
    const std::int64_t before = allocations;
    draw(20);
    EXPECT_EQ(allocations, before);
    EXPECT_GT(before, 0);
}

}  // namespace
}  // namespace quillmate
