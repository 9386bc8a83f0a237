#include "quillmate/speculative.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "compensated_sum.hpp"
#include "joined.hpp"
#include "natural.hpp"

namespace quillmate {
namespace {

using detail::Natural;

std::unexpected<Error> refuse(ErrorCode code, std::string detail, std::int64_t index = -1, std::string value = {}) {
    return std::unexpected(Error{.code = code, .index = index, .value = std::move(value), .detail = std::move(detail)});
}

Result<void> validate_weights(std::span<const double> weights, const char* name) {
    bool positive = false;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || std::isinf(weights[i])) {
            return refuse(ErrorCode::INVALID_WEIGHT, name, static_cast<std::int64_t>(i), to_text(weights[i]));
        }
        positive = positive || weights[i] > 0;
    }
    if (!positive) return refuse(ErrorCode::ZERO_TOTAL_WEIGHT, name);
    return {};
}

Result<void> validate_pair(std::span<const double> p, std::span<const double> q) {
    if (p.empty()) return refuse(ErrorCode::EMPTY_ROW, {});
    if (p.size() != q.size()) {
        return refuse(ErrorCode::WRONG_LENGTH, detail::joined({"the target has ", std::to_string(p.size()),
                                                               " weights, the draft ", std::to_string(q.size())}));
    }
    if (auto valid = validate_weights(p, "the target"); !valid) return valid;
    return validate_weights(q, "the draft");
}

// Weights brought towards 1 by a power of two, so that the total does not overflow and small weights keep their bits.
class Scaled {
public:
    explicit Scaled(std::span<const double> weights) : weights_(weights) {
        int exponent = 0;
        std::frexp(*std::ranges::max_element(weights), &exponent);
        factor_ = std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
        detail::CompensatedSum total;
        for (const double weight : weights) total.add(weight * factor_);
        total_ = total.value();
    }
    [[nodiscard]] double probability(std::size_t i) const { return weights_[i] * factor_ / total_; }

private:
    std::span<const double> weights_;
    double factor_;
    double total_;
};

double residual(const Scaled& p, const Scaled& q, std::size_t i) { return std::max(0.0, p.probability(i) - q.probability(i)); }

// The weights as whole numbers of the smallest bit that any of them has.
class WholeWeights {
public:
    explicit WholeWeights(std::span<const double> weights) : weights_(weights) {
        for (const double weight : weights) {
            if (weight > 0) unit_ = std::min(unit_, detail::parts_of(weight).exponent);
        }
        for (std::size_t i = 0; i < weights.size(); ++i) total_ += (*this)[i];
    }
    [[nodiscard]] Natural operator[](std::size_t i) const {
        const detail::Parts parts = detail::parts_of(weights_[i]);
        Natural whole(parts.mantissa);
        whole <<= static_cast<std::size_t>(std::max(0, parts.exponent - unit_));
        return whole;
    }
    [[nodiscard]] const Natural& total() const { return total_; }
    [[nodiscard]] std::size_t size() const { return weights_.size(); }

private:
    std::span<const double> weights_;
    int unit_ = 1024;
    Natural total_;
};

// The first of n weights, given by a function, whose running sum exceeds u times the whole, which is not 0.
template <class Weight>
Token walk_exactly(const Weight& weight, std::size_t n, double u) {
    const detail::Parts parts = detail::parts_of(u);
    Natural target;
    for (std::size_t i = 0; i < n; ++i) target += weight(i);
    target = target * Natural(parts.mantissa);
    target >>= static_cast<std::size_t>(-parts.exponent);  // whole numbers exceed a number when they exceed its floor
    Natural running;
    for (std::size_t i = 0;; ++i) {
        running += weight(i);
        if (running > target) return static_cast<Token>(i);
    }
}

// Exact comparisons of p_i Q and q_i P, where P and Q are the totals: p_i / P and q_i / Q over a common denominator.
class ExactResidual {
public:
    ExactResidual(std::span<const double> p, std::span<const double> q) : p_(p), q_(q) {}

    // u q < p
    [[nodiscard]] bool accepts(std::size_t i, double u) const {
        const detail::Parts parts = detail::parts_of(u);
        const Natural left = Natural(parts.mantissa) * q_[i] * p_.total();
        Natural right = p_[i] * q_.total();
        right <<= static_cast<std::size_t>(-parts.exponent);
        return left < right;
    }
    [[nodiscard]] Token walk(double u) const {
        return walk_exactly([this](std::size_t i) { return residual(i); }, p_.size(), u);
    }

private:
    [[nodiscard]] Natural residual(std::size_t i) const {
        Natural target = p_[i] * q_.total();
        const Natural draft = q_[i] * p_.total();
        if (target <= draft) return {};
        target -= draft;
        return target;
    }
    WholeWeights p_, q_;
};

// A probability is off by less than 2^-50 of it (2^-52 for the total, 2^-53 for the division, the factor is exact) and, where
// a weight leaves the normal range, by 2^-1000: the largest is at least 2^-74 after scaling.
constexpr double relative_error = 0x1p-50;
constexpr double absolute_error = 0x1p-1000;

// The same walk on rounded numbers, probabilities or residuals; nothing when rounding might decide.
template <class Weight>
std::optional<Token> walk_binary64(const Weight& weight, std::size_t n, double u) {
    // A residual is off by 2^-50 (p_i + q_i), 2^-49 over all; adding n terms is off by n 2^-53 of a sum of at most 1. Twice,
    // for the running sum and for the target.
    const double doubt = 2 * (2 * relative_error + static_cast<double>(n) * (0x1p-53 + absolute_error));
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += weight(i);
    const double target = u * total;
    double running = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double before = running;
        running += weight(i);
        if (!(running > target)) continue;
        if (running - target <= doubt || (i > 0 && target - before <= doubt)) return std::nullopt;
        return static_cast<Token>(i);
    }
    return std::nullopt;
}

}  // namespace

Result<Speculation> speculative_step(std::span<const double> p_target, std::span<const double> q_draft, Token draft_token,
                                     double u_accept, double u_resample) {
    if (const auto valid = validate_pair(p_target, q_draft); !valid) return std::unexpected(valid.error());
    if (draft_token < 0 || static_cast<std::size_t>(draft_token) >= p_target.size()) {
        return refuse(ErrorCode::INVALID_TOKEN, "the draft", 0, std::to_string(draft_token));
    }
    const auto draft = static_cast<std::size_t>(draft_token);
    if (q_draft[draft] == 0) return refuse(ErrorCode::DRAFT_WITHOUT_MASS, {}, draft_token);
    for (const double u : {u_accept, u_resample}) {
        if (const auto valid = validate_u(u); !valid) return std::unexpected(valid.error());
    }

    const Scaled p(p_target);
    const Scaled q(q_draft);
    const double left = u_accept * q.probability(draft);
    const double right = p.probability(draft);
    const double doubt = 2 * relative_error * (left + right) + absolute_error;
    bool accepted = left < right;
    if (std::abs(left - right) <= doubt) accepted = ExactResidual(p_target, q_draft).accepts(draft, u_accept);
    if (accepted) return Speculation{draft_token, true};
    const auto rest = [&](std::size_t i) { return residual(p, q, i); };
    if (const auto token = walk_binary64(rest, p_target.size(), u_resample)) return Speculation{*token, false};
    return Speculation{ExactResidual(p_target, q_draft).walk(u_resample), false};
}

Result<Token> sample_weights(std::span<const double> weights, double u) {
    if (weights.empty()) return refuse(ErrorCode::EMPTY_ROW, {});
    if (const auto valid = validate_weights(weights, "the law"); !valid) return std::unexpected(valid.error());
    if (const auto valid = validate_u(u); !valid) return std::unexpected(valid.error());
    const Scaled scaled(weights);
    const auto probability = [&](std::size_t i) { return scaled.probability(i); };
    if (const auto token = walk_binary64(probability, weights.size(), u)) return *token;
    const WholeWeights whole(weights);
    return walk_exactly([&](std::size_t i) { return whole[i]; }, weights.size(), u);
}

Result<EmittedDistribution> emitted_distribution(std::span<const double> p_target, std::span<const double> q_draft) {
    if (const auto valid = validate_pair(p_target, q_draft); !valid) return std::unexpected(valid.error());
    const Scaled p(p_target);
    const Scaled q(q_draft);
    const std::size_t n = p_target.size();
    // A draft token is proposed with q and accepted with min(1, p / q): min(p, q) is emitted directly. What is rejected is
    // spread as the residual max(0, p - q), normalised to the mass of what is rejected, which is its own.
    EmittedDistribution result{std::vector<double>(n), 0};
    detail::CompensatedSum accepted;
    detail::CompensatedSum residual_total;
    for (std::size_t i = 0; i < n; ++i) {
        result.distribution[i] = std::min(p.probability(i), q.probability(i));
        accepted.add(result.distribution[i]);
        residual_total.add(residual(p, q, i));
    }
    // 1 - alpha is the residual's own total: what cancels is not subtracted, and equal laws give exactly 1.
    result.alpha = residual_total.value() < 0.5 ? 1 - residual_total.value() : accepted.value();
    for (std::size_t i = 0; i < n; ++i) result.distribution[i] += residual(p, q, i);
    return result;
}

}  // namespace quillmate
