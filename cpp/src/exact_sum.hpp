#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

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
        add_wide(t.mantissa, t.position);
    }

    // The mantissas of terms with one exponent are whole numbers of one unit, and 2^11 of them fit in 64 bits.
    void add(std::span<const double> terms) noexcept {
        static thread_local std::array<std::uint64_t, positions> sums{};
        while (!terms.empty()) {
            const auto some = terms.first(std::min(terms.size(), std::size_t{1} << 11));
            terms = terms.subspan(some.size());
            std::size_t lowest = positions;
            std::size_t highest = 0;
            for (const double term : some) {
                const Term t(term);
                sums[t.position] += t.mantissa;
                lowest = std::min(lowest, t.position);
                highest = std::max(highest, t.position);
            }
            for (std::size_t i = lowest; i <= highest; ++i) {
                add_wide(sums[i], i);
                sums[i] = 0;
            }
        }
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

    // How far a mantissa is to be shifted to the left: not at all for subnormal numbers and the least normal ones.
    static constexpr std::size_t positions = 1023;
    struct Term {
        explicit Term(double term) noexcept {
            const std::uint64_t bits = std::bit_cast<std::uint64_t>(term);
            const std::uint64_t exponent = bits >> 52;
            const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
            mantissa = exponent == 0 ? fraction : fraction | std::uint64_t{1} << 52;
            position = exponent == 0 ? 0 : exponent - 1;
        }
        std::uint64_t mantissa;
        std::size_t position;
    };

    void add_wide(std::uint64_t number, std::size_t position) noexcept {
        const std::size_t digit = position / 32;
        const unsigned shift = position % 32;
        const std::uint64_t low = (number & digit_mask) << shift;
        const std::uint64_t high = (number >> 32) << shift;
        places_[digit] += low & digit_mask;
        places_[digit + 1] += (low >> 32) + (high & digit_mask);
        places_[digit + 2] += high >> 32;
    }

    std::array<std::uint64_t, digit_count> places_{};  // base 2^32, lowest first; carries wait in the upper halves
};

}  // namespace quillmate::detail
