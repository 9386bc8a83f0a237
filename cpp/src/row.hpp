#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "quillmate/logits.hpp"

namespace quillmate::detail {

// The 16-bit types widen to float exactly. Without branches, so that compilers make vectors of a loop over a row.
inline float widen(bfloat16 x) noexcept { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }
inline float widen(float16 x) noexcept {
    constexpr std::uint32_t exponent_one = 1U << 23;
    const std::uint32_t magnitude = (x.bits & 0x7fffU) << 13;  // where a float has its exponent and fraction
    const std::uint32_t rebiased = magnitude + (127 - 15) * exponent_one;
    // Where the exponent is 0, the fraction is taken from 2^-14 to 2^-13 and back.
    const float subnormal = std::bit_cast<float>(rebiased + exponent_one) - 0x1p-14F;
    const std::uint32_t endless = magnitude + (255 - 31) * exponent_one;
    const std::uint32_t bits = magnitude < exponent_one        ? std::bit_cast<std::uint32_t>(subnormal)
                               : magnitude < 31 * exponent_one ? rebiased
                                                               : endless;
    return std::bit_cast<float>(bits | (x.bits & 0x8000U) << 16);
}
inline float widen(float x) noexcept { return x; }
inline double widen(double x) noexcept { return x; }

// Calls visit(std::span<const T>) with the row's element type.
template <class Visit>
decltype(auto) visit_row(Logits logits, Visit&& visit) {
    const auto as = [&]<class T>(const T*) {
        return std::forward<Visit>(visit)(std::span(static_cast<const T*>(logits.data()), logits.size()));
    };
    switch (logits.dtype()) {
        case Dtype::float64: return as(static_cast<const double*>(nullptr));
        case Dtype::float16: return as(static_cast<const float16*>(nullptr));
        case Dtype::bfloat16: return as(static_cast<const bfloat16*>(nullptr));
        case Dtype::float32: break;
    }
    return as(static_cast<const float*>(nullptr));
}

}  // namespace quillmate::detail
