#pragma once

#include <span>

namespace quillmate::detail {

// Replaces each z <= 0 (minus infinity included) by e^z rounded to the nearest binary64, subnormal results included: rule 5's
// weights.
void exp_rounded(std::span<double> values) noexcept;

[[nodiscard]] inline double exp_rounded(double z) noexcept {
    exp_rounded(std::span(&z, 1));
    return z;
}

// The same in plain binary64: within 2^-50 of the rounded e^z, relatively, and within 2^-1074 where that is subnormal (derived in
// exponential.cpp, tested). Several times cheaper.
void exp_approximate(std::span<double> values) noexcept;

// e^z = 2^exponent (hi + lo) but for an error of hi + lo, with hi in (0.99, 2) and |lo| <= ulp(hi): what exp_rounded rounds where
// that error allows it. For -745.2 <= z <= 0.
struct Expansion {
    double hi, lo;
    int exponent;
};
inline constexpr double expansion_error = 0x1p-64;
[[nodiscard]] Expansion expand(double z) noexcept;

// The same with a smaller error.
inline constexpr double further_expansion_error = 0x1p-91;
[[nodiscard]] Expansion expand_further(double z) noexcept;

}  // namespace quillmate::detail
