#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quillmate/error.hpp"
#include "quillmate/logits.hpp"
#include "quillmate/settings.hpp"

namespace quillmate {

// Token ids; a row has fewer than 2^31 tokens.
using Token = std::int32_t;

// The rules, in this order:
//  1. temperature 0: the id of the largest logit, the lowest id on ties; the rest is ignored.
//  2. A logit of minus infinity bans its token: it is never returned.
//  3. Scaled logit z = (x - max) / temperature in binary64, one subtraction and one division.
//  4. top_k > 0 keeps the k highest logits; of equal logits the lower id goes first.
//  5. The weight of a kept token is e^z rounded to the nearest binary64; its probability is weight / sum, exactly.
//  6. top_p < 1 keeps, in the order of rule 4, the shortest prefix whose share is at least top_p - 2^-40; at least one.
//  7. Walking what is kept in ascending id, the first token whose running weight exceeds u times the kept total.
// Every comparison of sums is decided as if in rational arithmetic, so no processor, SIMD width or batch changes a token.
//
// u: a number in [0, 1). Errors: EMPTY_ROW, NAN_LOGIT and INFINITE_LOGIT (index: the first such token), ALL_BANNED,
// INVALID_TEMPERATURE, INVALID_TOP_K, INVALID_TOP_P, INVALID_U.
[[nodiscard]] Result<Token> sample_token(Logits logits, const Settings& settings, double u);

// A row's own settings and number.
struct Draw {
    Settings settings;  // those of the row
    double u = 0;       // in [0, 1)
};

// Rows of equal length, one after the other: out[i] = sample_token(row i, draws[i].settings, draws[i].u).
// logits.size() must be a positive multiple of draws.size(), which is the number of rows; out has one place a row.
// Errors: those of sample_token, with the row's number; WRONG_LENGTH. On an error out is unchanged.
[[nodiscard]] Result<void> sample_batch(Logits logits, std::span<const Draw> draws, std::span<Token> out);

// What rules 1 to 6 keep: ids ascending, and the probability of each, rounded to the nearest binary64.
// Temperature 0 keeps the one largest logit, with probability 1.
struct Distribution {
    std::vector<Token> ids;             // ascending
    std::vector<double> probabilities;  // as many
};

// Errors: those of sample_token but INVALID_U.
[[nodiscard]] Result<Distribution> distribution(Logits logits, const Settings& settings);

}  // namespace quillmate
