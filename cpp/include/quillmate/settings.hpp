#pragma once

#include <cstdint>

#include "quillmate/error.hpp"

namespace quillmate {

// How a token is drawn from a row of logits; see sampling.hpp for the rules.
struct Settings {
    double temperature = 1;  // finite, >= 0; 0 (also -0) returns the largest logit and ignores the others
    std::int64_t top_k = 0;  // >= 0; 0 keeps every token
    double top_p = 1;        // in [0, 1]; 1 keeps every token

    friend bool operator==(const Settings&, const Settings&) = default;
};

// Errors: INVALID_TEMPERATURE, INVALID_TOP_K, INVALID_TOP_P.
[[nodiscard]] Result<void> validate(const Settings& settings);

// u must lie in [0, 1). Error: INVALID_U.
[[nodiscard]] Result<void> validate_u(double u);

}  // namespace quillmate
