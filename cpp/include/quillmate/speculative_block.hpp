#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "quillmate/error.hpp"
#include "quillmate/random_streams.hpp"
#include "quillmate/sampling.hpp"
#include "quillmate/speculative.hpp"

namespace quillmate {

// Blocks of draft tokens, each checked against the target, so that the emitted text follows the target's law (source: Leviathan,
// Kalman, Matias, ICML 2023). The rules are the same for every arithmetic, which is what Laws stands for:
//   using Law                                             a law over the vocabulary
//   std::size_t vocab_size(const Law&)
//   bool has_mass(const Law&, Token)                      false also outside the vocabulary
//   Result<Token> draw(const Law&, const RandomStream&, std::uint32_t position)
//   Result<Speculation> speculate(p, q, Token, const RandomStreams&, std::uint32_t position)
// BinaryLaws (weights as doubles) is for use, exact::ExactLaws (fractions) is its oracle.

// Draft tokens of a block, at most.
inline constexpr int largest_depth = 5;

// A draft token of a block.
template <class Laws>
struct Proposal {
    Token token = 0;       // the draft token
    typename Laws::Law q;  // what it was drawn from
};

// Draft tokens that were proposed together, and all that makes them fresh or stale.
template <class Laws>
struct Block {
    Owner owner;                            // whose it is
    std::uint64_t round = 0;                // of the owner's
    std::vector<Token> prefix;              // the text that it goes on from
    std::string context_id;                 // the models and processors that it was made for
    int fixed_depth = 0;                    // how many tokens it was to have
    std::vector<Proposal<Laws>> proposals;  // in order
    std::set<Token> stop_ids;               // those that it was made with
};

// What a block came to.
struct BlockResult {
    std::vector<Token> tokens;  // what is emitted: the accepted prefix, then a correction or, but for a stop id, a bonus
    int accepted_drafts = 0;    // how many of them are draft tokens
    bool rejected = false;      // whether the last is a correction
    bool stopped = false;       // whether the last is a stop id
};

// The law of the next token. It must be a pure function of the prefix that it is given, processors included.
template <class Laws>
using LawModel = std::function<Result<typename Laws::Law>(std::span<const Token> prefix)>;

namespace detail {

inline std::unexpected<Error> refuse_block(ErrorCode code, std::string detail, std::string value = {}) {
    return std::unexpected(Error{.code = code, .value = std::move(value), .detail = std::move(detail)});
}

template <class Tokens>
Result<void> check_tokens(const Tokens& tokens, std::size_t vocab_size, const char* what) {
    std::int64_t index = 0;
    for (const Token token : tokens) {
        if (token < 0 || static_cast<std::size_t>(token) >= vocab_size) {
            return std::unexpected(
                Error{.code = ErrorCode::INVALID_TOKEN, .index = index, .value = std::to_string(token), .detail = what});
        }
        ++index;
    }
    return {};
}

}  // namespace detail

// How a block is proposed.
struct ProposalOptions {
    int depth = 1;             // from 1 to 5, fixed before anything is drawn; a block is shorter only when a stop id was drawn
    std::string context_id;    // a name for the models and processors together; not empty
    std::set<Token> stop_ids;  // tokens that end the text
};

// A block of draft tokens, each drawn with the proposal stream at its position in the block.
// Errors: INVALID_DEPTH, INVALID_OWNER (an empty context id), INVALID_TOKEN (the prefix or a stop id outside the vocabulary),
// the model's and the law's own. Nothing is changed by it, also when the model throws.
template <class Laws>
[[nodiscard]] Result<Block<Laws>> propose(Laws& laws, const LawModel<Laws>& model, std::vector<Token> prefix,
                                          const RandomStreams& streams, const ProposalOptions& options) {
    if (options.depth < 1 || options.depth > largest_depth) {
        return detail::refuse_block(ErrorCode::INVALID_DEPTH, {}, std::to_string(options.depth));
    }
    if (options.context_id.empty()) return detail::refuse_block(ErrorCode::INVALID_OWNER, "context id", "empty");
    Block<Laws> block{streams.owner(), streams.round(), prefix, options.context_id, options.depth, {}, options.stop_ids};
    for (std::uint32_t position = 0; position < static_cast<std::uint32_t>(options.depth); ++position) {
        auto q = model(prefix);
        if (!q) return std::unexpected(std::move(q.error()));
        const std::size_t vocab_size = laws.vocab_size(*q);
        if (auto valid = detail::check_tokens(prefix, vocab_size, "the prefix"); !valid) return std::unexpected(valid.error());
        if (auto valid = detail::check_tokens(options.stop_ids, vocab_size, "the stop ids"); !valid) {
            return std::unexpected(valid.error());
        }
        const auto token = laws.draw(*q, streams.proposal(), position);
        if (!token) return std::unexpected(token.error());
        block.proposals.push_back({*token, std::move(*q)});
        prefix.push_back(*token);
        if (options.stop_ids.contains(*token)) break;
    }
    return block;
}

// The text of one request, which grows by what blocks emit.
template <class Laws>
class Verifier {
public:
    // A text that begins with the prefix.
    Verifier(Laws laws, Owner owner, std::vector<Token> prefix, std::string context_id, std::set<Token> stop_ids = {})
        : laws_(std::move(laws)),
          owner_(std::move(owner)),
          prefix_(std::move(prefix)),
          context_id_(std::move(context_id)),
          stop_ids_(std::move(stop_ids)) {}

    // The text so far.
    [[nodiscard]] const std::vector<Token>& prefix() const noexcept { return prefix_; }
    // Whether a stop id has ended it.
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    // Whether reset() must come first.
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    // The arithmetic.
    [[nodiscard]] Laws& laws() noexcept { return laws_; }

    // Checks each draft token in turn (acceptance and correction streams at its position), then draws a bonus with the
    // correction stream at the position after the block. Refused without any change: VERIFIER_STOPPED, VERIFIER_FAILED,
    // FOREIGN_BLOCK (owner), STALE_BLOCK (round, prefix, context or stop ids), INVALID_BLOCK (depth, proposals),
    // INVALID_TOKEN, DRAFT_WITHOUT_MASS, WRONG_LENGTH (vocabularies). Whatever goes wrong after that, in the target's model or
    // in its law, uses the round up and fails the verifier: the text stays as it was, and reset() must come first. What the
    // model throws passes through, with the same consequences.
    [[nodiscard]] Result<BlockResult> verify(const Block<Laws>& block, const RandomStreams& streams,
                                             const LawModel<Laws>& target) {
        if (auto fresh = check(block, streams); !fresh) return std::unexpected(std::move(fresh.error()));
        last_round_ = block.round;
        failed_ = true;
        std::vector<Token> current = prefix_;
        BlockResult result;
        const auto emit = [&](Token token) {
            result.tokens.push_back(token);
            current.push_back(token);
            result.stopped = stop_ids_.contains(token);
        };
        std::uint32_t position = 0;
        for (const auto& [token, q] : block.proposals) {
            const auto p = target(current);
            if (!p) return std::unexpected(p.error());
            const auto step = laws_.speculate(*p, q, token, streams, position++);
            if (!step) return std::unexpected(step.error());
            step->accepted ? static_cast<void>(++result.accepted_drafts) : static_cast<void>(result.rejected = true);
            emit(step->token);
            if (result.rejected || result.stopped) break;
        }
        if (!result.rejected && !result.stopped) {
            const auto p = target(current);
            if (!p) return std::unexpected(p.error());
            if (laws_.vocab_size(*p) != laws_.vocab_size(block.proposals[0].q)) return vocabularies();
            const auto token = laws_.draw(*p, streams.correction(), position);
            if (!token) return std::unexpected(token.error());
            emit(*token);
        }
        prefix_ = std::move(current);
        stopped_ = result.stopped;
        failed_ = false;
        return result;
    }

    // After a failure: the text is as before the block that failed, whose round is used up.
    void reset() noexcept { failed_ = false; }

private:
    static std::unexpected<Error> vocabularies() {
        return detail::refuse_block(ErrorCode::WRONG_LENGTH, "the block's laws and the target's have different vocabularies");
    }

    [[nodiscard]] Result<void> check(const Block<Laws>& block, const RandomStreams& streams) {
        using detail::refuse_block;
        if (stopped_) return refuse_block(ErrorCode::VERIFIER_STOPPED, {});
        if (failed_) return refuse_block(ErrorCode::VERIFIER_FAILED, {});
        if (block.owner != owner_) return refuse_block(ErrorCode::FOREIGN_BLOCK, "block");
        if (streams.owner() != owner_) return refuse_block(ErrorCode::FOREIGN_BLOCK, "random numbers");
        if (block.round != streams.round() || (last_round_ && block.round <= *last_round_)) {
            return refuse_block(ErrorCode::STALE_BLOCK, "round");
        }
        if (block.prefix != prefix_) return refuse_block(ErrorCode::STALE_BLOCK, "prefix");
        if (block.context_id != context_id_) return refuse_block(ErrorCode::STALE_BLOCK, "context");
        if (block.stop_ids != stop_ids_) return refuse_block(ErrorCode::STALE_BLOCK, "set of stop ids");
        const auto& proposals = block.proposals;
        if (block.fixed_depth < 1 || block.fixed_depth > largest_depth || proposals.empty() ||
            proposals.size() > static_cast<std::size_t>(block.fixed_depth)) {
            return refuse_block(ErrorCode::INVALID_BLOCK, "has the wrong number of tokens for its depth");
        }
        if (proposals.size() != static_cast<std::size_t>(block.fixed_depth) && !stop_ids_.contains(proposals.back().token)) {
            return refuse_block(ErrorCode::INVALID_BLOCK, "is shorter than its depth without a stop id at its end");
        }
        const std::size_t vocab_size = laws_.vocab_size(proposals[0].q);
        for (const auto& [token, q] : proposals) {
            if (laws_.vocab_size(q) != vocab_size) return vocabularies();
            if (!laws_.has_mass(q, token)) {
                return std::unexpected(Error{.code = ErrorCode::DRAFT_WITHOUT_MASS, .index = token});
            }
        }
        if (auto valid = detail::check_tokens(prefix_, vocab_size, "the prefix"); !valid) return valid;
        return detail::check_tokens(stop_ids_, vocab_size, "the stop ids");
    }

    Laws laws_;
    Owner owner_;
    std::vector<Token> prefix_;
    std::string context_id_;
    std::set<Token> stop_ids_;
    std::optional<std::uint64_t> last_round_;
    bool stopped_ = false;
    bool failed_ = false;
};

// Laws as weights in doubles, one for each token (0 for what a sparse draft does not list), with the uniform numbers of the
// streams; every comparison is decided exactly (speculative_step, sample_weights).
struct BinaryLaws {
    using Law = std::vector<double>;  // one weight a token

    // In tokens.
    [[nodiscard]] static std::size_t vocab_size(const Law& law) noexcept { return law.size(); }
    // False also outside the vocabulary.
    [[nodiscard]] static bool has_mass(const Law& law, Token token) noexcept {
        return token >= 0 && static_cast<std::size_t>(token) < law.size() && law[static_cast<std::size_t>(token)] > 0;
    }
    // See sample_weights.
    [[nodiscard]] static Result<Token> draw(const Law& law, const RandomStream& stream, std::uint32_t position) {
        return sample_weights(law, stream.uniform(position));
    }
    // See speculative_step.
    [[nodiscard]] static Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                       std::uint32_t position) {
        return speculative_step(p, q, token, streams.acceptance().uniform(position), streams.correction().uniform(position));
    }
};

}  // namespace quillmate
