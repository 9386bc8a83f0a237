#include "quillmate/generator.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "generator_state.hpp"
#include "joined.hpp"
#include "quillmate/row_hash.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate {

using detail::joined;
using detail::validate;

// Here, not wherever a generator is handed on: they are long.
Generator::Generator() = default;
Generator::Generator(const Generator&) = default;
Generator::Generator(Generator&&) noexcept = default;
Generator& Generator::operator=(const Generator&) = default;
Generator& Generator::operator=(Generator&&) noexcept = default;
Generator::~Generator() = default;

Result<Generator> Generator::create(std::span<const Token> prompt, std::uint64_t seed, const Settings& settings,
                                    ModelIdentity model, AuditMode audit) {
    if (const auto valid = validate(settings); !valid) return std::unexpected(valid.error());
    for (std::size_t i = 0; i < prompt.size(); ++i) {
        if (prompt[i] >= 0) continue;
        return std::unexpected(Error{.code = ErrorCode::INVALID_TOKEN,
                                     .index = static_cast<std::int64_t>(i),
                                     .value = std::to_string(prompt[i]),
                                     .detail = "the prompt"});
    }
    if (const auto valid = validate(model); !valid) return std::unexpected(valid.error());
    Generator generator;
    generator.tokens_.assign(prompt.begin(), prompt.end());
    generator.prompt_length_ = prompt.size();
    generator.seed_ = seed;
    generator.settings_ = settings;
    generator.model_ = std::move(model);
    generator.audit_.mode = audit;
    return generator;
}

Result<Generator> Generator::replay(std::string_view json, ModelIdentity model) {
    auto generator = from_state(json);
    if (!generator) return generator;
    if (const auto valid = validate(model); !valid) return std::unexpected(valid.error());
    generator->recorded_end_ = generator->step_index();
    generator->recorded_ = std::exchange(generator->audit_, {.mode = generator->audit_.mode, .from = generator->audit_.from});
    generator->tokens_.resize(generator->prompt_length_);
    generator->vocab_size_ = 0;
    generator->model_ = std::move(model);
    return generator;
}

Result<Generator> Generator::branch(std::uint64_t position, std::uint64_t seed) const {
    if (position < prompt_length_ || position > tokens_.size()) {
        return std::unexpected(
            Error{.code = ErrorCode::INVALID_POSITION,
                  .value = std::to_string(position),
                  .detail = joined({std::to_string(prompt_length_), " to ", std::to_string(tokens_.size())})});
    }
    Generator result;
    result.tokens_.assign(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(position));
    result.prompt_length_ = seed == seed_ ? prompt_length_ : result.tokens_.size();
    result.vocab_size_ = result.step_index() == 0 ? 0 : vocab_size_;
    result.seed_ = seed;
    result.settings_ = settings_;
    result.model_ = model_;
    result.audit_ = {.mode = audit_.mode, .from = result.step_index()};
    if (seed != seed_) return result;
    if (position == tokens_.size()) {
        result.audit_ = audit_;
    } else if (audit_.mode == AuditMode::full && audit_.from < result.step_index()) {
        result.audit_.from = audit_.from;
        for (std::size_t i = 0; i < result.step_index() - audit_.from; ++i) result.audit_.add(audit_.rows[i]);
    }
    return result;
}

void Audit::add(std::uint64_t row_hash) {
    chain = chained(chain, row_hash);
    if (mode == AuditMode::full) rows.push_back(row_hash);
}

// Notes the row that the step drew from, and in a replay compares it.
void Generator::record(Logits logits, std::uint64_t step) {
    if (audit_.mode == AuditMode::off || step < audit_.from) return;
    audit_.add(row_hash(logits));
    if (mismatch_ || step >= recorded_end_) return;
    if (recorded_.mode == AuditMode::full) {
        if (audit_.rows.back() != recorded_.rows[step - recorded_.from])
            mismatch_ = {prompt_length_ + step, prompt_length_ + step};
    } else if (step + 1 == recorded_end_ && audit_.chain != recorded_.chain) {
        mismatch_ = {prompt_length_ + recorded_.from, prompt_length_ + step};
    }
}

Result<Token> Generator::step(Logits logits) {
    if (vocab_size_ != 0 && logits.size() != 0 && logits.size() != vocab_size_) {
        return std::unexpected(Error{.code = ErrorCode::WRONG_LENGTH,
                                     .detail = joined({"the row has ", std::to_string(logits.size()),
                                                       " logits, earlier rows had ", std::to_string(vocab_size_)})});
    }
    const auto token = sample_token(logits, settings_, uniform(seed_, step_index(), stream::token));
    if (!token) return token;
    if (vocab_size_ == 0) {
        // Only the prompt can be out of range: the tokens drawn come from rows of this length.
        const auto beyond =
            std::ranges::find_if(tokens_, [&](Token t) { return static_cast<std::size_t>(t) >= logits.size(); });
        if (beyond != tokens_.end()) {
            return std::unexpected(
                Error{.code = ErrorCode::INVALID_TOKEN,
                      .index = beyond - tokens_.begin(),
                      .value = std::to_string(*beyond),
                      .detail = joined({"the text (the model's row has ", std::to_string(logits.size()), " logits)"})});
        }
    }
    record(logits, step_index());
    tokens_.push_back(*token);
    vocab_size_ = logits.size();
    return token;
}

}  // namespace quillmate
