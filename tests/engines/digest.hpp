#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quillmate::test {

// FNV-1a, 64 bits, over everything that was added; digest.ts makes the same. A number is the eight bytes of its binary64, lowest
// first, a text its length in bytes and its bytes.
class Digest {
public:
    struct Mark {
        std::string name;
        std::uint64_t hash;  // of everything up to here
    };

    void add(double value) {
        auto bits = std::bit_cast<std::uint64_t>(value);
        for (int i = 0; i < 8; ++i, bits >>= 8) add_byte(static_cast<std::uint8_t>(bits));
        ++values_;
    }
    void add(std::string_view text) {
        add(static_cast<double>(text.size()));
        for (const char byte : text) add_byte(static_cast<std::uint8_t>(byte));
    }
    void mark(std::string name) { marks_.push_back({std::move(name), hash_}); }

    [[nodiscard]] std::uint64_t values() const { return values_; }
    [[nodiscard]] const std::vector<Mark>& marks() const { return marks_; }

private:
    void add_byte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

    std::uint64_t hash_ = 0xcbf29ce484222325;
    std::uint64_t values_ = 0;
    std::vector<Mark> marks_;
};

}  // namespace quillmate::test
