#include "fixed_exponential.hpp"

#include <cmath>
#include <cstdint>

namespace quillmate::detail {
namespace {

// Worked out when the program starts, in microseconds: as constants the tables would be a tenth of what a browser downloads.
std::array<Power, table_size> powers_of_e_to(const FixedPoint& step) noexcept {
    const FixedPoint ratio = exponential(step);
    std::array<Power, table_size> table{};
    FixedPoint power(1);
    for (Power& entry : table) {
        FixedPoint rest = power;
        entry.high = 1;
        rest -= FixedPoint(1);
        entry.high += rest.take(25);
        entry.low = rest.take(77);
        rest *= 1u << 31;
        rest *= 1u << 31;
        entry.rest = rest.take(64) * 0x1p-62;
        power = power * ratio;
    }
    return table;
}

}  // namespace

const std::array<Power, table_size> powers_of_2 = powers_of_e_to(step);
const std::array<Power, table_size> small_powers_of_2 = powers_of_e_to(small_step);

double exp_from_fixed_point(double z) noexcept {
    const FixedPoint distance = FixedPoint::magnitude(z);
    auto k = static_cast<std::uint32_t>(-z * 0x1.71547652b82fep+0);  // |z| / ln 2, perhaps one too few
    FixedPoint multiple = ln2;
    multiple *= k;
    for (; multiple <= distance; ++k) multiple += ln2;
    multiple -= distance;
    const FixedPoint value = exponential(multiple);  // e^z = value 2^-k, value in (1, 2]

    const int kept = k <= 1022 ? 52 : 1074 - static_cast<int>(k);  // fraction bits of the result
    if (kept < 0) return 0x1p-1074;  // value 2^-1075 with value > 1 is above half of the smallest double
    const std::uint64_t fraction = value.fraction();
    std::uint64_t mantissa = (std::uint64_t{value.whole()} << kept) + (kept == 0 ? 0 : fraction >> (64 - kept));
    mantissa += fraction >> (63 - kept) & 1;  // to nearest; a tie is impossible, e^z is irrational
    return std::ldexp(static_cast<double>(mantissa), -static_cast<int>(k) - kept);
}

}  // namespace quillmate::detail
