// The second WebAssembly module's whole surface: the oracle. Fractions are text, "numerator/denominator"; a law that could not be
// made is null, and the error_ functions then have the rest, until the next failure.
#include <cmath>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <emscripten/bind.h>

#include "quillmate/exact/categorical.hpp"
#include "quillmate/random_streams.hpp"

// The arguments are checked before Boost sees them: it has nothing to throw.
namespace boost {
struct source_location;
void throw_exception(const std::exception&) { std::abort(); }
void throw_exception(const std::exception&, const source_location&) { std::abort(); }
}  // namespace boost

namespace quillmate::exact {
namespace {

EMSCRIPTEN_DECLARE_VAL_TYPE(Numbers)
EMSCRIPTEN_DECLARE_VAL_TYPE(Texts)

Error latest;

int error_code() { return static_cast<int>(latest.code); }
double error_index() { return static_cast<double>(latest.index); }
std::string error_value() { return latest.value; }
std::string error_detail() { return latest.detail; }

template <class T>
std::optional<T> taken(Result<T> result) {
    if (result) return std::move(*result);
    latest = std::move(result.error());
    return std::nullopt;
}

Categorical* handed_over(Result<Categorical> result) {
    auto law = taken(std::move(result));
    return law ? new Categorical(std::move(*law)) : nullptr;
}

std::string fraction(Result<Rational> result) {
    const auto value = taken(std::move(result));
    return value ? to_text(*value) : "";
}

std::optional<std::vector<Rational>> weights_of(const Texts& given) {
    std::vector<Rational> weights;
    for (const std::string& text : emscripten::vecFromJSArray<std::string>(given)) {
        auto weight = to_rational(std::string_view(text));
        if (!weight) weight.error().index = static_cast<std::int64_t>(weights.size());
        auto fraction = taken(std::move(weight));
        if (!fraction) return std::nullopt;
        weights.push_back(std::move(*fraction));
    }
    return weights;
}

Categorical* create(double vocab_size, const Numbers& ids, const Texts& texts, bool as_fp32) {
    const auto weights = weights_of(texts);
    if (!weights) return nullptr;
    const auto size = static_cast<std::size_t>(vocab_size);
    const auto tokens = emscripten::vecFromJSArray<Token>(ids);
    return handed_over(as_fp32 ? fp32_weights(size, tokens, *weights) : Categorical::create(size, tokens, *weights));
}

Categorical* masked(const Categorical& law, const Numbers& allowed) {
    const auto flags = emscripten::vecFromJSArray<int>(allowed);
    return handed_over(law.masked({flags.begin(), flags.end()}));
}

Categorical* sparse_topk(const Categorical& law, double k) { return handed_over(law.sparse_topk(static_cast<std::size_t>(k))); }

Categorical* residual_of(const Categorical& p, const Categorical& q) { return handed_over(residual(p, q)); }

double vocab_size(const Categorical& law) { return static_cast<double>(law.vocab_size()); }

Numbers ids(const Categorical& law) {
    return Numbers(emscripten::val::array(std::vector<Token>(law.ids().begin(), law.ids().end())));
}

Texts tickets(const Categorical& law) {
    std::vector<std::string> texts;
    for (const Integer& count : law.tickets()) texts.push_back(count.str());
    return Texts(emscripten::val::array(texts));
}

std::string prob(const Categorical& law, double token) { return fraction(law.prob(static_cast<Token>(token))); }

std::string acceptance_of(const Categorical& p, const Categorical& q, double token) {
    return fraction(acceptance(p, q, static_cast<Token>(token)));
}

int sample(const Categorical& law, std::uint64_t key, int purpose, double position) {
    return law.sample({key, static_cast<std::uint64_t>(purpose)}, static_cast<std::uint32_t>(position));
}

std::string below(const std::string& bound, std::uint64_t key, int purpose, double position) {
    return random_below(Integer(bound), {key, static_cast<std::uint64_t>(purpose)}, static_cast<std::uint32_t>(position)).str();
}

double uniform_at(std::uint64_t key, int purpose, double position) {
    return uniform(key, static_cast<std::uint64_t>(position), static_cast<std::uint64_t>(purpose));
}

std::uint64_t streams_key(std::uint64_t seed, const std::string& request_id, std::uint64_t generation, std::uint64_t round) {
    const auto streams = taken(RandomStreams::create(seed, {request_id, generation}, round));
    return streams ? streams->key() : 0;
}

}  // namespace
}  // namespace quillmate::exact

EMSCRIPTEN_BINDINGS(quillmate_exact) {
    using namespace emscripten;
    using namespace quillmate::exact;

    register_type<Numbers>("number[]");
    register_type<Texts>("string[]");

    class_<Categorical>("Categorical")
        .class_function("create(vocabSize, ids, weights, asFp32)", &create, allow_raw_pointers())
        .class_function("residual(p, q)", &residual_of, allow_raw_pointers())
        .function("masked(allowed)", &masked, allow_raw_pointers())
        .function("sparseTopk(k)", &sparse_topk, allow_raw_pointers())
        .function("vocabSize", &vocab_size)
        .function("ids", &ids)
        .function("tickets", &tickets)
        .function("prob(token)", &prob)
        .function("sample(key, purpose, position)", &sample);

    function("errorCode", &error_code);
    function("errorIndex", &error_index);
    function("errorValue", &error_value);
    function("errorDetail", &error_detail);
    function("acceptance(p, q, token)", &acceptance_of);
    function("below(bound, key, purpose, position)", &below);
    function("uniform(key, purpose, position)", &uniform_at);
    function("streamsKey(seed, requestId, generation, round)", &streams_key);
}
