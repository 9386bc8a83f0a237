#include "number_text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "natural.hpp"

// Exact arithmetic on whole numbers: the C library's conversions follow the process's locale, and would be a tenth of the
// WebAssembly module.
namespace quillmate::detail {
namespace {

Natural times_power_of_ten(Natural number, int exponent) {
    constexpr int step = 19;  // 10^19 < 2^64
    constexpr auto power = [](int n) {
        std::uint64_t result = 1;
        for (; n > 0; --n) result *= 10;
        return result;
    };
    for (; exponent > 0; exponent -= step) number = number * Natural(power(std::min(exponent, step)));
    return number;
}

// The number's decimal digits 0.d1 d2 d3 ... * 10^exponent.
struct Decimal {
    std::string digits;  // without zeros at either end
    int exponent = 0;
};

// The fewest digits that identify a positive value among its neighbours, the nearest to it of those (Steele and White, "How to
// Print Floating-Point Numbers Accurately", PLDI 1990).
Decimal shortest_digits(double value) {
    const Parts parts = parts_of(value);
    // value = remainder / scale; half the way to the neighbours = below / scale and above / scale. All doubled twice, so that
    // halves are whole; below a power of two the neighbour is nearer.
    const bool nearer_below = std::has_single_bit(parts.mantissa) && std::fpclassify(value) == FP_NORMAL;
    Natural remainder(4 * parts.mantissa);
    Natural scale(4);
    Natural above(2);
    Natural below(nearer_below ? 1 : 2);
    if (parts.exponent >= 0) {
        for (Natural* number : {&remainder, &above, &below}) *number <<= static_cast<std::size_t>(parts.exponent);
    } else {
        scale <<= static_cast<std::size_t>(-parts.exponent);
    }
    // An even mantissa owns the numbers half-way to its neighbours.
    const bool even = parts.mantissa % 2 == 0;
    const auto exceeds = [&](const Natural& a, const Natural& b) { return even ? a >= b : a > b; };
    const auto sum = [](Natural a, const Natural& b) { return a += b; };

    // Brings the value into [0.1, 1). The estimate, from the power of two below the value, is one too small at most.
    constexpr double log10_of_2 = 0.30102999566398120;
    Decimal decimal{.digits = {}, .exponent = static_cast<int>(std::floor(std::ilogb(value) * log10_of_2)) + 1};
    if (decimal.exponent >= 0) {
        scale = times_power_of_ten(scale, decimal.exponent);
    } else {
        for (Natural* number : {&remainder, &above, &below}) *number = times_power_of_ten(*number, -decimal.exponent);
    }
    while (exceeds(sum(remainder, above), scale)) {
        scale = times_power_of_ten(scale, 1);
        ++decimal.exponent;
    }
    for (;;) {
        for (Natural* number : {&remainder, &above, &below}) *number = times_power_of_ten(*number, 1);
        char digit = '0';
        for (; remainder >= scale; ++digit) remainder -= scale;
        const bool low = exceeds(below, remainder);
        const bool high = exceeds(sum(remainder, above), scale);
        if (low || high) {
            // Both neighbours in reach identify the value: the nearer one, or else the even one, as JavaScript does.
            const auto nearer = sum(remainder, remainder) <=> scale;
            const bool up = high && (!low || nearer > 0 || (nearer == 0 && digit % 2 != 0));
            decimal.digits += static_cast<char>(digit + (up ? 1 : 0));
            return decimal;
        }
        decimal.digits += digit;
    }
}

// The nearest double to a positive numerator / denominator, ties to even; infinity when there is none.
double nearest(Natural numerator, Natural denominator) {
    constexpr int precision = std::numeric_limits<double>::digits;
    constexpr int lowest = std::numeric_limits<double>::min_exponent - precision;
    // numerator / denominator = quotient * 2^exponent with a quotient of 53 bits, or fewer where doubles end.
    int exponent = static_cast<int>(numerator.bit_length()) - static_cast<int>(denominator.bit_length()) - precision;
    exponent = std::max(exponent, lowest);
    if (exponent >= 0) {
        denominator <<= static_cast<std::size_t>(exponent);
    } else {
        numerator <<= static_cast<std::size_t>(-exponent);
    }
    // The quotient has 54 bits at most: long division.
    std::uint64_t quotient = 0;
    for (int bit = precision; bit >= 0; --bit) {
        Natural part = denominator;
        part <<= static_cast<std::size_t>(bit);
        if (numerator < part) continue;
        numerator -= part;
        quotient |= std::uint64_t{1} << bit;
    }
    if (quotient >> precision != 0) {
        // One bit too many: it goes, and counts in the remainder, which is now over twice the denominator.
        if (quotient % 2 != 0) numerator += denominator;
        quotient /= 2;
        denominator <<= 1;
        ++exponent;
    }
    numerator <<= 1;
    const auto order = numerator <=> denominator;
    if (order > 0 || (order == 0 && quotient % 2 != 0)) ++quotient;
    return std::ldexp(static_cast<double>(quotient), exponent);
}

// Reads JSON's grammar for numbers.
class NumberReader {
public:
    explicit NumberReader(std::string_view text) : text_(text) {}

    std::optional<double> read() {
        const bool negative = take('-');
        const bool leading_zero = at_ < text_.size() && text_[at_] == '0';
        const std::size_t whole = digits(0);
        if (whole == 0 || (leading_zero && whole > 1)) return std::nullopt;
        if (take('.') && digits(-1) == 0) return std::nullopt;
        if (take('e') || take('E')) {
            const bool minus = take('-');
            if (!minus) take('+');
            const std::size_t start = at_;
            long long power = 0;
            for (; is_digit(); ++at_) power = std::min(10 * power + (text_[at_] - '0'), 1'000'000'000LL);
            if (at_ == start) return std::nullopt;
            power_ += minus ? -power : power;
        }
        if (at_ != text_.size()) return std::nullopt;
        const double size = magnitude();
        if (std::isinf(size)) return std::nullopt;
        return negative ? -size : size;
    }

private:
    bool is_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }

    bool take(char c) {
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    // Reads digits, each of which changes the power of ten by `shift`, and returns how many there are.
    std::size_t digits(int shift) {
        const std::size_t start = at_;
        for (; is_digit(); ++at_) {
            const char digit = text_[at_];
            if (digits_.empty() && digit == '0') {
                power_ += shift;
            } else if (digits_.size() < enough) {
                digits_ += digit;
                power_ += shift;
            } else {
                // Too far behind to matter, except that it is not 0.
                if (digit != '0') digits_.back() = '1';
                power_ += 1 + shift;
            }
        }
        return at_ - start;
    }

    [[nodiscard]] double magnitude() const {
        const long long scale = static_cast<long long>(digits_.size()) + power_;
        if (digits_.empty() || scale < -400) return 0;
        if (scale > 400) return std::numeric_limits<double>::infinity();
        if (power_ >= 0 && scale <= 15) {  // a whole number that fits, such as a token
            double whole = 0;
            for (const char digit : digits_) whole = 10 * whole + (digit - '0');
            for (long long i = 0; i < power_; ++i) whole *= 10;
            return whole;
        }
        Natural number;
        for (const char digit : digits_) {
            number = number * Natural(10);
            number += Natural(static_cast<std::uint64_t>(digit - '0'));
        }
        const int power = static_cast<int>(power_);
        return nearest(times_power_of_ten(number, power), times_power_of_ten(Natural(1), -power));
    }

    // Half-way points between doubles have no more than 767 digits: what follows only has to be known not to be 0.
    static constexpr std::size_t enough = 800;

    std::string_view text_;
    std::size_t at_ = 0;
    std::string digits_;  // after leading zeros
    long long power_ = 0;
};

}  // namespace

std::string shortest_text(double value) {
    if (value == 0) return std::signbit(value) ? "-0" : "0";
    const auto [digits, exponent] = shortest_digits(std::abs(value));
    const int count = static_cast<int>(digits.size());
    const auto zeros = [](int number) { return std::string(static_cast<std::size_t>(number), '0'); };
    std::string result = value < 0 ? "-" : "";
    if (exponent > 21 || exponent < -5) {
        result += digits[0];
        if (count > 1) result.append(1, '.').append(digits, 1);
        result += (exponent > 0 ? "e+" : "e-") + std::to_string(std::abs(exponent - 1));
    } else if (exponent <= 0) {
        result += "0." + zeros(-exponent) + digits;
    } else if (count <= exponent) {
        result += digits + zeros(exponent - count);
    } else {
        result.append(digits, 0, static_cast<std::size_t>(exponent)).append(1, '.');
        result.append(digits, static_cast<std::size_t>(exponent));
    }
    return result;
}

std::optional<double> parse_number(std::string_view text) { return NumberReader(text).read(); }

}  // namespace quillmate::detail
