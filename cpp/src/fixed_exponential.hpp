#pragma once

#include <array>

#include "fixed_point.hpp"

namespace quillmate::detail {

// What the fast exponentials start from, and what decides where they cannot round: in 288-bit fixed point, slow and small.

inline constexpr int table_size = 64;  // 2^6
inline constexpr FixedPoint ln2 = natural_log_of_2();
inline constexpr FixedPoint step = ln2 / table_size;
inline constexpr FixedPoint small_step = step / table_size;

// A power of two in three parts: 26 bits that multiply exactly by another 26, the next 53, and what then is left.
struct Power {
    double high, low, rest;
};
extern const std::array<Power, table_size> powers_of_2;        // 2^(j/64)
extern const std::array<Power, table_size> small_powers_of_2;  // 2^(j/4096)

// e^z rounded to the nearest double, for z in (-1075 ln 2, -2^-54].
[[nodiscard]] double exp_from_fixed_point(double z) noexcept;

}  // namespace quillmate::detail
