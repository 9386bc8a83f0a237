#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace quillmate::detail {

// The shortest decimal text that reads back as this very finite double, such as "0.8" or "1e-300". The same text on every
// platform and in every locale.
[[nodiscard]] std::string shortest_text(double value);

// The binary64 nearest to a number in JSON's grammar; nothing when the text is not one or the number overflows.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

}  // namespace quillmate::detail
