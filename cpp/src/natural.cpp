#include "natural.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace quillmate::detail {

Natural::Natural(std::uint64_t value) : limbs_{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)} {
    trim();
}

Natural::Natural(const ExactSum& sum) {
    const ExactSum::Digits digits = sum.digits();
    limbs_.assign(digits.begin(), digits.end());
    trim();
}

Natural Natural::scaled(double value) {
    const Parts parts = parts_of(value);
    Natural result(parts.mantissa);
    result <<= static_cast<std::size_t>(parts.exponent + 1074);
    return result;
}

Natural& Natural::operator+=(const Natural& other) {
    if (limbs_.size() < other.limbs_.size()) limbs_.resize(other.limbs_.size());
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
        carry += std::uint64_t{limbs_[i]} + (i < other.limbs_.size() ? other.limbs_[i] : 0);
        limbs_[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
    return *this;
}

Natural& Natural::operator-=(const Natural& other) {
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
        borrow += std::int64_t{limbs_[i]} - (i < other.limbs_.size() ? std::int64_t{other.limbs_[i]} : 0);
        limbs_[i] = static_cast<std::uint32_t>(borrow);
        borrow >>= 32;
    }
    trim();
    return *this;
}

Natural& Natural::operator<<=(std::size_t bits) {
    if (is_zero()) return *this;
    const unsigned shift = bits % 32;
    if (shift != 0) {
        std::uint32_t carry = 0;
        for (std::uint32_t& limb : limbs_) {
            const std::uint32_t low = limb << shift | carry;
            carry = limb >> (32 - shift);
            limb = low;
        }
        if (carry != 0) limbs_.push_back(carry);
    }
    limbs_.insert(limbs_.begin(), bits / 32, 0);
    return *this;
}

Natural& Natural::operator>>=(std::size_t bits) {
    const std::size_t whole = std::min(bits / 32, limbs_.size());
    limbs_.erase(limbs_.begin(), limbs_.begin() + static_cast<std::ptrdiff_t>(whole));
    const unsigned shift = bits % 32;
    if (shift != 0) {
        for (std::size_t i = 0; i < limbs_.size(); ++i) {
            const std::uint32_t high = i + 1 < limbs_.size() ? limbs_[i + 1] << (32 - shift) : 0;
            limbs_[i] = limbs_[i] >> shift | high;
        }
    }
    trim();
    return *this;
}

Natural operator*(const Natural& a, const Natural& b) {
    Natural product;
    product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
    for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
            carry += std::uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
            product.limbs_[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        product.limbs_[i + b.limbs_.size()] = static_cast<std::uint32_t>(carry);
    }
    product.trim();
    return product;
}

std::strong_ordering operator<=>(const Natural& a, const Natural& b) noexcept {
    if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() <=> b.limbs_.size();
    for (std::size_t i = a.limbs_.size(); i-- > 0;) {
        if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
    }
    return std::strong_ordering::equal;
}

std::size_t Natural::bit_length() const noexcept {
    return is_zero() ? 0 : 32 * (limbs_.size() - 1) + static_cast<std::size_t>(std::bit_width(limbs_.back()));
}

ExactSum Natural::to_exact_sum() const {
    ExactSum::Digits digits{};
    std::ranges::copy(limbs_, digits.begin());
    return ExactSum(digits);
}

void Natural::trim() {
    while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

Parts parts_of(double value) noexcept {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent == 0) return {fraction, -1074};
    return {fraction | std::uint64_t{1} << 52, exponent - 1075};
}

Share share_of(double fraction, const ExactSum& total) {
    const Parts parts = parts_of(fraction);  // a fraction of at most 1 has an exponent of at most -52
    const Natural product = Natural(parts.mantissa) * Natural(total);
    const auto shift = static_cast<std::size_t>(-parts.exponent);
    Natural floor = product;
    floor >>= shift;
    Natural back = floor;
    back <<= shift;
    return {floor.to_exact_sum(), back == product};
}

double ratio(double part, const ExactSum& total) {
    // The quotient of whole numbers, long division one bit at a time from the highest that can be set.
    const Natural divisor(total);
    Natural rest = Natural::scaled(part);
    if (rest.is_zero()) return 0;
    int exponent = static_cast<int>(rest.bit_length()) - static_cast<int>(divisor.bit_length());
    // 2^exponent is the highest power of two not above the quotient, or one too high.
    const auto aligned = [&](int power) {
        Natural shifted = power >= 0 ? divisor : rest;
        shifted <<= static_cast<std::size_t>(std::abs(power));
        return power >= 0 ? rest >= shifted : shifted >= divisor;
    };
    if (!aligned(exponent)) --exponent;
    const int lowest = std::max(exponent - 52, -1074);  // weight of the last bit kept
    // quotient = floor(rest * 2^-lowest / divisor), at most 53 bits
    rest <<= static_cast<std::size_t>(-lowest);
    std::uint64_t quotient = 0;
    for (int bit = exponent - lowest; bit >= 0; --bit) {
        Natural step = divisor;
        step <<= static_cast<std::size_t>(bit);
        quotient <<= 1;
        if (rest >= step) {
            rest -= step;
            quotient |= 1;
        }
    }
    rest <<= 1;
    const auto order = rest <=> divisor;
    if (order > 0 || (order == 0 && (quotient & 1) != 0)) ++quotient;
    return std::ldexp(static_cast<double>(quotient), lowest);
}

}  // namespace quillmate::detail
