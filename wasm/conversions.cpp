#include "conversions.hpp"

#include <algorithm>
#include <cmath>
#include <expected>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace quillmate::wasm {
namespace {

Error latest;

int refuse(Error error) {
    latest = std::move(error);
    return -static_cast<int>(latest.code);
}

Generator* handed_over(Result<Generator> generator) {
    if (generator) {
        return new Generator(std::move(*generator));
    }
    refuse(std::move(generator.error()));
    return nullptr;
}

template <class T>
std::span<T> at(Address address, std::size_t size) {
    return {reinterpret_cast<T*>(address), size};  // NOLINT: addresses are how JavaScript names memory
}

Logits row(Address address, std::size_t size, int dtype) {
    return {reinterpret_cast<const void*>(address), size, static_cast<Dtype>(dtype)};  // NOLINT: as above
}

template <class Integer>
std::optional<Integer> whole(double number) {
    // max + 1 is a power of two, so that this test is exact for every width.
    constexpr double limit = 2.0 * (std::numeric_limits<Integer>::max() / 2 + 1);
    if (number == std::trunc(number) && -limit <= number && number < limit) {
        return static_cast<Integer>(number);
    }
    return std::nullopt;
}

ModelIdentity to_identity(const StringList& list) {
    const auto words = emscripten::vecFromJSArray<std::string>(list);
    ModelIdentity identity;
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
        identity.emplace_back(words[i], words[i + 1]);
    }
    return identity;
}

Result<Settings> to_settings(double temperature, double top_k, double top_p) {
    constexpr double plenty = 0x1p62;  // keeps every token of any row, as all that is above does
    const auto count = whole<std::int64_t>(std::isinf(top_k) ? NAN : std::min(top_k, plenty));
    if (!count) {
        return std::unexpected(Error{.code = ErrorCode::INVALID_TOP_K, .value = to_text(top_k)});
    }
    return Settings{.temperature = temperature, .top_k = *count, .top_p = top_p};
}

}  // namespace

int error_code() { return static_cast<int>(latest.code); }
double error_index() { return static_cast<double>(latest.index); }
std::string error_value() { return latest.value; }
std::string error_detail() { return latest.detail; }

Address Buffer::reserve(std::size_t bytes) {
    if (bytes > size_) {
        size_ = 0;
        data_.reset();  // before the new one is made: a row is large
        data_.reset(new (std::nothrow) std::byte[bytes]);
        if (data_ == nullptr) return 0;
        size_ = bytes;
    }
    return reinterpret_cast<Address>(data_.get());
}

int sample_token(Address logits, std::size_t size, int dtype, double temperature, double top_k, double top_p, double u) {
    const auto settings = to_settings(temperature, top_k, top_p);
    if (!settings) {
        return refuse(settings.error());
    }
    auto token = quillmate::sample_token(row(logits, size, dtype), *settings, u);
    return token ? *token : refuse(std::move(token.error()));
}

int distribution(Address logits, std::size_t size, int dtype, double temperature, double top_k, double top_p, Address ids,
                 Address probabilities) {
    const auto settings = to_settings(temperature, top_k, top_p);
    if (!settings) {
        return refuse(settings.error());
    }
    auto kept = quillmate::distribution(row(logits, size, dtype), *settings);
    if (!kept) {
        return refuse(std::move(kept.error()));
    }
    std::ranges::copy(kept->ids, at<Token>(ids, size).begin());
    std::ranges::copy(kept->probabilities, at<double>(probabilities, size).begin());
    return static_cast<int>(kept->ids.size());
}

SpeculationReport speculative_step(Address p, std::size_t p_size, Address q, std::size_t q_size, double draft_token,
                                   double u_accept, double u_resample) {
    const auto draft = whole<Token>(draft_token);
    if (!draft) {
        return {refuse({.code = ErrorCode::INVALID_TOKEN, .index = 0, .value = to_text(draft_token), .detail = "the draft"})};
    }
    auto speculation =
        quillmate::speculative_step(at<const double>(p, p_size), at<const double>(q, q_size), *draft, u_accept, u_resample);
    if (!speculation) {
        return {refuse(std::move(speculation.error()))};
    }
    return {speculation->token, speculation->accepted};
}

double emitted_distribution(Address p, std::size_t p_size, Address q, std::size_t q_size, Address out) {
    auto emitted = quillmate::emitted_distribution(at<const double>(p, p_size), at<const double>(q, q_size));
    if (!emitted) {
        return refuse(std::move(emitted.error()));
    }
    std::ranges::copy(emitted->distribution, at<double>(out, p_size).begin());
    return emitted->alpha;
}

Generator* create_generator(Address prompt, std::size_t size, std::uint64_t seed, double temperature, double top_k,
                            double top_p, const StringList& identity, int audit) {
    const auto settings = to_settings(temperature, top_k, top_p);
    if (!settings) {
        refuse(settings.error());
        return nullptr;
    }
    std::vector<Token> tokens;
    tokens.reserve(size);
    for (const double number : at<const double>(prompt, size)) {
        const auto token = whole<Token>(number);
        if (!token) {
            refuse({.code = ErrorCode::INVALID_TOKEN,
                    .index = static_cast<std::int64_t>(tokens.size()),
                    .value = to_text(number),
                    .detail = "the prompt"});
            return nullptr;
        }
        tokens.push_back(*token);
    }
    return handed_over(Generator::create(tokens, seed, *settings, to_identity(identity), static_cast<AuditMode>(audit)));
}

Generator* generator_from_state(const std::string& json) { return handed_over(Generator::from_state(json)); }

Generator* replay_generator(const std::string& json, const StringList& identity) {
    return handed_over(Generator::replay(json, to_identity(identity)));
}

Generator* branch_generator(const Generator& generator, double position, std::uint64_t seed) {
    // A position that is no whole number is refused like one that is too far, with the value as it was given.
    const auto place = whole<std::int64_t>(position);
    auto branch = generator.branch(place && *place >= 0 ? static_cast<std::uint64_t>(*place) : UINT64_MAX, seed);
    if (!branch) branch.error().value = to_text(position);
    return handed_over(std::move(branch));
}

MismatchReport generator_mismatch(const Generator& generator) {
    const auto& mismatch = generator.mismatch();
    if (!mismatch) return {};
    return {static_cast<double>(mismatch->first), static_cast<double>(mismatch->last)};
}

int generator_step(Generator& generator, Address logits, std::size_t size, int dtype) {
    auto token = generator.step(row(logits, size, dtype));
    return token ? *token : refuse(std::move(token.error()));
}

}  // namespace quillmate::wasm
