#pragma once

#include <cstdint>

#include "quillmate/logits.hpp"

namespace quillmate {

// A fingerprint of the row's numbers: equal rows have equal ones on every machine, and rows that differ have different ones but
// for one chance in about 2^64. Not cryptographic. A zero's sign does not count, since no rule looks at it.
//
// The row is a sequence of words of 32 bits: a number of at most 32 bits widened to binary32, a binary64 as its low and its high
// half; zeros follow up to a multiple of 64 words. Word i goes to lane i mod 16: lane = lane * 0x9e3779b1 + (word ^ word >> 16)
// mod 2^32, from 0. Then hash = finish(hash ^ lane[2j] ^ lane[2j + 1] * 2^32) for j = 0 to 7, from the number of words in the row,
// where finish is the last step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
[[nodiscard]] std::uint64_t row_hash(Logits logits) noexcept;

// The fingerprint of a sequence of rows: the chain of none is 0, and each row goes on with
// finish(finish(chain + 0x9e3779b97f4a7c15) + row_hash(row)).
[[nodiscard]] std::uint64_t chained(std::uint64_t chain, std::uint64_t row_hash) noexcept;

}  // namespace quillmate
