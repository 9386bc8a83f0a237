// The time of one token on rows as a language model makes them, and of a row's fingerprint, beside what reading the row costs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "floor.hpp"
#include "quillmate/quillmate.hpp"

namespace {

using quillmate::Settings;

constexpr std::size_t vocab_size = 151'936;

// As tests/bench/rows.ts makes them: a Zipf-like head of this confidence over a Gaussian bulk 20 below the best, in random order.
std::vector<float> model_row(double confidence, std::uint64_t seed) {
    std::vector<std::size_t> order(vocab_size);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = vocab_size - 1; i > 0; --i) {
        std::swap(order[i], order[static_cast<std::size_t>(quillmate::uniform(seed, i) * static_cast<double>(i + 1))]);
    }
    std::vector<float> row(vocab_size);
    for (std::size_t rank = 0; rank < vocab_size; ++rank) {
        const double radius = std::sqrt(-2 * std::log(1 - quillmate::uniform(seed, rank, 1)));
        const double bulk = 2 * radius * std::cos(2 * M_PI * quillmate::uniform(seed, rank, 2));
        row[order[rank]] = static_cast<float>(std::max(bulk - 20, -confidence * std::log(1 + static_cast<double>(rank))) + 18);
    }
    return row;
}

// Eight, so that none stays in the cache.
const std::vector<std::vector<float>>& model_rows() {
    static const std::vector<std::vector<float>> rows = [] {
        std::vector<std::vector<float>> made;
        for (const double confidence : {1.3, 1.5, 1.7, 2.0, 2.3, 2.7, 3.3, 5.0}) {
            made.push_back(model_row(confidence, made.size()));
        }
        return made;
    }();
    return rows;
}

template <class Work>
void on_rows_in_turn(benchmark::State& state, Work work) {
    const auto& rows = model_rows();
    std::uint64_t step = 0;
    for (auto _ : state) {
        auto result = work(rows[step % rows.size()], step);
        benchmark::DoNotOptimize(result);
        ++step;
    }
}

void floor_of(benchmark::State& state, float (*kernel)(const float*, std::size_t)) {
    on_rows_in_turn(state, [&](const std::vector<float>& row, std::uint64_t) { return kernel(row.data(), row.size()); });
}

void fingerprint(benchmark::State& state) {
    on_rows_in_turn(state, [](const std::vector<float>& row, std::uint64_t) { return quillmate::row_hash(std::span(row)); });
}

void sample(benchmark::State& state, const Settings& settings) {
    on_rows_in_turn(state, [&](const std::vector<float>& row, std::uint64_t step) {
        return quillmate::sample_token(std::span(row), settings, quillmate::uniform(1, step, 9));
    });
}

BENCHMARK_CAPTURE(floor_of, block_maxima, quillmate_block_maxima);
BENCHMARK_CAPTURE(sample, greedy, Settings{.temperature = 0});
BENCHMARK_CAPTURE(sample, top_k_40_top_p_95, Settings{.temperature = 0.8, .top_k = 40, .top_p = 0.95});
BENCHMARK_CAPTURE(floor_of, softmax_sum, quillmate_softmax_sum);
BENCHMARK_CAPTURE(sample, top_p_95, Settings{.temperature = 0.8, .top_p = 0.95});
BENCHMARK_CAPTURE(sample, no_filter, Settings{.temperature = 0.8});
BENCHMARK(fingerprint);

}  // namespace
