#pragma once

#include <span>
#include <vector>

#include "quillmate/error.hpp"
#include "quillmate/sampling.hpp"

namespace quillmate {

// What became of a draft token.
struct Speculation {
    Token token = 0;        // the token to emit: the draft token, or its correction
    bool accepted = false;  // whether it is the draft token
};

// One draft token checked against the target (Leviathan, Kalman, Matias, "Fast Inference from Transformers via Speculative
// Decoding", ICML 2023): the emitted token follows the target's law exactly.
//
// p_target, q_draft: non-negative finite weights of equal length, normalised exactly: p = p_target / sum, q = q_draft / sum.
// The draft is accepted when u_accept * q < p, decided exactly; otherwise max(0, p - q) is walked in ascending id and the
// first token whose running weight exceeds u_resample times the total is returned, decided exactly too.
// u_accept and u_resample must be independent numbers in [0, 1). p == q never rejects.
// Errors: EMPTY_ROW, WRONG_LENGTH, INVALID_WEIGHT, ZERO_TOTAL_WEIGHT, INVALID_TOKEN (draft out of range), DRAFT_WITHOUT_MASS,
// INVALID_U.
[[nodiscard]] Result<Speculation> speculative_step(std::span<const double> p_target, std::span<const double> q_draft,
                                                   Token draft_token, double u_accept, double u_resample);

// A token drawn from weights as speculative_step's correction is from the residual: the first in ascending id whose running weight
// exceeds u times the total, decided exactly. weights: finite, at least 0; u in [0, 1).
// Errors: EMPTY_ROW, INVALID_WEIGHT, ZERO_TOTAL_WEIGHT, INVALID_U.
[[nodiscard]] Result<Token> sample_weights(std::span<const double> weights, double u);

// The law of what speculation emits.
struct EmittedDistribution {
    std::vector<double> distribution;  // the law of the emitted token, one probability a token
    double alpha = 0;                  // the probability of acceptance, 1 - TV(p, q)
};

// The law of speculative_step's token, computed from its parts (accepted mass plus corrected mass), within 1e-12 of p.
// Errors: EMPTY_ROW, WRONG_LENGTH, INVALID_WEIGHT, ZERO_TOTAL_WEIGHT.
[[nodiscard]] Result<EmittedDistribution> emitted_distribution(std::span<const double> p_target,
                                                               std::span<const double> q_draft);

}  // namespace quillmate
