#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quillmate/error.hpp"
#include "quillmate/sampling.hpp"

namespace quillmate {

// The identity of the model that produced a text: names and values, kept in the state in this order, never interpreted. At
// most 256 distinct names; all of it UTF-8.
using ModelIdentity = std::vector<std::pair<std::string, std::string>>;

// A resumable stream of tokens: its next token depends on the seed, the number of tokens drawn so far, the settings and the
// row of logits, and on nothing else. It holds no model: the caller evaluates tokens() and hands in the row.
// Not thread-safe; distinct generators are independent.
class Generator {
public:
    // prompt: the tokens the text starts with, each >= 0; may be empty. Errors: INVALID_TOKEN, INVALID_MODEL, those of
    // validate(settings).
    [[nodiscard]] static Result<Generator> create(std::span<const Token> prompt, std::uint64_t seed, const Settings& settings,
                                                  ModelIdentity model = {});

    // Reads what state() wrote. Errors: STATE_NOT_JSON, STATE_FOREIGN_FORMAT, STATE_UNKNOWN_VERSION, STATE_INCONSISTENT.
    [[nodiscard]] static Result<Generator> from_state(std::string_view json);

    // Draws the next token from the row for tokens(), with uniform(seed, step()), and appends it. On an error the generator
    // is as before. Errors: those of sample_token; WRONG_LENGTH when the row's length differs from earlier rows';
    // INVALID_TOKEN when the row has no place for a token of the text.
    [[nodiscard]] Result<Token> step(Logits logits);

    // Everything a later process needs to go on, as JSON text: format, version, rng, seed (decimal text), step, promptLength,
    // tokens, vocabSize (once known), settings, model (where given). Numbers are written so that they read back exactly.
    [[nodiscard]] std::string state() const;

    [[nodiscard]] std::span<const Token> tokens() const noexcept { return tokens_; }  // the prompt, then the drawn tokens
    [[nodiscard]] std::size_t prompt_length() const noexcept { return prompt_length_; }
    [[nodiscard]] std::uint64_t step_index() const noexcept { return tokens_.size() - prompt_length_; }
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    [[nodiscard]] const ModelIdentity& model() const noexcept { return model_; }

private:
    Generator() = default;

    std::vector<Token> tokens_;
    std::size_t prompt_length_ = 0;
    std::size_t vocab_size_ = 0;  // 0: not known yet
    std::uint64_t seed_ = 0;
    Settings settings_;
    ModelIdentity model_;
};

}  // namespace quillmate
