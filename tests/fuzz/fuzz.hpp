#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

#include "quillmate/error.hpp"

// What a fuzzing target needs. libFuzzer calls it with bytes of its own making; replay.cpp calls it with files.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quillmate::fuzz {

// A property that does not hold ends the process, which is how libFuzzer learns of it.
inline void check(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
}

// The input, read from the front: little-endian, zeros behind its end.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    template <class T>
    T take() {
        T value{};
        const std::size_t count = std::min(sizeof value, rest_.size());
        std::memcpy(&value, rest_.data(), count);
        rest_ = rest_.subspan(count);
        return value;
    }
    [[nodiscard]] std::span<const std::uint8_t> rest() const { return rest_; }

private:
    std::span<const std::uint8_t> rest_;
};

// The boundary itself or one of the doubles beside it, in [0, 1): where a decision turns.
inline double beside(double boundary, unsigned which) {
    if (which % 3 == 1) boundary = std::nextafter(boundary, -1.0);
    if (which % 3 == 2) boundary = std::nextafter(boundary, 2.0);
    return std::clamp(boundary, 0.0, 1 - 0x1p-53);
}

// Every refusal has a code with a name, a sentence, and an element that there is, or none.
inline void check_error(const Error& error, std::size_t elements) {
    check(!error_name(error.code).empty(), "an error has a code");
    check(!error_message(error).empty(), "an error has a message");
    check(error.index >= -1 && error.index < static_cast<std::int64_t>(elements), "an error's index is in range");
}

inline bool same_error(const Error& a, const Error& b) {
    return a.code == b.code && a.index == b.index && a.value == b.value && a.detail == b.detail;
}

}  // namespace quillmate::fuzz
