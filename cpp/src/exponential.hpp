#pragma once

namespace quillmate::detail {

// e^z for z <= 0 (minus infinity included), rounded to the nearest binary64, subnormal results included: rule 5's weight.
[[nodiscard]] double exp_rounded(double z) noexcept;

// The same in plain binary64: within 2^-50 of exp_rounded(z), relatively, and within 2^-1074 where that is subnormal (derived in
// exponential.cpp, tested). Several times cheaper.
[[nodiscard]] double exp_approximate(double z) noexcept;

}  // namespace quillmate::detail
