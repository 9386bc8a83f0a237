#pragma once

#include <cmath>
#include <optional>

namespace quillmate::detail {

// hi + lo, known to within `error`, rounded to the nearest whole multiple of 2^-52 grid; nothing when the error could decide.
// For what a subnormal double can hold: 0 <= hi <= grid, a power of two; |lo| is at most half a last place of hi.
inline std::optional<double> round_to_grid(double hi, double lo, double error, double grid) noexcept {
    const double sum = grid + hi;  // rounds hi to the grid: the sum is below 2 grid
    const double rest = hi - (sum - grid);
    const double half = grid * 0x1p-53;
    // The neighbour on the side of the rest is nearer when lo, towards it, exceeds what the rest lacks to half a step.
    const double towards = rest < 0 ? -lo : lo;
    const double lack = half - std::abs(rest);
    if (towards + error < lack) return sum - grid;
    if (towards - error > lack) return sum - grid + (rest < 0 ? -2 * half : 2 * half);
    return std::nullopt;
}

}  // namespace quillmate::detail
