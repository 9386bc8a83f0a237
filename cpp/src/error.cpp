#include "quillmate/error.hpp"

#include <array>
#include <cmath>

#include "number_text.hpp"

namespace quillmate {
namespace {

struct Entry {
    std::string_view name, message;
};
constexpr auto entries = std::to_array<Entry>({
#define QUILLMATE_ERROR(code, message) {#code, message},
#include "quillmate/error_codes.def"
#undef QUILLMATE_ERROR
});

Entry entry_of(ErrorCode code) noexcept {
    const auto number = static_cast<std::size_t>(code);
    return number >= 1 && number <= entries.size() ? entries[number - 1] : Entry{};
}

}  // namespace

std::string_view error_name(ErrorCode code) noexcept { return entry_of(code).name; }

std::string error_message(const Error& error) {
    const std::string_view pattern = entry_of(error.code).message;
    std::string message = error.row < 0 ? "" : "row " + std::to_string(error.row) + ": ";
    for (std::size_t at = 0; at < pattern.size();) {
        const std::size_t open = pattern.find('{', at);
        message += pattern.substr(at, open - at);
        if (open == std::string_view::npos) break;
        const std::size_t close = pattern.find('}', open);
        const std::string_view place = pattern.substr(open + 1, close - open - 1);
        message += place == "index" ? std::to_string(error.index) : place == "value" ? error.value : error.detail;
        at = close + 1;
    }
    return message;
}

std::string to_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return detail::shortest_text(value);
}

}  // namespace quillmate
