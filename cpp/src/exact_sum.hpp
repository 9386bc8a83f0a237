#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace quillmate::detail {

// An exact sum of up to 2^30 binary64 numbers in [0, 1]: a whole number of units of 2^-1074, the smallest subnormal. Being
// exact it does not depend on the order of the terms.
class ExactSum {
public:
    static constexpr std::size_t digit_count = 36;  // 1152 bits: 1075 for the number 1, 30 for the count, whole digits
    using Digits = std::array<std::uint32_t, digit_count>;

    ExactSum() = default;
    explicit ExactSum(const Digits& digits) noexcept {
        for (std::size_t i = 0; i < digit_count; ++i) places_[i] = digits[i];
    }

    void add(double term) noexcept {
        const Term t(term);
        add_shifted(t.low, t.digit, t.shift);
        add_shifted(t.high, t.digit + 1, t.shift);
    }

    // Adds the term that many times, at most 2^30.
    void add(double term, std::uint32_t times) noexcept {
        const Term t(term);
        const std::uint64_t low = t.low * times;
        const std::uint64_t high = t.high * times;
        add_shifted(low & digit_mask, t.digit, t.shift);
        add_shifted(low >> 32, t.digit + 1, t.shift);
        add_shifted(high & digit_mask, t.digit + 1, t.shift);
        add_shifted(high >> 32, t.digit + 2, t.shift);
    }

    ExactSum& operator+=(const ExactSum& other) noexcept {
        for (std::size_t i = 0; i < digit_count; ++i) places_[i] += other.places_[i];
        return *this;
    }

    // Lowest first.
    [[nodiscard]] Digits digits() const noexcept {
        Digits result;
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < digit_count; ++i) {
            carry += places_[i];
            result[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        return result;
    }

    friend std::strong_ordering operator<=>(const ExactSum& a, const ExactSum& b) noexcept {
        const Digits x = a.digits();
        const Digits y = b.digits();
        for (std::size_t i = digit_count; i-- > 0;) {
            if (x[i] != y[i]) return x[i] <=> y[i];
        }
        return std::strong_ordering::equal;
    }
    friend bool operator==(const ExactSum& a, const ExactSum& b) noexcept { return a.digits() == b.digits(); }

private:
    static constexpr std::uint64_t digit_mask = 0xffffffff;

    // The mantissa in two halves, to be shifted left by less than a digit and added from a digit on.
    struct Term {
        explicit Term(double term) noexcept {
            const std::uint64_t bits = std::bit_cast<std::uint64_t>(term);
            const std::uint64_t exponent = bits >> 52;
            const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
            const std::uint64_t mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
            const std::uint64_t position = exponent == 0 ? 0 : exponent - 1;
            low = mantissa & digit_mask;
            high = mantissa >> 32;
            digit = position / 32;
            shift = position % 32;
        }
        std::uint64_t low, high;
        std::size_t digit;
        unsigned shift;
    };

    void add_shifted(std::uint64_t part, std::size_t digit, unsigned shift) noexcept {
        const std::uint64_t shifted = part << shift;
        places_[digit] += shifted & digit_mask;
        places_[digit + 1] += shifted >> 32;
    }

    std::array<std::uint64_t, digit_count> places_{};  // base 2^32, lowest first; carries wait in the upper halves
};

}  // namespace quillmate::detail
