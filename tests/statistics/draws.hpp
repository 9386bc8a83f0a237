#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quillmate/sampling.hpp"
#include "quillmate/speculative.hpp"
#include "quillmate/uniform.hpp"
#include "report.hpp"

namespace quillmate::statistics {

// Whether tokens drawn with the library's own numbers follow the law that the library states: of one seed's steps and of
// neighbouring seeds' first tokens. With a control, the draws are made from something else than the law is stated for.
class Draws {
public:
    Draws(std::uint64_t draws, bool control) : draws_(draws), control_(control) {
        row("8 tokens", {0, 1, 2, -1, 0.5, 1.5, -3, 0.25}, {});
        row("50 tokens, most banned", allow_few(noise(50, 20)), {.temperature = 2});
        row("1000 tokens, top-k 40, top-p .95", falling(1000), {.temperature = 0.8, .top_k = 40, .top_p = 0.95});
        row("2100 tokens", falling(2100), {});
        row("2100 tokens, top-p .9", falling(2100), {.temperature = 1.2, .top_p = 0.9});
        speculation("3 tokens", std::vector{0.34, 0.33, 0.33}, std::vector{0.8, 0.15, 0.05});
        speculation("64 tokens", weights(64, 1), weights(64, 2));
    }
    [[nodiscard]] const Findings& findings() const { return findings_; }

private:
    static std::vector<float> noise(std::size_t size, double width) {
        std::vector<float> row(size);
        for (std::size_t i = 0; i < size; ++i) row[i] = static_cast<float>(width * (uniform(99, i) - 0.5));
        return row;
    }
    static std::vector<float> allow_few(std::vector<float> row) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = i % 5 == 0 ? row[i] : -INFINITY;
        return row;
    }
    // Weights like a language model's: the n-th token weighs about n^-2; in no order.
    static std::vector<float> falling(std::size_t size) {
        std::vector<float> row = noise(size, 2);
        for (std::size_t i = 0; i < size; ++i) row[i * 1237 % size] -= 2 * std::log(1 + static_cast<float>(i));
        return row;
    }
    static std::vector<double> weights(std::size_t size, std::uint64_t seed) {
        std::vector<double> weights(size);
        for (std::size_t i = 0; i < size; ++i) weights[i] = std::exp(3 * uniform(seed, i));
        return weights;
    }

    void row(const std::string& name, const std::vector<float>& logits, const Settings& settings) {
        const auto law = distribution(std::span(logits), settings);
        Settings used = settings;
        if (control_) used.temperature *= 1.25;
        const auto test = [&](std::string of, auto number) {
            std::vector<double> counts(law->ids.size() + 1);  // the last for tokens that the law does not have
            for (std::uint64_t i = 0; i < draws_; ++i) {
                const Token token = *sample_token(std::span(logits), used, number(i));
                const auto place = std::ranges::lower_bound(law->ids, token);
                const bool known = place != law->ids.end() && *place == token;
                ++counts[known ? static_cast<std::size_t>(place - law->ids.begin()) : law->ids.size()];
            }
            const bool foreign = counts.back() > 0;
            counts.pop_back();
            const double p = counts_p(counts, law->probabilities, static_cast<double>(draws_));
            findings_.push_back({name, std::move(of), foreign && !control_ ? 0 : p});
        };
        test("steps", [](std::uint64_t i) { return uniform(42, i); });
        test("seeds", [](std::uint64_t i) { return uniform(i, 0); });
    }

    // A draft proposed with its own stream, then checked. The controls are two that were published: the number that accepted
    // also corrects; the number that proposed also accepts.
    void speculation(const std::string& name, const std::vector<double>& target, const std::vector<double>& draft) {
        const auto law = emitted_distribution(target, draft);
        double total = 0;
        for (const double weight : draft) total += weight;
        const auto test = [&](std::string of, auto number) {
            std::vector<double> counts(target.size());
            double accepted = 0;
            for (std::uint64_t i = 0; i < draws_; ++i) {
                const double proposing = number(i, stream::draft);
                const double accepting = number(i, control_ ? stream::draft : stream::accept);
                const double correcting = number(i, control_ ? stream::draft : stream::residual);
                std::size_t proposed = 0;
                for (double running = draft[0]; running <= proposing * total; running += draft[proposed]) ++proposed;
                const auto step = speculative_step(target, draft, static_cast<Token>(proposed), accepting, correcting);
                ++counts[static_cast<std::size_t>(step->token)];
                accepted += step->accepted ? 1 : 0;
            }
            const auto n = static_cast<double>(draws_);
            findings_.push_back({name + ", speculative", of, counts_p(counts, law->distribution, n)});
            const double z = (accepted - n * law->alpha) / std::sqrt(n * law->alpha * (1 - law->alpha));
            findings_.push_back({name + ", acceptance", std::move(of), normal_p(z)});
        };
        test("steps", [](std::uint64_t i, std::uint64_t stream) { return uniform(42, i, stream); });
        test("seeds", [](std::uint64_t i, std::uint64_t stream) { return uniform(i, 0, stream); });
    }

    std::uint64_t draws_;
    bool control_;
    Findings findings_;
};

}  // namespace quillmate::statistics
