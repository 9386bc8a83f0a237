#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "quillmate/error.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate {

// Whose draws they are: a request, and which of its generations.
struct Owner {
    std::string request_id;        // not empty
    std::uint64_t generation = 0;  // which of the request's
    friend bool operator==(const Owner&, const Owner&) = default;
};

// The random numbers of one key and one purpose (see quillmate::stream), addressed by position: nothing is consumed.
class RandomStream {
public:
    // Any key, any purpose.
    RandomStream(std::uint64_t key, std::uint64_t purpose) noexcept : key_(key), purpose_(purpose) {}

    // As given.
    [[nodiscard]] std::uint64_t key() const noexcept { return key_; }
    // As given.
    [[nodiscard]] std::uint64_t purpose() const noexcept { return purpose_; }
    // In [0, 1): quillmate::uniform(key, position, purpose).
    [[nodiscard]] double uniform(std::uint32_t position) const noexcept { return quillmate::uniform(key_, position, purpose_); }
    // The words behind it, and as many more as a draw may need: word index % 4 of philox4x32 with the counter
    // (position, index / 4, purpose low, purpose high) and the key (low, high).
    [[nodiscard]] std::uint32_t word(std::uint32_t position, std::uint32_t index) const noexcept;

private:
    std::uint64_t key_, purpose_;
};

// Streams for the proposal, the acceptance and the correction (or bonus) of one round, none of which has a number in common
// with another's. The key is the seed, through which (length of the request id in bytes, generation), then the id's UTF-8 in
// pieces of 16 bytes, the last filled up with zeros, then (round, 0) are passed: for each pair (a, b) of 64-bit numbers, a piece
// being two of them, low byte first, the next key is the first two words of philox4x32 with the counter (a low, a high, b low, b
// high) and the key so far. The same owner, round and seed give the same numbers at any time; it is no cryptographic hash.
class RandomStreams {
public:
    // Errors: INVALID_OWNER (an empty request id).
    [[nodiscard]] static Result<RandomStreams> create(std::uint64_t seed, Owner owner, std::uint64_t round);

    // As given.
    [[nodiscard]] const Owner& owner() const noexcept { return owner_; }
    // As given.
    [[nodiscard]] std::uint64_t round() const noexcept { return round_; }
    // What seed, owner and round come to.
    [[nodiscard]] std::uint64_t key() const noexcept { return key_; }
    // Draws draft tokens.
    [[nodiscard]] RandomStream proposal() const noexcept { return {key_, stream::draft}; }
    // Decides whether they stand.
    [[nodiscard]] RandomStream acceptance() const noexcept { return {key_, stream::accept}; }
    // Draws what comes instead, or after them.
    [[nodiscard]] RandomStream correction() const noexcept { return {key_, stream::residual}; }

private:
    RandomStreams(std::uint64_t key, Owner owner, std::uint64_t round) : key_(key), owner_(std::move(owner)), round_(round) {}

    std::uint64_t key_;
    Owner owner_;
    std::uint64_t round_;
};

}  // namespace quillmate
