#include "quillmate/row_hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

#include "row.hpp"
#include "simd.hpp"

namespace quillmate {
namespace {

using Words = xsimd::batch<std::uint32_t, detail::FloatBatch::arch_type>;

constexpr std::size_t lane_count = 16;
constexpr std::size_t block_size =
    64;  // words, a step of the loop: four of each lane, whose products do not wait for each other
constexpr std::size_t batch_count = lane_count / Words::size;
static_assert(batch_count * Words::size == lane_count);

// Odd, so that no change of a single word is lost: the prime nearest to 2^32 divided by the golden ratio.
constexpr std::uint32_t multiplier = 0x9e3779b1;
constexpr std::array powers{multiplier * multiplier * multiplier * multiplier, multiplier* multiplier* multiplier,
                            multiplier* multiplier, multiplier, std::uint32_t{1}};

using Lanes = std::array<Words, batch_count>;

// Products carry upwards only: without this, two changed signs in a lane would cancel.
Words folded(Words words) { return words ^ words >> 16; }

// Adding 0 turns -0 into 0 and leaves all else as it is.
Words words_at(const float* numbers) {
    return xsimd::bitwise_cast<std::uint32_t>(detail::FloatBatch::load_unaligned(numbers) + detail::FloatBatch(0));
}
Words words_at(const std::uint32_t* words) { return Words::load_unaligned(words); }

template <class Element>
[[gnu::noinline]] void absorb(Lanes& lanes, const Element* block, std::size_t count) {
    for (const Element* end = block + count * block_size; block != end; block += block_size) {
        for (std::size_t i = 0; i < batch_count; ++i) {
            Words lane = lanes[i] * Words(powers[0]);
            for (std::size_t row = 0; row < block_size / lane_count; ++row) {
                lane += folded(words_at(block + row * lane_count + i * Words::size)) * Words(powers[row + 1]);
            }
            lanes[i] = lane;
        }
    }
}

void absorb_row(Lanes& lanes, std::span<const float> row) {
    const std::size_t blocks = row.size() / block_size;
    absorb(lanes, row.data(), blocks);
    std::array<float, block_size> last{};
    std::ranges::copy(row.subspan(blocks * block_size), last.begin());
    if (blocks * block_size != row.size()) absorb(lanes, last.data(), 1);
}

template <class Half>
void absorb_row(Lanes& lanes, std::span<const Half> row) {
    for (std::size_t i = 0; i < row.size(); i += block_size) {
        std::array<float, block_size> block{};
        for (std::size_t j = i; j < std::min(i + block_size, row.size()); ++j) block[j - i] = detail::widen(row[j]);
        absorb(lanes, block.data(), 1);
    }
}

void absorb_row(Lanes& lanes, std::span<const double> row) {
    for (std::size_t i = 0; i < row.size(); i += block_size / 2) {
        std::array<std::uint32_t, block_size> block{};
        for (std::size_t j = i; j < std::min(i + block_size / 2, row.size()); ++j) {
            const auto bits = std::bit_cast<std::uint64_t>(row[j] + 0.0);
            block[2 * (j - i)] = static_cast<std::uint32_t>(bits);
            block[2 * (j - i) + 1] = static_cast<std::uint32_t>(bits >> 32);
        }
        absorb(lanes, block.data(), 1);
    }
}

constexpr std::uint64_t increment = 0x9e3779b97f4a7c15;  // 2^64 divided by the golden ratio, as in SplitMix64: finish(0) is 0

std::uint64_t finish(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

}  // namespace

std::uint64_t row_hash(Logits logits) noexcept {
    Lanes lanes;
    lanes.fill(Words(0));
    detail::visit_row(logits, [&](auto row) { absorb_row(lanes, row); });
    std::array<std::uint32_t, lane_count> words;
    for (std::size_t i = 0; i < batch_count; ++i) lanes[i].store_unaligned(&words[i * Words::size]);

    std::uint64_t hash = logits.size() * (logits.dtype() == Dtype::float64 ? 2 : 1);
    for (std::size_t i = 0; i < lane_count; i += 2) hash = finish(hash ^ words[i] ^ std::uint64_t{words[i + 1]} << 32);
    return hash;
}

std::uint64_t chained(std::uint64_t chain, std::uint64_t row_hash) noexcept {
    return finish(finish(chain + increment) + row_hash);
}

}  // namespace quillmate
