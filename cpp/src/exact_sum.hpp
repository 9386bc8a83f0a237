#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace quillmate::detail {

// An exact sum of up to 2^31 binary64 numbers in [0, 1]: a whole number of units of 2^-1074, the smallest subnormal. Being
// exact it does not depend on the order of the terms.
class ExactSum {
public:
    static constexpr std::size_t limb_count = 18;  // 1152 bits: 1075 for the number 1, 31 for the count

    void add(double term) noexcept {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(term);
        const std::uint64_t exponent = bits >> 52;
        const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
        const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
        const std::uint64_t position = exponent == 0 ? 0 : exponent - 1;
        std::size_t i = position / 64;
        const unsigned shift = position % 64;
        const std::uint64_t low = mantissa << shift;
        std::uint64_t carry = shift == 0 ? 0 : mantissa >> (64 - shift);
        limbs_[i] += low;
        carry += limbs_[i] < low;
        for (++i; carry != 0; ++i) {
            limbs_[i] += carry;
            carry = limbs_[i] < carry;
        }
    }

    ExactSum& operator+=(const ExactSum& other) noexcept {
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < limb_count; ++i) {
            const std::uint64_t partial = limbs_[i] + carry;
            carry = partial < carry;
            limbs_[i] = partial + other.limbs_[i];
            carry += limbs_[i] < partial;
        }
        return *this;
    }

    friend bool operator==(const ExactSum&, const ExactSum&) = default;
    friend std::strong_ordering operator<=>(const ExactSum& a, const ExactSum& b) noexcept {
        for (std::size_t i = limb_count; i-- > 0;) {
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
        }
        return std::strong_ordering::equal;
    }

    [[nodiscard]] const std::array<std::uint64_t, limb_count>& limbs() const noexcept { return limbs_; }
    [[nodiscard]] static ExactSum from_limbs(const std::array<std::uint64_t, limb_count>& limbs) noexcept {
        ExactSum sum;
        sum.limbs_ = limbs;
        return sum;
    }

private:
    std::array<std::uint64_t, limb_count> limbs_{};  // lowest first
};

}  // namespace quillmate::detail
