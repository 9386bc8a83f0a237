#pragma once

#include <functional>
#include <vector>

#include "quillmate/exact/categorical.hpp"
#include "quillmate/speculative_block.hpp"

namespace quillmate::exact {

// Which of several tickets' holders is drawn, with the stream's numbers at a position.
using Choice = std::function<std::size_t(std::span<const Integer> tickets, const RandomStream& stream, std::uint32_t position)>;

// By rejection, exactly in proportion.
[[nodiscard]] std::size_t choose_by_rejection(std::span<const Integer> tickets, const RandomStream& stream,
                                              std::uint32_t position);
// With the uniform number u, a multiple of 2^-53, taken as a fraction: the first whose running tickets exceed u times all of
// them, which is how BinaryLaws choose; the same laws give the same tokens.
[[nodiscard]] std::size_t choose_by_uniform(std::span<const Integer> tickets, const RandomStream& stream,
                                            std::uint32_t position);

// Blocks in fractions (see speculative_block.hpp).
struct ExactLaws {
    using Law = Categorical;              // a law over the vocabulary
    Choice choose = choose_by_rejection;  // how tickets are drawn

    // In tokens.
    [[nodiscard]] static std::size_t vocab_size(const Law& law) noexcept { return law.vocab_size(); }
    // False also outside the vocabulary.
    [[nodiscard]] static bool has_mass(const Law& law, Token token) { return law.tickets_of(token) > 0; }
    // A token of the law, with the stream's numbers at a position.
    [[nodiscard]] Result<Token> draw(const Law& law, const RandomStream& stream, std::uint32_t position) const {
        return law.ids()[choose(law.tickets(), stream, position)];
    }
    // Whether a draft token of q stands for p, and what comes instead. Errors: WRONG_LENGTH, INVALID_TOKEN, DRAFT_WITHOUT_MASS.
    [[nodiscard]] Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                std::uint32_t position) const;
};

}  // namespace quillmate::exact
