// The time of one token on rows as a language model makes them, and on the honest worst case, equal logits.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "quillmate/quillmate.hpp"

namespace {

using quillmate::Settings;

constexpr std::size_t vocab_size = 151'936;

// Normally distributed logits (Box and Muller), with a standard deviation of 3.
std::vector<float> model_row() {
    std::vector<float> row(vocab_size);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double radius = std::sqrt(-2 * std::log(1 - quillmate::uniform(1, i)));
        row[i] = static_cast<float>(3 * radius * std::cos(2 * M_PI * quillmate::uniform(1, i, 1)));
    }
    return row;
}

void sample(benchmark::State& state, const std::vector<float>& row, const Settings& settings) {
    std::uint64_t step = 0;
    for (auto _ : state) {
        auto token = quillmate::sample_token(std::span(row), settings, quillmate::uniform(1, step++));
        benchmark::DoNotOptimize(token);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(row.size() * sizeof(float)));
}

BENCHMARK_CAPTURE(sample, no_filter, model_row(), Settings{});
BENCHMARK_CAPTURE(sample, temperature_0, model_row(), Settings{.temperature = 0});
BENCHMARK_CAPTURE(sample, top_k_40, model_row(), Settings{.top_k = 40});
BENCHMARK_CAPTURE(sample, top_p_95, model_row(), Settings{.top_p = 0.95});
BENCHMARK_CAPTURE(sample, usual_settings, model_row(), Settings{.temperature = 0.8, .top_k = 40, .top_p = 0.95});
BENCHMARK_CAPTURE(sample, equal_logits_top_p_95, std::vector<float>(vocab_size), Settings{.top_p = 0.95});

}  // namespace
