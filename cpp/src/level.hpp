#pragma once

#include "quillmate/sampling.hpp"

namespace quillmate::detail {

// The levels at which a comparison of sums can be decided, cheapest first:
//  blocks    bounds on each block's weight: from its lanes' maxima, refined by exponentials where it weighs much
//  float32   a float exponential for every token
//  binary64  every token that is kept weighed in binary64, sums with an error bound
//  exact     correctly rounded weights, whole numbers
// Sampling starts at the first level asked for and goes on until one decides; the last always does. Which one decided never
// shows in the token. Greedy choice and top-k compare logits and need no level.
enum class Level { blocks, float32, binary64, exact };
inline constexpr int level_count = 4;

struct Decision {
    Token token;
    Level level;  // that decided
};

[[nodiscard]] Result<Decision> decide(Level first, Logits logits, const Settings& settings, double u);

}  // namespace quillmate::detail
