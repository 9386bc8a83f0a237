#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "quillmate/logits.hpp"

namespace quillmate::detail {

// Every element type widens to binary64 exactly.
inline double widen(float x) noexcept { return x; }
inline double widen(double x) noexcept { return x; }
inline double widen(bfloat16 x) noexcept { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }
inline double widen(float16 x) noexcept {
    const int exponent = x.bits >> 10 & 0x1f;
    const int fraction = x.bits & 0x3ff;
    double magnitude = 0;
    if (exponent == 0x1f) {
        magnitude = fraction == 0 ? HUGE_VAL : std::nan("");
    } else if (exponent == 0) {
        magnitude = fraction * 0x1p-24;
    } else {
        magnitude = std::ldexp(1024 + fraction, exponent - 25);
    }
    return (x.bits & 0x8000) != 0 ? -magnitude : magnitude;
}

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
