#include "quillmate/random_streams.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace quillmate {
namespace {

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

std::uint64_t passed_through(std::uint64_t key, std::uint64_t a, std::uint64_t b) {
    const auto words = philox4x32({low(a), high(a), low(b), high(b)}, {low(key), high(key)});
    return std::uint64_t{words[1]} << 32 | words[0];
}

// Up to eight bytes, low byte first, whatever the processor's own order.
std::uint64_t number_of(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < std::min(bytes.size(), std::size_t{8}); ++i) {
        number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << 8 * i;
    }
    return number;
}

}  // namespace

std::uint32_t RandomStream::word(std::uint32_t position, std::uint32_t index) const noexcept {
    return philox4x32({position, index / 4, low(purpose_), high(purpose_)}, {low(key_), high(key_)})[index % 4];
}

Result<RandomStreams> RandomStreams::create(std::uint64_t seed, Owner owner, std::uint64_t round) {
    if (owner.request_id.empty()) {
        return std::unexpected(Error{.code = ErrorCode::INVALID_OWNER, .value = "empty", .detail = "request id"});
    }
    const std::string_view id = owner.request_id;
    std::uint64_t key = passed_through(seed, id.size(), owner.generation);
    for (std::size_t i = 0; i < id.size(); i += 16) {
        key = passed_through(key, number_of(id.substr(i)), i + 8 < id.size() ? number_of(id.substr(i + 8)) : 0);
    }
    return RandomStreams(passed_through(key, round, 0), std::move(owner), round);
}

}  // namespace quillmate
