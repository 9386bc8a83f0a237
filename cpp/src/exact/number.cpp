#include "quillmate/exact/number.hpp"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>

namespace quillmate::exact {
namespace {

constexpr std::size_t longest_text = 4096;
constexpr int largest_exponent = 4096;

std::unexpected<Error> refuse(std::string value) {
    return std::unexpected(
        Error{.code = ErrorCode::INVALID_WEIGHT, .index = 0, .value = std::move(value), .detail = "the law"});
}

// Nothing but digits, at least one.
std::optional<Integer> whole(std::string_view digits) {
    if (digits.empty()) return std::nullopt;
    Integer number = 0;
    for (const char digit : digits) {
        if (digit < '0' || digit > '9') return std::nullopt;
        number = number * 10 + (digit - '0');
    }
    return number;
}

std::optional<Rational> decimal(std::string_view text) {
    int exponent = 0;
    if (const std::size_t mark = text.find_first_of("eE"); mark != std::string_view::npos) {
        std::string_view power = text.substr(mark + 1);
        if (power.starts_with('+') && !power.starts_with("+-")) power.remove_prefix(1);
        const auto [end, fault] = std::from_chars(power.data(), power.data() + power.size(), exponent);
        if (fault != std::errc{} || end != power.data() + power.size() || std::abs(exponent) > largest_exponent) return {};
        text = text.substr(0, mark);
    }
    std::string digits(text);
    if (const std::size_t point = digits.find('.'); point != std::string::npos) {
        digits.erase(point, 1);
        exponent -= static_cast<int>(digits.size() - point);
    }
    const auto number = whole(digits);
    if (!number) return std::nullopt;
    const Integer power = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
    return exponent < 0 ? Rational(*number, power) : Rational(*number * power);
}

std::optional<Rational> unsigned_number(std::string_view text) {
    const std::size_t bar = text.find('/');
    if (bar == std::string_view::npos) return decimal(text);
    const auto numerator = whole(text.substr(0, bar));
    const auto denominator = whole(text.substr(bar + 1));
    if (!numerator || !denominator || *denominator == 0) return std::nullopt;
    return Rational(*numerator, *denominator);
}

}  // namespace

Result<Rational> to_rational(double value) {
    if (!std::isfinite(value)) return refuse(quillmate::to_text(value));
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    exponent -= 53;
    const Integer power = Integer(1) << static_cast<unsigned>(std::abs(exponent));
    return exponent < 0 ? Rational(Integer(mantissa), power) : Rational(Integer(mantissa) * power);
}

Result<Rational> to_rational(std::string_view text) {
    const bool negative = text.starts_with('-');
    const auto number = text.size() > longest_text ? std::nullopt : unsigned_number(negative ? text.substr(1) : text);
    if (!number) return refuse('"' + std::string(text.substr(0, 40)) + '"');
    return negative ? Rational(-*number) : *number;
}

std::string to_text(const Rational& value) {
    return boost::multiprecision::numerator(value).str() + "/" + boost::multiprecision::denominator(value).str();
}

Integer random_below(const Integer& below, const RandomStream& stream, std::uint32_t position) {
    const Integer largest = below - 1;
    if (largest == 0) return 0;
    const unsigned bits = boost::multiprecision::msb(largest) + 1;
    for (std::uint32_t index = 0;;) {
        Integer candidate = 0;
        for (unsigned taken = 0; taken < bits; taken += 32) {
            std::uint32_t word = stream.word(position, index++);
            if (bits - taken < 32) word &= (std::uint32_t{1} << (bits - taken)) - 1;
            candidate |= Integer(word) << taken;
        }
        if (candidate <= largest) return candidate;
    }
}

}  // namespace quillmate::exact
