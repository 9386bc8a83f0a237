#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "report.hpp"

namespace quillmate::statistics {

// A function such as quillmate::uniform: seed, step, stream -> a multiple of 2^-53 in [0, 1).
using Uniform = double (*)(std::uint64_t seed, std::uint64_t step, std::uint64_t stream);

inline constexpr int bit_count = 53;
inline std::uint64_t bits_of(double u) { return static_cast<std::uint64_t>(u * 0x1p53); }

// How often one of two equally likely things happened, in standard deviations from the half.
inline double deviation(double count, double trials) { return (2 * count - trials) / std::sqrt(trials); }

// Tests one sequence of numbers, whatever it was taken along.
class SequenceTests {
public:
    SequenceTests(std::string name, std::vector<double> numbers, Findings& findings)
        : name_(std::move(name)), x_(std::move(numbers)), findings_(findings) {
        const int log2 = static_cast<int>(std::bit_width(x_.size())) - 1;
        for (const int bits : {4, 10, 16}) {
            bins<1>(std::to_string(bits) + " leading bits", std::min(bits, log2 - 5));
        }
        bins<2>("pairs", std::min(8, (log2 - 6) / 2));
        bins<3>("triples", std::min(5, (log2 - 7) / 3));
        correlations();
        runs_up();
        bit_positions();
    }

private:
    void found(std::string test, double p) { findings_.push_back({std::move(test), name_, p}); }

    // Tuples that do not overlap, by the leading bits of their numbers.
    template <std::size_t length>
    void bins(std::string test, int bits) {
        const std::size_t cells = std::size_t{1} << (static_cast<std::size_t>(bits) * length);
        std::vector<double> counts(cells);
        const std::size_t tuples = x_.size() / length;
        for (std::size_t i = 0; i < tuples; ++i) {
            std::size_t cell = 0;
            for (std::size_t j = 0; j < length; ++j) cell = cell << bits | bits_of(x_[i * length + j]) >> (bit_count - bits);
            ++counts[cell];
        }
        const std::vector<double> even(cells, 1 / static_cast<double>(cells));
        found(std::move(test), counts_p(counts, even, static_cast<double>(tuples)));
    }

    void correlations() {
        constexpr std::size_t lags = 32;
        double sum = 0;
        for (std::size_t lag = 1; lag <= lags; ++lag) {
            double products = 0;
            for (std::size_t i = lag; i < x_.size(); ++i) products += (x_[i] - 0.5) * (x_[i - lag] - 0.5);
            const double z = products * 12 / std::sqrt(static_cast<double>(x_.size() - lag));
            sum += z * z;
        }
        found("correlations at 32 lags", chi_square_p(sum, lags));
    }

    // Lengths of ascending runs; the number that ends a run is left out, which makes runs independent (Knuth, TAOCP 3.3.2 G).
    void runs_up() {
        constexpr std::size_t longest = 6;
        std::vector<double> counts(longest);
        double runs = 0;
        std::size_t length = 1;
        for (std::size_t i = 1; i < x_.size(); ++i) {
            if (x_[i] > x_[i - 1]) {
                ++length;
                continue;
            }
            ++counts[std::min(length, longest) - 1];
            ++runs;
            length = 1;
            ++i;
        }
        std::vector<double> chances(longest);
        double factorial = 1;
        for (std::size_t r = 1; r <= longest; ++r) {
            factorial *= static_cast<double>(r);
            chances[r - 1] = 1 / factorial - (r < longest ? 1 / (factorial * static_cast<double>(r + 1)) : 0);
        }
        found("runs up", counts_p(counts, chances, runs));
    }

    // Bits from the lowest, 64 numbers a word.
    void bit_positions() {
        const std::size_t words = x_.size() / 64;
        std::array<std::vector<std::uint64_t>, bit_count> columns;
        for (auto& column : columns) column.resize(words);
        for (std::size_t i = 0; i < words * 64; ++i) {
            const std::uint64_t number = bits_of(x_[i]);
            for (std::size_t bit = 0; bit < bit_count; ++bit) columns[bit][i / 64] |= (number >> bit & 1) << i % 64;
        }
        const auto squares = [&](auto word_of, int trials_per_word) {  // of the deviation of the ones in those words
            double ones = 0;
            for (std::size_t i = 0; i < words; ++i) ones += std::popcount(word_of(i));
            const double z = deviation(ones, static_cast<double>(words) * trials_per_word);
            return z * z;
        };
        double ones = 0;
        double changes = 0;
        double agreements = 0;
        for (const auto& a : columns) {
            ones += squares([&](std::size_t i) { return a[i]; }, 64);
            changes += squares([&](std::size_t i) { return (a[i] ^ a[i] >> 1) & ~std::uint64_t{0} >> 1; }, 63);
            for (const auto* b = columns.data(); b != &a; ++b) {
                agreements += squares([&](std::size_t i) { return a[i] ^ (*b)[i]; }, 64);
            }
        }
        found("each bit's ones", chi_square_p(ones, bit_count));
        found("each bit's changes", chi_square_p(changes, bit_count));
        found("pairs of bits", chi_square_p(agreements, bit_count * (bit_count - 1) / 2.0));
    }

    std::string name_;
    std::vector<double> x_;
    Findings& findings_;
};

// All tests of a generator, on sequences of n numbers.
class UniformBattery {
public:
    UniformBattery(Uniform uniform, std::size_t n) : uniform_(uniform), n_(n) {
        constexpr std::uint64_t seed = 42;
        const std::uint64_t word = (std::uint64_t{1} << 32) - n / 2;  // half of the numbers before the low word runs over
        sequence("steps", [&](std::uint64_t i) { return uniform_(seed, i, 0); });
        sequence("steps, 2^32", [&](std::uint64_t i) { return uniform_(seed, word + i, 0); });
        sequence("seeds", [&](std::uint64_t i) { return uniform_(i, 0, 0); });
        sequence("seeds, 2^32", [&](std::uint64_t i) { return uniform_(word + i, 0, 0); });
        sequence("streams", [&](std::uint64_t i) { return uniform_(seed, 0, i); });
        neighbours("steps", [&](std::uint64_t i, std::uint64_t j) { return uniform_(seed + j, i, 0); });
        neighbours("seeds", [&](std::uint64_t i, std::uint64_t j) { return uniform_(i, 7 + j, 0); });
        neighbours("streams", [&](std::uint64_t i, std::uint64_t j) { return uniform_(seed, 7 + j, i); });
        avalanche("seeds", [&](std::uint64_t flip, std::uint64_t i) { return uniform_(i ^ flip, i, 0); });
        avalanche("steps", [&](std::uint64_t flip, std::uint64_t i) { return uniform_(seed, i ^ flip, 0); });
        avalanche("streams", [&](std::uint64_t flip, std::uint64_t i) { return uniform_(seed, i, i ^ flip); });
    }
    [[nodiscard]] const Findings& findings() const { return findings_; }

private:
    template <class Number>
    void sequence(std::string name, Number number) {
        std::vector<double> numbers(n_);
        for (std::size_t i = 0; i < n_; ++i) numbers[i] = number(i);
        SequenceTests(std::move(name), std::move(numbers), findings_);
    }

    // A sequence and that of the next seed or step, shifted against each other: no text is another's continuation.
    template <class Number>
    void neighbours(std::string name, Number number) {
        constexpr std::uint64_t shifts = 16;
        const std::uint64_t n = n_ / 4;
        std::vector<double> numbers(n);
        std::vector<double> others(n + shifts);
        for (std::uint64_t i = 0; i < n; ++i) numbers[i] = number(i + shifts / 2, 0);
        for (std::uint64_t i = 0; i < n + shifts; ++i) others[i] = number(i, 1);
        double sum = 0;
        for (std::uint64_t shift = 0; shift <= shifts; ++shift) {
            double products = 0;
            for (std::uint64_t i = 0; i < n; ++i) products += (numbers[i] - 0.5) * (others[i + shift] - 0.5);
            const double z = products * 12 / std::sqrt(static_cast<double>(n));
            sum += z * z;
        }
        findings_.push_back({"beside its neighbour", std::move(name), chi_square_p(sum, shifts + 1)});
    }

    // Each of 64 input bits changes each of 53 output bits half of the time.
    template <class Number>
    void avalanche(std::string name, Number number) {
        const std::uint64_t trials = n_ / 256;
        double sum = 0;
        for (int input = 0; input < 64; ++input) {
            std::array<double, bit_count> changes{};
            for (std::uint64_t i = 0; i < trials; ++i) {
                // Only where the input bit is 0, so that no pair is there twice.
                const std::uint64_t flip = std::uint64_t{1} << input;
                const std::uint64_t low = i & (flip - 1);
                const std::uint64_t at = low | (i - low) << 1;
                const std::uint64_t changed = bits_of(number(0, at)) ^ bits_of(number(flip, at));
                for (std::size_t bit = 0; bit < bit_count; ++bit) changes[bit] += static_cast<double>(changed >> bit & 1);
            }
            for (const double count : changes) {
                const double z = deviation(count, static_cast<double>(trials));
                sum += z * z;
            }
        }
        findings_.push_back({"avalanche", std::move(name), chi_square_p(sum, 64 * bit_count)});
    }

    Uniform uniform_;
    std::size_t n_;
    Findings findings_;
};

}  // namespace quillmate::statistics
