#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact_sum.hpp"

namespace quillmate::detail {

// A whole number of any size: what the exact level computes with when bounds could not decide.
class Natural {
public:
    Natural() = default;
    explicit Natural(std::uint64_t value);
    explicit Natural(const ExactSum& sum);  // in units of 2^-1074
    // A finite value >= 0 in units of 2^-1074: a whole number for every binary64.
    [[nodiscard]] static Natural scaled(double value);

    Natural& operator+=(const Natural& other);
    Natural& operator-=(const Natural& other);  // other <= *this
    Natural& operator<<=(std::size_t bits);
    Natural& operator>>=(std::size_t bits);  // discards what falls off
    friend Natural operator*(const Natural& a, const Natural& b);
    friend bool operator==(const Natural&, const Natural&) = default;
    friend std::strong_ordering operator<=>(const Natural& a, const Natural& b) noexcept;

    [[nodiscard]] bool is_zero() const noexcept { return limbs_.empty(); }
    [[nodiscard]] std::size_t bit_length() const noexcept;
    [[nodiscard]] ExactSum to_exact_sum() const;  // must be below 2^1152

private:
    void trim();
    std::vector<std::uint32_t> limbs_;  // lowest first, the highest is not 0
};

// A finite double >= 0 as mantissa * 2^exponent, mantissa below 2^53.
struct Parts {
    std::uint64_t mantissa;
    int exponent;
};
[[nodiscard]] Parts parts_of(double value) noexcept;

// floor(fraction * total) for a fraction in [0, 1], and whether nothing was cut off.
struct Share {
    ExactSum floor;
    bool exact;
};
[[nodiscard]] Share share_of(double fraction, const ExactSum& total);

// part / total rounded to the nearest binary64, ties to even; part is at most the total, which is positive.
[[nodiscard]] double ratio(double part, const ExactSum& total);

}  // namespace quillmate::detail
