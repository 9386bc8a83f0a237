#include "generator_state.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "joined.hpp"
#include "json.hpp"
#include "number_text.hpp"

namespace quillmate {
namespace {

using detail::joined;
using detail::Json;

constexpr std::string_view format_name = "quillmate-generator";
constexpr std::string_view rng_name = "philox4x32-10";
constexpr std::string_view version_number = "1";
constexpr std::uint64_t most_tokens = std::uint64_t{1} << 31;
constexpr std::string_view digits = "0123456789abcdef";

// A hash as 16 hexadecimal digits.
std::string written(std::uint64_t hash) {
    std::string text(digits);
    for (auto character = text.rbegin(); character != text.rend(); ++character, hash >>= 4) *character = digits[hash & 15];
    return detail::quoted(text);
}

std::string written(const ModelIdentity& model) {
    std::string json;
    for (const auto& [name, value] : model)
        json += joined({json.empty() ? "{" : ",", detail::quoted(name), ":", detail::quoted(value)});
    return json.empty() ? "{}" : json + '}';
}

// What is wrong with a state, or nothing. It is the result of all that reads a part of one, and is handed on as it is: the many
// ways to refuse a state would otherwise be most of the code.
using Fault = std::optional<Error>;

Fault inconsistent(std::string detail) { return Error{.code = ErrorCode::STATE_INCONSISTENT, .detail = std::move(detail)}; }

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

Fault unusable(std::string_view what, const Json* value) { return inconsistent(joined({what, " is ", shown(value)})); }

Fault foreign(std::string_view what, const Json* value) {
    return Error{.code = ErrorCode::STATE_FOREIGN_FORMAT, .value = shown(value), .detail = std::string(what)};
}

// An unknown field may carry a meaning that this version would lose.
Fault find_stranger(std::string_view what, const Json& object, std::span<const std::string_view> known) {
    for (const auto& [name, value] : object.fields) {
        if (std::ranges::find(known, name) == known.end())
            return inconsistent(joined({what, " has an unknown field ", detail::quoted(name)}));
    }
    return std::nullopt;
}

bool is(const Json* value, Json::Kind kind) { return value != nullptr && value->kind == kind; }

std::optional<std::uint64_t> parse_integer(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// A number field as a whole number from 0 to `most`; nothing otherwise.
std::optional<std::uint64_t> whole(const Json* value, std::uint64_t most = UINT64_MAX) {
    if (!is(value, Json::Kind::number)) return std::nullopt;
    const auto number = parse_integer(value->text);
    return number && *number <= most ? number : std::nullopt;
}

std::optional<double> real(const Json* value) {
    if (!is(value, Json::Kind::number)) return std::nullopt;
    return detail::parse_number(value->text);
}

// Written in one way only, so that equal hashes are equal texts.
std::optional<std::uint64_t> read_hash(const Json* value) {
    if (!is(value, Json::Kind::string) || value->text.size() != digits.size()) return std::nullopt;
    std::uint64_t hash = 0;
    for (const char character : value->text) {
        const std::size_t digit = digits.find(character);
        if (digit == std::string_view::npos) return std::nullopt;
        hash = hash << 4 | digit;
    }
    return hash;
}

Fault read(Settings& settings, const Json* object) {
    if (!is(object, Json::Kind::object)) return unusable("settings", object);
    constexpr auto known = std::to_array<std::string_view>({"temperature", "topK", "topP"});
    if (auto fault = find_stranger("settings", *object, known)) return fault;
    const auto temperature = real(object->find("temperature"));
    const auto top_k = whole(object->find("topK"), INT64_MAX);
    const auto top_p = real(object->find("topP"));
    // Each is valid beside the defaults of the others, or not at all.
    if (!temperature || !validate({.temperature = *temperature})) return unusable("temperature", object->find("temperature"));
    if (!top_k) return unusable("topK", object->find("topK"));
    if (!top_p || !validate({.top_p = *top_p})) return unusable("topP", object->find("topP"));
    settings = {*temperature, static_cast<std::int64_t>(*top_k), *top_p};
    return std::nullopt;
}

Fault read(ModelIdentity& model, const Json* object) {
    if (object == nullptr) return std::nullopt;
    if (!is(object, Json::Kind::object)) return unusable("the model's identity", object);
    for (const auto& [name, value] : object->fields) {
        if (value.kind != Json::Kind::string) return unusable(joined({"the model's ", detail::quoted(name)}), &value);
        model.emplace_back(name, value.text);
    }
    return std::nullopt;
}

Fault read(Audit& audit, const Json* object, std::uint64_t step) {
    if (object == nullptr) return std::nullopt;
    if (!is(object, Json::Kind::object)) return unusable("the audit", object);
    constexpr auto known = std::to_array<std::string_view>({"from", "chain", "rows"});
    if (auto fault = find_stranger("the audit", *object, known)) return fault;
    const auto from = whole(object->find("from"), step);
    const auto chain = read_hash(object->find("chain"));
    const Json* rows = object->find("rows");
    if (!from) return unusable("the audit's from", object->find("from"));
    if (!chain) return unusable("the audit's chain", object->find("chain"));
    audit.mode = rows == nullptr ? AuditMode::light : AuditMode::full;
    audit.from = *from;
    if (rows != nullptr) {
        if (!is(rows, Json::Kind::array)) return unusable("the audit's list of rows", rows);
        if (rows->items.size() != step - *from) return inconsistent("the audit does not have a row for each step");
        for (const Json& item : rows->items) {
            const auto row = read_hash(&item);
            if (!row) return unusable("a row of the audit", &item);
            audit.add(*row);
        }
    }
    // A light one has its chain in the state alone, but that of no rows is known.
    if (audit.chain != *chain && (rows != nullptr || *from == step))
        return inconsistent("the audit's chain is not that of its rows");
    audit.chain = *chain;
    return std::nullopt;
}

}  // namespace

Result<void> detail::validate(const ModelIdentity& model) {
    if (const auto readable = parse_json(written(model)); !readable) {
        return std::unexpected(
            Error{.code = ErrorCode::INVALID_MODEL,
                  .value = joined({"a function whose identity cannot be stored: ", readable.error().detail})});
    }
    return {};
}

std::string Generator::state() const {
    std::string json = joined({R"({"format":")", format_name, R"(","version":)", version_number, R"(,"rng":")", rng_name,
                               R"(","seed":")", std::to_string(seed_), R"(","step":)", std::to_string(step_index()),
                               R"(,"promptLength":)", std::to_string(prompt_length_), R"(,"tokens":[)"});
    for (const Token& token : tokens_) {
        if (&token != tokens_.data()) json += ',';
        json += std::to_string(token);
    }
    json += ']';
    if (vocab_size_ != 0) json += joined({R"(,"vocabSize":)", std::to_string(vocab_size_)});
    json += joined({R"(,"settings":{"temperature":)", to_text(settings_.temperature), R"(,"topK":)",
                    std::to_string(settings_.top_k), R"(,"topP":)", to_text(settings_.top_p), "}"});
    if (!model_.empty()) json += joined({R"(,"model":)", written(model_)});
    if (audit_.mode != AuditMode::off) {
        json += joined({R"(,"audit":{"from":)", std::to_string(audit_.from), R"(,"chain":)", written(audit_.chain)});
        if (audit_.mode == AuditMode::full) {
            json += R"(,"rows":[)";
            for (const std::uint64_t& row : audit_.rows) {
                if (&row != audit_.rows.data()) json += ',';
                json += written(row);
            }
            json += ']';
        }
        json += '}';
    }
    return json += '}';
}

Result<Generator> Generator::from_state(std::string_view text) {
    const auto json = detail::parse_json(text);
    if (!json) return std::unexpected(json.error());
    Generator generator;
    if (auto fault = generator.read(*json)) return std::unexpected(std::move(*fault));
    return generator;
}

std::optional<Error> Generator::read(const Json& json) {
    if (json.kind != Json::Kind::object) return foreign("value", &json);
    const Json* format = json.find("format");
    const Json* version = json.find("version");
    const Json* rng = json.find("rng");
    if (!is(format, Json::Kind::string) || format->text != format_name) return foreign("format", format);
    if (!is(version, Json::Kind::number) || version->text != version_number)
        return Error{.code = ErrorCode::STATE_UNKNOWN_VERSION, .value = shown(version)};
    if (!is(rng, Json::Kind::string) || rng->text != rng_name) return foreign("rng", rng);
    constexpr auto known = std::to_array<std::string_view>(
        {"format", "version", "rng", "seed", "step", "promptLength", "tokens", "vocabSize", "settings", "model", "audit"});
    if (auto fault = find_stranger("it", json, known)) return fault;

    const Json* seed_text = json.find("seed");
    const auto seed = is(seed_text, Json::Kind::string) ? parse_integer(seed_text->text) : std::nullopt;
    if (!seed) return unusable("seed", seed_text);
    const Json* size = json.find("vocabSize");
    const auto vocab_size = size == nullptr ? 0 : whole(size, most_tokens);
    if (size != nullptr && vocab_size.value_or(0) == 0) return unusable("vocabSize", size);
    const Json* tokens = json.find("tokens");
    if (!is(tokens, Json::Kind::array)) return unusable("the list of tokens", tokens);
    for (const Json& item : tokens->items) {
        const auto token = whole(&item, (size == nullptr ? most_tokens : *vocab_size) - 1);
        if (!token) return unusable(joined({"token ", std::to_string(tokens_.size())}), &item);
        tokens_.push_back(static_cast<Token>(*token));
    }
    const auto prompt_length = whole(json.find("promptLength"), tokens_.size());
    if (!prompt_length) return unusable("promptLength", json.find("promptLength"));
    prompt_length_ = static_cast<std::size_t>(*prompt_length);
    const auto step = whole(json.find("step"));
    if (step != step_index())
        return unusable(joined({"the number of steps to ", std::to_string(tokens_.size()), " tokens"}), json.find("step"));
    if (*step > 0 && size == nullptr) return unusable("vocabSize", size);
    vocab_size_ = static_cast<std::size_t>(*vocab_size);
    seed_ = *seed;
    if (auto fault = quillmate::read(settings_, json.find("settings"))) return fault;
    if (auto fault = quillmate::read(model_, json.find("model"))) return fault;
    return quillmate::read(audit_, json.find("audit"), *step);
}

}  // namespace quillmate
