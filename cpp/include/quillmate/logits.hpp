#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quillmate {

// Element types of a row of logits. All are widened to binary64 exactly, so the type never changes a rule.
enum class Dtype : std::uint8_t { float32, float64, float16, bfloat16 };

// Bytes per element.
[[nodiscard]] constexpr std::size_t size_of(Dtype dtype) noexcept {
    return dtype == Dtype::float64 ? 8 : dtype == Dtype::float32 ? 4 : 2;
}

// An element of a row of IEEE 754's binary16.
struct float16 {
    std::uint16_t bits;  // as they lie in memory
};
// An element of a row of bfloat16: the upper half of a float.
struct bfloat16 {
    std::uint16_t bits;  // as they lie in memory
};

// A read-only view of one row of logits, one per token of the vocabulary. Does not own the memory: the row must outlive
// the call it is passed to. Minus infinity bans its token.
class Logits {
public:
    // A row of floats, which is not copied; so are the other kinds.
    Logits(std::span<const float> row) noexcept : Logits(row.data(), row.size(), Dtype::float32) {}
    // A row of doubles.
    Logits(std::span<const double> row) noexcept : Logits(row.data(), row.size(), Dtype::float64) {}
    // A row of 16-bit floats.
    Logits(std::span<const float16> row) noexcept : Logits(row.data(), row.size(), Dtype::float16) {}
    // A row of bfloat16.
    Logits(std::span<const bfloat16> row) noexcept : Logits(row.data(), row.size(), Dtype::bfloat16) {}
    // size elements of the type at data, aligned as it is.
    Logits(const void* data, std::size_t size, Dtype dtype) noexcept : data_(data), size_(size), dtype_(dtype) {}

    // The first logit.
    [[nodiscard]] const void* data() const noexcept { return data_; }
    // In logits.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    // What the logits are.
    [[nodiscard]] Dtype dtype() const noexcept { return dtype_; }

    // The count logits from begin on; both within the row.
    [[nodiscard]] Logits subrow(std::size_t begin, std::size_t count) const noexcept {
        return {static_cast<const std::byte*>(data_) + begin * size_of(dtype_), count, dtype_};
    }

private:
    const void* data_;
    std::size_t size_;
    Dtype dtype_;
};

}  // namespace quillmate
