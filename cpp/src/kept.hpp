#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "quillmate/sampling.hpp"

namespace quillmate::detail {

// Tokens of a row that are looked at one by one, ids ascending. The vectors only grow, the first `count` of each are in use.
struct Kept {
    std::size_t count = 0;
    std::vector<Token> ids;
    std::vector<double> logits;   // widened; zeros are positive, so that equal logits have equal bits
    std::vector<double> weights;  // approximate or exact, as the level at work says

    // Makes room for `more` tokens, which may then be written behind the others.
    void reserve(std::size_t more) {
        if (count + more <= ids.size()) return;
        ids.resize(count + more);
        logits.resize(count + more);
        weights.resize(count + more);
    }
};

// A prefix in the order of rule 4: every logit above `logit`, and those tokens with exactly it whose id is not above `last`.
struct Cut {
    double logit = -std::numeric_limits<double>::infinity();
    Token last = std::numeric_limits<Token>::max();

    // Without branches: which tokens are kept cannot be predicted.
    [[nodiscard]] bool keeps(double x, Token id) const { return (x > logit) | ((x == logit) & (id <= last)); }
};

}  // namespace quillmate::detail
