#pragma once

#include <array>
#include <cstdint>

namespace quillmate {

// What a uniform number is drawn for. A draw belongs to a position (step) and a purpose (stream): nothing is consumed.
namespace stream {
inline constexpr std::uint64_t token = 0;     // draws a token
inline constexpr std::uint64_t draft = 1;     // proposes a draft token
inline constexpr std::uint64_t accept = 2;    // decides whether it stands
inline constexpr std::uint64_t residual = 3;  // draws what comes instead
}  // namespace stream

// The Philox4x32-10 counter-based generator. Source: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC'11; checked against the Random123 library's published known answers.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key) noexcept;

// A uniform multiple of 2^-53 in [0, 1): a pure function of its arguments. key = seed, counter = (step, stream), low word
// first; the first two of the four output words make the number. The same numbers as cuRAND's Philox after
// curand_init(seed, stream, 4 * step).
[[nodiscard]] double uniform(std::uint64_t seed, std::uint64_t step, std::uint64_t stream = stream::token) noexcept;

}  // namespace quillmate
