#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quillmate/exact/number.hpp"
#include "quillmate/sampling.hpp"

namespace quillmate::exact {

// A law over a finite vocabulary in which probabilities are fractions. Tokens that are not listed have no mass at all.
class Categorical {
public:
    // Weights of the listed ids, normalised. Errors: WRONG_LENGTH (as many ids as weights), INVALID_TOKEN (outside the
    // vocabulary), DUPLICATE_TOKEN (also with weight 0), INVALID_WEIGHT (negative), ZERO_TOTAL_WEIGHT (also without ids).
    [[nodiscard]] static Result<Categorical> create(std::size_t vocab_size, std::span<const Token> ids,
                                                    std::span<const Rational> weights);
    // A weight for each token of the vocabulary. Errors: as create.
    [[nodiscard]] static Result<Categorical> dense(std::span<const Rational> weights);
    // The same of doubles, which are taken as the fractions that they are.
    [[nodiscard]] static Result<Categorical> dense(std::span<const double> weights);

    // In tokens.
    [[nodiscard]] std::size_t vocab_size() const noexcept { return vocab_size_; }
    // The listed ids, ascending.
    [[nodiscard]] std::span<const Token> ids() const noexcept { return ids_; }
    // The least whole numbers that the probabilities of the listed ids are as.
    [[nodiscard]] std::span<const Integer> tickets() const noexcept { return tickets_; }
    // The sum of all tickets.
    [[nodiscard]] const Integer& total() const noexcept { return total_; }
    // The tickets of any token of the vocabulary, 0 for those that are not listed.
    [[nodiscard]] Integer tickets_of(Token token) const;

    // Errors: INVALID_TOKEN.
    [[nodiscard]] Result<Rational> prob(Token token) const;
    // Random tickets by rejection (random_below): no number is rounded.
    [[nodiscard]] Token sample(const RandomStream& stream, std::uint32_t position) const;
    // The law without the tokens that are not allowed. Errors: WRONG_LENGTH (one flag a token), ZERO_TOTAL_WEIGHT.
    [[nodiscard]] Result<Categorical> masked(const std::vector<bool>& allowed) const;
    // The k most likely of the listed tokens, of equals the lower id. Errors: INVALID_SUPPORT_SIZE (from 1 to the vocabulary's).
    [[nodiscard]] Result<Categorical> sparse_topk(std::size_t k) const;

    friend bool operator==(const Categorical&, const Categorical&) = default;

private:
    Categorical(std::size_t vocab_size, std::vector<Token> ids, std::vector<Integer> tickets);
    // The tickets, of which some are not 0, divided by what they have in common.
    static Result<Categorical> of_tickets(std::size_t vocab_size, std::vector<Token> ids, std::vector<Integer> tickets);
    friend Result<Categorical> residual(const Categorical& p, const Categorical& q);

    std::size_t vocab_size_;
    std::vector<Token> ids_;
    std::vector<Integer> tickets_;
    Integer total_;
};

// Weights rounded to the nearest float32, ties to even, before they are normalised: a law as it is sent in that format.
// Errors: those of create; INVALID_WEIGHT also for a weight that rounds beyond the largest float32.
[[nodiscard]] Result<Categorical> fp32_weights(std::size_t vocab_size, std::span<const Token> ids,
                                               std::span<const Rational> weights);

// min(1, p / q) of a token that was drawn from q. Errors: WRONG_LENGTH (two vocabularies), INVALID_TOKEN, DRAFT_WITHOUT_MASS.
[[nodiscard]] Result<Rational> acceptance(const Categorical& p, const Categorical& q, Token token);

// max(0, p - q), normalised, over the whole vocabulary. Errors: WRONG_LENGTH, ZERO_TOTAL_WEIGHT (p is q: nothing is rejected).
[[nodiscard]] Result<Categorical> residual(const Categorical& p, const Categorical& q);

}  // namespace quillmate::exact
