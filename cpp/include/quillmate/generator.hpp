#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quillmate/error.hpp"
#include "quillmate/sampling.hpp"

namespace quillmate {

namespace detail {
struct Json;
}
// The identity of the model that produced a text: names and values, kept in the state in this order, never interpreted. At
// most 256 distinct names; all of it UTF-8.
using ModelIdentity = std::vector<std::pair<std::string, std::string>>;

// What a generator remembers of the rows it draws from, so that a later run can tell whether the model gave the same numbers:
// nothing; the chain of all rows, 8 bytes in all; or the fingerprint of each row as well, which tells the very token.
enum class AuditMode : std::uint8_t { off, light, full };

// The rows of a text's steps from `from` on, in order.
struct Audit {
    AuditMode mode = AuditMode::off;    // how much is kept
    std::uint64_t from = 0;             // the step of the first row
    std::uint64_t chain = 0;            // of their fingerprints; see row_hash.hpp
    std::vector<std::uint64_t> rows{};  // the fingerprints, in full mode

    // The next row's fingerprint.
    void add(std::uint64_t row_hash);
};

// Where a replayed text's rows differ from the recorded ones: at one of the tokens from `first` to `last`, which are positions in
// tokens(). One and the same where each row's fingerprint is known; the whole record where only its chain is.
struct Mismatch {
    std::uint64_t first = 0;  // the first token that may have been drawn from another row
    std::uint64_t last = 0;   // the last that it may be
};

// A resumable stream of tokens: its next token depends on the seed, the number of tokens drawn so far, the settings and the
// row of logits, and on nothing else. It holds no model: the caller evaluates tokens() and hands in the row.
// Not thread-safe; distinct generators are independent.
class Generator {
public:
    Generator(const Generator&);
    Generator(Generator&&) noexcept;
    Generator& operator=(const Generator&);
    Generator& operator=(Generator&&) noexcept;
    ~Generator();

    // prompt: the tokens the text starts with, each >= 0; may be empty. Errors: INVALID_TOKEN, INVALID_MODEL, those of
    // validate(settings).
    [[nodiscard]] static Result<Generator> create(std::span<const Token> prompt, std::uint64_t seed, const Settings& settings,
                                                  ModelIdentity model = {}, AuditMode audit = AuditMode::off);

    // Reads what state() wrote. Errors: STATE_NOT_JSON, STATE_FOREIGN_FORMAT, STATE_UNKNOWN_VERSION, STATE_INCONSISTENT.
    [[nodiscard]] static Result<Generator> from_state(std::string_view json);

    // Begins the text of a state again, with what may be another model, and compares the rows with those that the state's audit
    // recorded; see mismatch(). Errors: those of from_state; INVALID_MODEL.
    [[nodiscard]] static Result<Generator> replay(std::string_view json, ModelIdentity model);

    // The text up to a position in tokens(), to go on from there. With the generator's own seed the branch draws what was drawn
    // here. With another the shared tokens become its prompt: no seed of the branch's drew them. Error: INVALID_POSITION before
    // the end of the prompt and after the last token.
    [[nodiscard]] Result<Generator> branch(std::uint64_t position, std::uint64_t seed) const;

    // Draws the next token from the row for tokens(), with uniform(seed, step()), and appends it. On an error the generator
    // is as before. Errors: those of sample_token; WRONG_LENGTH when the row's length differs from earlier rows';
    // INVALID_TOKEN when the row has no place for a token of the text.
    [[nodiscard]] Result<Token> step(Logits logits);

    // Everything a later process needs to go on, as JSON text: format, version, rng, seed (decimal text), step, promptLength,
    // tokens, vocabSize (once known), settings, model (where given), audit (unless off: from, the step of the first row recorded;
    // chain, and in full mode rows, as 16 hexadecimal digits each). Numbers are written so that they read back exactly.
    [[nodiscard]] std::string state() const;

    // The first difference found between the rows of a replay and those recorded; nothing while there is none.
    [[nodiscard]] const std::optional<Mismatch>& mismatch() const noexcept { return mismatch_; }

    // The prompt, then the drawn tokens; valid until the next step.
    [[nodiscard]] std::span<const Token> tokens() const noexcept { return tokens_; }
    // How many of them are the prompt.
    [[nodiscard]] std::size_t prompt_length() const noexcept { return prompt_length_; }
    // How many were drawn.
    [[nodiscard]] std::uint64_t step_index() const noexcept { return tokens_.size() - prompt_length_; }
    // As given; of a branch, its own.
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
    // As given.
    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    // As given, or as the state has it.
    [[nodiscard]] const ModelIdentity& model() const noexcept { return model_; }
    // What is kept of the rows.
    [[nodiscard]] const Audit& audit() const noexcept { return audit_; }

private:
    Generator();
    std::optional<Error> read(const detail::Json& state);  // what is wrong with it; the generator is useless then
    void record(Logits logits, std::uint64_t step);

    std::vector<Token> tokens_;
    std::size_t prompt_length_ = 0;
    std::size_t vocab_size_ = 0;  // 0: not known yet
    std::uint64_t seed_ = 0;
    Settings settings_;
    ModelIdentity model_;
    Audit audit_;
    // Of a replay: what the steps before recorded_end_ left behind.
    Audit recorded_;
    std::uint64_t recorded_end_ = 0;
    std::optional<Mismatch> mismatch_;
};

}  // namespace quillmate
