#include "quillmate/generator.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "json.hpp"
#include "number_text.hpp"
#include "quillmate/row_hash.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate {
namespace {

using detail::Json;

constexpr std::string_view format_name = "quillmate-generator";
constexpr std::string_view rng_name = "philox4x32-10";
constexpr std::string_view version_number = "1";

std::unexpected<Error> inconsistent(std::string detail) {
    return std::unexpected(Error{.code = ErrorCode::STATE_INCONSISTENT, .detail = std::move(detail)});
}

// The value as people would write it, for messages.
std::string shown(const Json* value) {
    if (value == nullptr) return "missing";
    switch (value->kind) {
        case Json::Kind::string: return detail::quoted(value->text);
        case Json::Kind::array: return "an array";
        case Json::Kind::object: return "an object";
        default: return value->text;
    }
}

template <class Integer>
std::optional<Integer> parse_integer(std::string_view text, int base = 10) {
    Integer value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// A number field as a whole number of at least 0 that fits; nothing otherwise.
template <class Integer>
std::optional<Integer> whole(const Json* value) {
    if (value == nullptr || value->kind != Json::Kind::number || value->text.starts_with('-')) return std::nullopt;
    return parse_integer<Integer>(value->text);
}

std::optional<double> real(const Json* value) {
    if (value == nullptr || value->kind != Json::Kind::number) return std::nullopt;
    return detail::parse_number(value->text);
}

// An unknown field may carry a meaning that this version would lose.
std::optional<std::string> unknown_field(const Json& object, std::span<const std::string_view> known) {
    for (const auto& [name, value] : object.fields) {
        if (std::ranges::find(known, name) == known.end()) return name;
    }
    return std::nullopt;
}

Result<Settings> read_settings(const Json* object) {
    if (object == nullptr || object->kind != Json::Kind::object) return inconsistent("settings are " + shown(object));
    constexpr auto known = std::to_array<std::string_view>({"temperature", "topK", "topP"});
    if (const auto name = unknown_field(*object, known))
        return inconsistent("settings have an unknown field " + detail::quoted(*name));
    const auto temperature = real(object->find("temperature"));
    const auto top_k = whole<std::int64_t>(object->find("topK"));
    const auto top_p = real(object->find("topP"));
    if (!temperature) return inconsistent("temperature is " + shown(object->find("temperature")));
    if (!top_k) return inconsistent("topK is " + shown(object->find("topK")));
    if (!top_p) return inconsistent("topP is " + shown(object->find("topP")));
    const Settings settings{*temperature, *top_k, *top_p};
    if (const auto valid = validate(settings); !valid) return inconsistent(error_message(valid.error()));
    return settings;
}

Result<ModelIdentity> read_model(const Json* object) {
    ModelIdentity model;
    if (object == nullptr) return model;
    if (object->kind != Json::Kind::object) return inconsistent("the model's identity is " + shown(object));
    for (const auto& [name, value] : object->fields) {
        if (value.kind != Json::Kind::string)
            return inconsistent("the model's " + detail::quoted(name) + " is " + shown(&value));
        model.emplace_back(name, value.text);
    }
    return model;
}

constexpr std::size_t hash_digits = 16;

std::string written(std::uint64_t hash) {
    std::string digits(hash_digits, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4) *digit = "0123456789abcdef"[hash & 15];
    return '"' + digits + '"';
}

// Written in one way only, so that equal hashes are equal texts.
std::optional<std::uint64_t> read_hash(const Json* value) {
    if (value == nullptr || value->kind != Json::Kind::string || value->text.size() != hash_digits) return std::nullopt;
    const auto hash = parse_integer<std::uint64_t>(value->text, 16);
    return hash && written(*hash) == '"' + value->text + '"' ? hash : std::nullopt;
}

std::string written(const ModelIdentity& model) {
    std::string json = "{";
    for (const auto& [name, value] : model) {
        if (json.back() != '{') json += ',';
        json += detail::quoted(name) + ':' + detail::quoted(value);
    }
    return json + '}';
}

Result<Audit> read_audit(const Json* object, std::uint64_t step) {
    Audit audit;
    if (object == nullptr) return audit;
    if (object->kind != Json::Kind::object) return inconsistent("audit is " + shown(object));
    constexpr auto known = std::to_array<std::string_view>({"from", "chain", "rows"});
    if (const auto name = unknown_field(*object, known))
        return inconsistent("audit has an unknown field " + detail::quoted(*name));
    const auto from = whole<std::uint64_t>(object->find("from"));
    const auto chain = read_hash(object->find("chain"));
    const Json* rows = object->find("rows");
    if (!from || *from > step) return inconsistent("the audit's from is " + shown(object->find("from")));
    if (!chain) return inconsistent("the audit's chain is " + shown(object->find("chain")));
    audit.mode = rows == nullptr ? AuditMode::light : AuditMode::full;
    audit.from = *from;
    if (rows != nullptr) {
        if (rows->kind != Json::Kind::array || rows->items.size() != step - *from)
            return inconsistent("the audit's rows are not " + std::to_string(step - *from) + " hashes");
        for (std::size_t i = 0; i < rows->items.size(); ++i) {
            const auto row = read_hash(&rows->items[i]);
            if (!row) return inconsistent("row " + std::to_string(i) + " of the audit is " + shown(&rows->items[i]));
            audit.add(*row);
        }
        if (audit.chain != *chain) return inconsistent("the audit's chain is not that of its rows");
    } else if (*from == step && *chain != 0) {
        return inconsistent("the audit's chain is not that of no rows");
    }
    audit.chain = *chain;
    return audit;
}

// What state() will write must be read again.
Result<void> validate(const ModelIdentity& model) {
    if (const auto readable = detail::parse_json(written(model)); !readable) {
        return std::unexpected(Error{.code = ErrorCode::INVALID_MODEL,
                                     .value = "a function whose identity cannot be stored: " + readable.error().detail});
    }
    return {};
}

}  // namespace

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
        return std::unexpected(Error{.code = ErrorCode::INVALID_POSITION,
                                     .value = std::to_string(position),
                                     .detail = std::to_string(prompt_length_) + " to " + std::to_string(tokens_.size())});
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
                                     .detail = "the row has " + std::to_string(logits.size()) + " logits, earlier rows had " +
                                               std::to_string(vocab_size_)});
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
                      .detail = "the text (the model's row has " + std::to_string(logits.size()) + " logits)"});
        }
    }
    record(logits, step_index());
    tokens_.push_back(*token);
    vocab_size_ = logits.size();
    return token;
}

std::string Generator::state() const {
    std::string json = "{\"format\":" + detail::quoted(format_name) + ",\"version\":" + std::string(version_number) +
                       ",\"rng\":" + detail::quoted(rng_name) + ",\"seed\":\"" + std::to_string(seed_) +
                       "\",\"step\":" + std::to_string(step_index()) + ",\"promptLength\":" + std::to_string(prompt_length_) +
                       ",\"tokens\":[";
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (i > 0) json += ',';
        json += std::to_string(tokens_[i]);
    }
    json += ']';
    if (vocab_size_ != 0) json += ",\"vocabSize\":" + std::to_string(vocab_size_);
    json += ",\"settings\":{\"temperature\":" + to_text(settings_.temperature) +
            ",\"topK\":" + std::to_string(settings_.top_k) + ",\"topP\":" + to_text(settings_.top_p) + '}';
    if (!model_.empty()) json += ",\"model\":" + written(model_);
    if (audit_.mode == AuditMode::off) return json + '}';
    json += ",\"audit\":{\"from\":" + std::to_string(audit_.from) + ",\"chain\":" + written(audit_.chain);
    if (audit_.mode == AuditMode::full) {
        json += ",\"rows\":[";
        for (std::size_t i = 0; i < audit_.rows.size(); ++i) {
            if (i > 0) json += ',';
            json += written(audit_.rows[i]);
        }
        json += ']';
    }
    return json + "}}";
}

Result<Generator> Generator::from_state(std::string_view text) {
    const auto parsed = detail::parse_json(text);
    if (!parsed) return std::unexpected(parsed.error());
    const Json& json = *parsed;
    const auto foreign = [&](std::string detail, const Json* value) {
        return std::unexpected(
            Error{.code = ErrorCode::STATE_FOREIGN_FORMAT, .value = shown(value), .detail = std::move(detail)});
    };
    if (json.kind != Json::Kind::object) return foreign("value", &json);
    const Json* format = json.find("format");
    if (format == nullptr || format->kind != Json::Kind::string || format->text != format_name)
        return foreign("format", format);
    const Json* version = json.find("version");
    if (version == nullptr || version->kind != Json::Kind::number || version->text != version_number) {
        return std::unexpected(Error{.code = ErrorCode::STATE_UNKNOWN_VERSION, .value = shown(version)});
    }
    const Json* rng = json.find("rng");
    if (rng == nullptr || rng->kind != Json::Kind::string || rng->text != rng_name) return foreign("rng", rng);
    constexpr auto known = std::to_array<std::string_view>(
        {"format", "version", "rng", "seed", "step", "promptLength", "tokens", "vocabSize", "settings", "model", "audit"});
    if (const auto name = unknown_field(json, known)) return inconsistent("it has an unknown field " + detail::quoted(*name));

    const Json* seed = json.find("seed");
    const auto seed_value =
        seed != nullptr && seed->kind == Json::Kind::string ? parse_integer<std::uint64_t>(seed->text) : std::nullopt;
    if (!seed_value) return inconsistent("seed is " + shown(seed));
    const Json* tokens = json.find("tokens");
    if (tokens == nullptr || tokens->kind != Json::Kind::array) return inconsistent("tokens are " + shown(tokens));
    const Json* vocab_size = json.find("vocabSize");
    constexpr std::uint64_t most_tokens = std::uint64_t{1} << 31;
    const auto vocab_size_value = vocab_size == nullptr ? 0 : whole<std::uint64_t>(vocab_size);
    if (vocab_size != nullptr && (!vocab_size_value || *vocab_size_value == 0 || *vocab_size_value > most_tokens)) {
        return inconsistent("vocabSize is " + shown(vocab_size));
    }
    const std::uint64_t limit = vocab_size == nullptr ? most_tokens : *vocab_size_value;

    Generator generator;
    for (std::size_t i = 0; i < tokens->items.size(); ++i) {
        const auto token = whole<std::uint64_t>(&tokens->items[i]);
        if (!token || *token >= limit) return inconsistent("token " + std::to_string(i) + " is " + shown(&tokens->items[i]));
        generator.tokens_.push_back(static_cast<Token>(*token));
    }
    const auto prompt_length = whole<std::uint64_t>(json.find("promptLength"));
    const auto step = whole<std::uint64_t>(json.find("step"));
    if (!prompt_length) return inconsistent("promptLength is " + shown(json.find("promptLength")));
    if (!step) return inconsistent("step is " + shown(json.find("step")));
    if (*prompt_length > generator.tokens_.size() || *step != generator.tokens_.size() - *prompt_length) {
        return inconsistent("promptLength " + std::to_string(*prompt_length) + " and step " + std::to_string(*step) +
                            " do not add up to " + std::to_string(generator.tokens_.size()) + " tokens");
    }
    if (*step > 0 && vocab_size == nullptr) return inconsistent("vocabSize is missing");
    auto settings = read_settings(json.find("settings"));
    if (!settings) return std::unexpected(std::move(settings.error()));
    auto model = read_model(json.find("model"));
    if (!model) return std::unexpected(std::move(model.error()));
    auto audit = read_audit(json.find("audit"), *step);
    if (!audit) return std::unexpected(std::move(audit.error()));

    generator.prompt_length_ = static_cast<std::size_t>(*prompt_length);
    generator.vocab_size_ = static_cast<std::size_t>(*vocab_size_value);
    generator.seed_ = *seed_value;
    generator.settings_ = *settings;
    generator.model_ = std::move(*model);
    generator.audit_ = std::move(*audit);
    return generator;
}

}  // namespace quillmate
