#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace quillmate {

// What went wrong. The list, with the messages, is error_codes.def; values start at 1.
enum class ErrorCode : int {
    none = 0,
#define QUILLMATE_ERROR(code, message) code,
#include "quillmate/error_codes.def"
#undef QUILLMATE_ERROR
};

// A refusal. Whoever returns one has changed nothing.
struct Error {
    ErrorCode code = ErrorCode::none;  // which
    std::int64_t index = -1;           // which element (token id, position, character), -1 where none is meant
    std::string value = {};            // what was given, as text
    std::string detail = {};           // what it was given for
    std::int64_t row = -1;             // which row of a batch, -1 for a single row
};

// A value, or why there is none.
template <class T>
using Result = std::expected<T, Error>;

// The code's name as TypeScript has it, such as "NAN_LOGIT"; empty for a number that is no code.
[[nodiscard]] std::string_view error_name(ErrorCode code) noexcept;

// The sentence for people: names the value and the remedy.
[[nodiscard]] std::string error_message(const Error& error);

// A double as people write it: "0.7", "NaN", "Infinity".
[[nodiscard]] std::string to_text(double value);

}  // namespace quillmate
