// random_bits AXIS: writes the 53 bits of each number along steps, seeds or streams to standard output, one after the other and
// without end, for other people's batteries. random_bits lattice writes those of a bad generator.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "quillmate/uniform.hpp"

int main(int argc, char** argv) {
    using quillmate::uniform;
    const std::string_view axis = argc == 2 ? argv[1] : "";
    double (*number)(std::uint64_t) = nullptr;
    if (axis == "steps") number = [](std::uint64_t i) { return uniform(42, i); };
    if (axis == "seeds") number = [](std::uint64_t i) { return uniform(i, 0); };
    if (axis == "streams") number = [](std::uint64_t i) { return uniform(42, 0, i); };
    if (axis == "lattice") number = [](std::uint64_t i) { return static_cast<double>(i * 0x9e3779b97f4a7c15 >> 11) * 0x1p-53; };
    if (number == nullptr) {
        std::fputs("usage: random_bits steps|seeds|streams|lattice\n", stderr);
        return 2;
    }
    std::array<std::uint64_t, 53 * 64> block;  // 4096 numbers
    for (std::uint64_t i = 0;;) {
        block.fill(0);
        for (std::size_t bit = 0; bit < block.size() * 64; bit += 53, ++i) {
            const auto bits = static_cast<std::uint64_t>(number(i) * 0x1p53);
            block[bit / 64] |= bits << bit % 64;
            if (bit % 64 > 11) block[bit / 64 + 1] |= bits >> (64 - bit % 64);
        }
        if (std::fwrite(block.data(), sizeof block, 1, stdout) != 1) return 0;  // the reader has enough
    }
}
