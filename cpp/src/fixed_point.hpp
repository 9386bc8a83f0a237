#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace quillmate::detail {

// An unsigned fixed-point number below 2^32 with 288 fraction bits, for constants and for the few exponentials that cheaper
// arithmetic cannot round. Every operation truncates: a result is low by less than 2^-288 times its number of operands.
class FixedPoint {
public:
    static constexpr int limb_count = 10;
    static constexpr int fraction_bits = 32 * (limb_count - 1);

    constexpr FixedPoint() = default;
    constexpr explicit FixedPoint(std::uint32_t whole) { limbs_[limb_count - 1] = whole; }

    // |value|, exactly; its lowest set bit must be at least 2^-288 and the value below 2^32.
    static constexpr FixedPoint magnitude(double value) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
        const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
        std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
        if (exponent == 0) return {};
        mantissa |= std::uint64_t{1} << 52;
        int position = exponent - 1075 + fraction_bits;  // of the mantissa's lowest bit
        if (position < 0) {
            mantissa = position > -64 ? mantissa >> -position : 0;
            position = 0;
        }
        FixedPoint result;
        std::size_t limb = static_cast<std::size_t>(position / 32);
        const int shift = position % 32;
        std::uint64_t low = (mantissa & 0xffffffff) << shift;
        std::uint64_t high = (mantissa >> 32) << shift;
        for (const std::uint64_t part : {low & 0xffffffff, (low >> 32) + (high & 0xffffffff), high >> 32}) {
            if (limb < limb_count) result.limbs_[limb] = static_cast<std::uint32_t>(part);
            ++limb;
        }
        return result;
    }

    [[nodiscard]] constexpr std::uint32_t whole() const { return limbs_[limb_count - 1]; }
    // The 64 highest fraction bits.
    [[nodiscard]] constexpr std::uint64_t fraction() const {
        return std::uint64_t{limbs_[limb_count - 2]} << 32 | limbs_[limb_count - 3];
    }
    [[nodiscard]] constexpr bool is_zero() const { return *this == FixedPoint{}; }

    constexpr FixedPoint& operator+=(const FixedPoint& other) {
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < limb_count; ++i) {
            carry += std::uint64_t{limbs_[i]} + other.limbs_[i];
            limbs_[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        return *this;
    }
    constexpr FixedPoint& operator-=(const FixedPoint& other) {  // other <= *this
        std::int64_t borrow = 0;
        for (std::size_t i = 0; i < limb_count; ++i) {
            borrow += std::int64_t{limbs_[i]} - std::int64_t{other.limbs_[i]};
            limbs_[i] = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
        }
        return *this;
    }
    constexpr FixedPoint& operator*=(std::uint32_t factor) {
        std::uint64_t carry = 0;
        for (std::uint32_t& limb : limbs_) {
            carry += std::uint64_t{limb} * factor;
            limb = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        return *this;
    }
    constexpr FixedPoint& operator/=(std::uint32_t divisor) {
        std::uint64_t rest = 0;
        for (std::size_t i = limb_count; i-- > 0;) {
            rest = rest << 32 | limbs_[i];
            limbs_[i] = static_cast<std::uint32_t>(rest / divisor);
            rest %= divisor;
        }
        return *this;
    }
    friend constexpr FixedPoint operator/(FixedPoint a, std::uint32_t divisor) { return a /= divisor; }
    friend constexpr FixedPoint operator*(const FixedPoint& a, const FixedPoint& b) {
        std::array<std::uint32_t, 2 * limb_count> product{};
        for (std::size_t i = 0; i < limb_count; ++i) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < limb_count; ++j) {
                carry += std::uint64_t{a.limbs_[i]} * b.limbs_[j] + product[i + j];
                product[i + j] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
            product[i + limb_count] = static_cast<std::uint32_t>(carry);
        }
        FixedPoint result;
        for (std::size_t i = 0; i < limb_count; ++i) result.limbs_[i] = product[i + limb_count - 1];
        return result;
    }
    friend constexpr bool operator==(const FixedPoint&, const FixedPoint&) = default;
    friend constexpr bool operator<=(const FixedPoint& a, const FixedPoint& b) {
        for (std::size_t i = limb_count; i-- > 0;) {
            if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i];
        }
        return true;
    }

    // Splits off the part that is a multiple of 2^-bits (bits <= 96, the part below 2^(53 - bits)), as a double.
    constexpr double take(int bits) {
        std::uint64_t part = whole();
        double scale = 1;
        int taken = 0;
        for (std::size_t i = limb_count - 1; taken < bits; taken += 32) {
            const int step = bits - taken < 32 ? bits - taken : 32;
            --i;
            part = part << step | limbs_[i] >> (32 - step);
            scale /= static_cast<double>(std::uint64_t{1} << step);
            limbs_[i] = step == 32 ? 0 : limbs_[i] & ((std::uint32_t{1} << (32 - step)) - 1);
        }
        limbs_[limb_count - 1] = 0;
        return static_cast<double>(part) * scale;
    }

private:
    std::array<std::uint32_t, limb_count> limbs_{};  // lowest first; the highest is the whole part
};

// e^x for 0 <= x < 1, low by less than 2^-280: every term of the series is truncated once or twice.
constexpr FixedPoint exponential(const FixedPoint& x) {
    FixedPoint sum(1);
    FixedPoint term(1);
    for (std::uint32_t n = 1; !term.is_zero(); ++n) {
        term = term * x;
        term /= n;
        sum += term;
    }
    return sum;
}

// ln 2 = sum of 1 / (n 2^n), low by less than 2^-279.
constexpr FixedPoint natural_log_of_2() {
    FixedPoint sum;
    FixedPoint power(1);
    for (std::uint32_t n = 1; !power.is_zero(); ++n) {
        power /= 2;
        FixedPoint term = power;
        term /= n;
        sum += term;
    }
    return sum;
}

}  // namespace quillmate::detail
