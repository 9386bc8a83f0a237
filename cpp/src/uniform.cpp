#include "quillmate/uniform.hpp"

namespace quillmate {

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) noexcept {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
        const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
                   static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
        key[0] += 0x9E3779B9;
        key[1] += 0xBB67AE85;
    }
    return counter;
}

double uniform(std::uint64_t seed, std::uint64_t step, std::uint64_t stream) noexcept {
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
    const auto words = philox4x32({low(step), high(step), low(stream), high(stream)}, {low(seed), high(seed)});
    const std::uint64_t mantissa = std::uint64_t{words[0] >> 5} << 26 | words[1] >> 6;
    return static_cast<double>(mantissa) * 0x1p-53;
}

}  // namespace quillmate
