#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "quillmate/error.hpp"

namespace quillmate::detail {

// A parsed JSON value (RFC 8259). Numbers stay text, so that no 64-bit integer loses digits.
struct Json {
    struct Field;
    enum class Kind { null, boolean, number, string, array, object };

    Kind kind = Kind::null;
    std::string text;           // of a number or a string, or "true" / "false"
    std::vector<Json> items;    // of an array
    std::vector<Field> fields;  // of an object, in order; names are distinct

    // The field of that name; a null pointer where there is none.
    [[nodiscard]] const Json* find(std::string_view name) const;
};

struct Json::Field {
    std::string name;
    Json value;
};

// One value with nothing but white space around it, at most 16 levels deep and with 256 fields an object. Error: STATE_NOT_JSON with the place.
[[nodiscard]] Result<Json> parse_json(std::string_view text);

// The text as a JSON string, quotes included.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace quillmate::detail
