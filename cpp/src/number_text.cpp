#include "number_text.hpp"

#include <cctype>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>

// snprintf and strtod are exact in glibc and musl (from_chars for doubles is missing in libc++ 19), but they write and read the
// decimal point of the process's locale.

namespace quillmate::detail {
namespace {

bool is_json_number(std::string_view text) {
    std::size_t i = 0;
    const auto digits = [&] {
        const std::size_t start = i;
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        return i - start;
    };
    if (i < text.size() && text[i] == '-') ++i;
    const bool leading_zero = i < text.size() && text[i] == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (leading_zero && whole > 1)) return false;
    if (i < text.size() && text[i] == '.') {
        ++i;
        if (digits() == 0) return false;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
        if (digits() == 0) return false;
    }
    return i == text.size();
}

}  // namespace

std::string shortest_text(double value) {
    if (value == 0) return std::signbit(value) ? "-0" : "0";
    char buffer[40];
    for (int precision = 0;; ++precision) {
        std::snprintf(buffer, sizeof buffer, "%.*e", precision, value);
        if (precision < 16 && std::strtod(buffer, nullptr) != value) continue;

        const std::string_view text = buffer;
        const std::size_t mark = text.find('e');
        const int exponent = std::atoi(buffer + mark + 1);
        const bool negative = text[0] == '-';
        std::string digits;
        for (const char c : text.substr(0, mark)) {
            if (c >= '0' && c <= '9') digits += c;
        }
        std::string result = negative ? "-" : "";
        const int count = static_cast<int>(digits.size());
        if (exponent >= 0 && exponent < 21) {
            if (count > exponent + 1) {
                result += digits.substr(0, static_cast<std::size_t>(exponent) + 1) + '.' +
                          digits.substr(static_cast<std::size_t>(exponent) + 1);
            } else {
                result += digits + std::string(static_cast<std::size_t>(exponent + 1 - count), '0');
            }
        } else if (exponent < 0 && exponent >= -6) {
            result += "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
        } else {
            result += digits.substr(0, 1);
            if (count > 1) result += '.' + digits.substr(1);
            result += (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
        }
        return result;
    }
}

std::optional<double> parse_number(std::string_view text) {
    if (!is_json_number(text)) return std::nullopt;
    std::string localised(text);
    if (const std::size_t point = text.find('.'); point != std::string::npos) {
        localised.erase(point, 1).insert(point, std::localeconv()->decimal_point);
    }
    const double value = std::strtod(localised.c_str(), nullptr);
    if (!std::isfinite(value)) return std::nullopt;
    return value;
}

}  // namespace quillmate::detail
