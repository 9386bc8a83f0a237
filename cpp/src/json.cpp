#include "json.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "number_text.hpp"

namespace quillmate::detail {
namespace {

constexpr int max_depth = 16;
constexpr std::size_t max_fields = 256;  // of one object: names are compared one by one

void append_utf8(std::string& out, std::uint32_t code_point) {
    const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
    if (code_point < 0x80) {
        byte(code_point);
    } else if (code_point < 0x800) {
        byte(0xc0 | code_point >> 6);
        byte(0x80 | (code_point & 0x3f));
    } else if (code_point < 0x10000) {
        byte(0xe0 | code_point >> 12);
        byte(0x80 | (code_point >> 6 & 0x3f));
        byte(0x80 | (code_point & 0x3f));
    } else {
        byte(0xf0 | code_point >> 18);
        byte(0x80 | (code_point >> 12 & 0x3f));
        byte(0x80 | (code_point >> 6 & 0x3f));
        byte(0x80 | (code_point & 0x3f));
    }
}

// The bytes of the character that the text starts with; 0 where that is not UTF-8 (RFC 3629).
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return 1;
    if (first < 0xc0 || first > 0xf4) return 0;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    std::uint32_t code_point = first & 0x7fU >> length;
    for (std::size_t i = 1; i < length; ++i) {
        if (byte(i) >> 6 != 2) return 0;
        code_point = code_point << 6 | (byte(i) & 0x3f);
    }
    const std::uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    return code_point < least || surrogate || code_point > 0x10ffff ? 0 : length;
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<Json> parse() {
        Json value;
        if (read_value(value, 0)) {
            skip_space();
            if (at_ == text_.size()) return value;
            fail("something follows the value");
        }
        return std::unexpected(
            Error{.code = ErrorCode::STATE_NOT_JSON, .index = static_cast<std::int64_t>(at_), .detail = std::string(problem_)});
    }

private:
    bool fail(std::string_view problem) {
        if (problem_.empty()) problem_ = problem;
        return false;
    }

    void skip_space() {
        while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
    }

    bool take(char c) {
        skip_space();
        if (at_ >= text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    bool read_value(Json& value, int depth) {
        if (depth == max_depth) return fail("it is nested too deeply");
        skip_space();
        if (at_ >= text_.size()) return fail("it ends too early");
        switch (text_[at_]) {
            case '{': return read_object(value, depth);
            case '[': return read_array(value, depth);
            case '"': value.kind = Json::Kind::string; return read_string(value.text);
            case 't': return read_word(value, "true", Json::Kind::boolean);
            case 'f': return read_word(value, "false", Json::Kind::boolean);
            case 'n': return read_word(value, "null", Json::Kind::null);
            default: return read_number(value);
        }
    }

    bool read_word(Json& value, std::string_view word, Json::Kind kind) {
        if (!text_.substr(at_).starts_with(word)) return fail("no value starts like this");
        at_ += word.size();
        value.kind = kind;
        value.text = word;
        return true;
    }

    bool read_number(Json& value) {
        const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
        const std::string_view number = text_.substr(at_, end - at_);
        if (!parse_number(number)) return fail("no value starts like this");
        at_ = end;
        value.kind = Json::Kind::number;
        value.text = number;
        return true;
    }

    std::optional<std::uint32_t> read_four_hex_digits() {
        if (text_.size() - at_ < 4) return std::nullopt;
        std::uint32_t unit = 0;
        for (const char c : text_.substr(at_, 4)) {
            const std::size_t digit =
                std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
            if (digit == std::string_view::npos) return std::nullopt;
            unit = unit << 4 | static_cast<std::uint32_t>(digit);
        }
        at_ += 4;
        return unit;
    }

    bool read_escape(std::string& out) {
        constexpr std::string_view letters = "\"\\/bfnrt";
        constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
        if (at_ >= text_.size()) return fail("it ends too early");
        const char letter = text_[at_++];
        if (const std::size_t i = letters.find(letter); i != std::string_view::npos) {
            out += meanings[i];
            return true;
        }
        auto unit = letter == 'u' ? read_four_hex_digits() : std::nullopt;
        if (!unit) return fail("a string has an unknown escape");
        if (*unit >= 0xd800 && *unit < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
            at_ += 2;
            const auto low = read_four_hex_digits();
            if (!low || *low < 0xdc00 || *low > 0xdfff) return fail("a string has half of a surrogate pair");
            *unit = 0x10000 + ((*unit - 0xd800) << 10) + (*low - 0xdc00);
        }
        if (*unit >= 0xd800 && *unit <= 0xdfff) return fail("a string has half of a surrogate pair");
        append_utf8(out, *unit);
        return true;
    }

    bool read_string(std::string& out) {
        ++at_;
        while (at_ < text_.size()) {
            const std::string_view character = text_.substr(at_, utf8_length(text_.substr(at_)));
            if (character.empty()) return fail("a string is not UTF-8");
            const char c = character.front();
            at_ += character.size();
            if (c == '"') return true;
            if (c == '\\') {
                if (!read_escape(out)) return false;
            } else if (static_cast<unsigned char>(c) < 0x20) {
                return fail("a string has a control character");
            } else {
                out += character;
            }
        }
        return fail("it ends too early");
    }

    bool read_array(Json& value, int depth) {
        value.kind = Json::Kind::array;
        ++at_;
        if (take(']')) return true;
        do {
            if (!read_value(value.items.emplace_back(), depth + 1)) return false;
        } while (take(','));
        return take(']') || fail("a comma or a closing bracket is missing");
    }

    bool read_object(Json& value, int depth) {
        value.kind = Json::Kind::object;
        ++at_;
        if (take('}')) return true;
        do {
            skip_space();
            if (at_ >= text_.size() || text_[at_] != '"') return fail("a field's name is missing");
            std::string name;
            if (!read_string(name)) return false;
            if (value.find(name) != nullptr) return fail("a field is there twice");
            if (value.fields.size() == max_fields) return fail("an object has too many fields");
            if (!take(':')) return fail("a colon is missing");
            if (!read_value(value.fields.emplace_back(std::move(name), Json{}).value, depth + 1)) return false;
        } while (take(','));
        return take('}') || fail("a comma or a closing brace is missing");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string_view problem_;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
    const auto field = std::ranges::find(fields, name, &Field::name);
    return field == fields.end() ? nullptr : &field->value;
}

Result<Json> parse_json(std::string_view text) { return Parser(text).parse(); }

std::string quoted(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (const auto letter = std::string_view("\b\t\n\f\r").find(c); letter != std::string_view::npos) {
            out += '\\';
            out += "btnfr"[letter];
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00";
            out += hex[static_cast<std::size_t>(c) >> 4];
            out += hex[static_cast<std::size_t>(c) & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

}  // namespace quillmate::detail
