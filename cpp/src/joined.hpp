#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace quillmate::detail {

// The parts one after the other: one call, where an operator+ for each part would be most of a function's code.
[[nodiscard, gnu::noinline]] inline std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

}  // namespace quillmate::detail
