#include "quillmate/exact/categorical.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace quillmate::exact {
namespace {

std::unexpected<Error> refuse(ErrorCode code, std::int64_t index, std::string value, std::string detail = "the law") {
    return std::unexpected(Error{.code = code, .index = index, .value = std::move(value), .detail = std::move(detail)});
}

std::unexpected<Error> lengths(std::size_t a, const char* of_a, std::size_t b, const char* of_b) {
    return refuse(ErrorCode::WRONG_LENGTH, -1, {}, std::to_string(a) + of_a + std::to_string(b) + of_b);
}

Result<void> check_vocabularies(const Categorical& p, const Categorical& q) {
    if (p.vocab_size() == q.vocab_size()) return {};
    return lengths(p.vocab_size(), " tokens in the target's vocabulary, ", q.vocab_size(), " in the draft's");
}

// The float32 nearest to a weight, ties to even, as a fraction; nothing when it is too large.
std::optional<Rational> to_fp32(const Rational& weight) {
    namespace mp = boost::multiprecision;
    if (weight == 0) return weight;
    const Integer& n = mp::numerator(weight);
    const Integer& d = mp::denominator(weight);
    int exponent = static_cast<int>(mp::msb(n)) - static_cast<int>(mp::msb(d));  // 2^(exponent - 1) < weight < 2^(exponent + 1)
    const auto power = [](int bits) {
        const Integer one = 1;
        return bits < 0 ? Rational(one, one << static_cast<unsigned>(-bits)) : Rational(one << static_cast<unsigned>(bits));
    };
    if (weight < power(exponent)) --exponent;
    const Rational unit = power(std::max(exponent - 23, -149));
    const Rational scaled = weight / unit;
    Integer whole = mp::numerator(scaled) / mp::denominator(scaled);
    const Rational rest = scaled - Rational(whole);
    const Rational half(1, 2);
    if (rest > half || (rest == half && whole % 2 != 0)) ++whole;
    const Rational rounded = Rational(whole) * unit;
    if (rounded >= power(128)) return std::nullopt;
    return rounded;
}

}  // namespace

Categorical::Categorical(std::size_t vocab_size, std::vector<Token> ids, std::vector<Integer> tickets)
    : vocab_size_(vocab_size), ids_(std::move(ids)), tickets_(std::move(tickets)) {
    for (const Integer& count : tickets_) total_ += count;
}

Result<Categorical> Categorical::of_tickets(std::size_t vocab_size, std::vector<Token> ids, std::vector<Integer> tickets) {
    Integer common = 0;
    for (const Integer& count : tickets) common = boost::multiprecision::gcd(common, count);
    if (common == 0) return refuse(ErrorCode::ZERO_TOTAL_WEIGHT, -1, {});
    for (Integer& count : tickets) count /= common;
    return Categorical(vocab_size, std::move(ids), std::move(tickets));
}

Result<Categorical> Categorical::create(std::size_t vocab_size, std::span<const Token> ids, std::span<const Rational> weights) {
    if (ids.size() != weights.size()) return lengths(ids.size(), " ids have ", weights.size(), " weights");
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] < 0 || static_cast<std::size_t>(ids[i]) >= vocab_size) {
            return refuse(ErrorCode::INVALID_TOKEN, static_cast<std::int64_t>(i), std::to_string(ids[i]));
        }
        if (weights[i] < 0) {
            return refuse(ErrorCode::INVALID_WEIGHT, static_cast<std::int64_t>(i), to_text(weights[i]));
        }
    }
    std::vector<std::size_t> order(ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return ids[i]; });
    std::vector<Token> sorted;
    Integer denominator = 1;
    for (const std::size_t i : order) {
        if (!sorted.empty() && sorted.back() == ids[i]) {
            return refuse(ErrorCode::DUPLICATE_TOKEN, static_cast<std::int64_t>(i), std::to_string(ids[i]));
        }
        sorted.push_back(ids[i]);
        denominator = boost::multiprecision::lcm(denominator, Integer(boost::multiprecision::denominator(weights[i])));
    }
    std::vector<Integer> tickets;
    for (const std::size_t i : order) {
        tickets.push_back(boost::multiprecision::numerator(weights[i]) *
                          (denominator / boost::multiprecision::denominator(weights[i])));
    }
    return of_tickets(vocab_size, std::move(sorted), std::move(tickets));
}

Result<Categorical> Categorical::dense(std::span<const Rational> weights) {
    std::vector<Token> ids(weights.size());
    std::iota(ids.begin(), ids.end(), Token{0});
    return create(weights.size(), ids, weights);
}

Result<Categorical> Categorical::dense(std::span<const double> weights) {
    std::vector<Rational> fractions;
    for (const double weight : weights) {
        auto fraction = to_rational(weight);
        if (!fraction) {
            fraction.error().index = static_cast<std::int64_t>(fractions.size());
            return std::unexpected(std::move(fraction.error()));
        }
        fractions.push_back(std::move(*fraction));
    }
    return dense(std::span<const Rational>(fractions));
}

Integer Categorical::tickets_of(Token token) const {
    const auto found = std::ranges::lower_bound(ids_, token);
    if (found == ids_.end() || *found != token) return 0;
    return tickets_[static_cast<std::size_t>(found - ids_.begin())];
}

Result<Rational> Categorical::prob(Token token) const {
    if (token < 0 || static_cast<std::size_t>(token) >= vocab_size_) {
        return refuse(ErrorCode::INVALID_TOKEN, 0, std::to_string(token));
    }
    return Rational(tickets_of(token), total_);
}

Token Categorical::sample(const RandomStream& stream, std::uint32_t position) const {
    Integer draw = random_below(total_, stream, position);
    std::size_t i = 0;
    for (; draw >= tickets_[i]; ++i) draw -= tickets_[i];
    return ids_[i];
}

Result<Categorical> Categorical::masked(const std::vector<bool>& allowed) const {
    if (allowed.size() != vocab_size_) return lengths(allowed.size(), " flags for ", vocab_size_, " tokens");
    std::vector<Integer> tickets = tickets_;
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        if (!allowed[static_cast<std::size_t>(ids_[i])]) tickets[i] = 0;
    }
    return of_tickets(vocab_size_, ids_, std::move(tickets));
}

Result<Categorical> Categorical::sparse_topk(std::size_t k) const {
    if (k < 1 || k > vocab_size_) {
        return refuse(ErrorCode::INVALID_SUPPORT_SIZE, -1, std::to_string(k), std::to_string(vocab_size_));
    }
    std::vector<std::size_t> order(ids_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [this](std::size_t a, std::size_t b) { return tickets_[a] > tickets_[b]; });
    order.resize(std::min(k, order.size()));
    std::ranges::sort(order);
    std::vector<Token> ids;
    std::vector<Integer> tickets;
    for (const std::size_t i : order) {
        ids.push_back(ids_[i]);
        tickets.push_back(tickets_[i]);
    }
    return of_tickets(vocab_size_, std::move(ids), std::move(tickets));
}

Result<Categorical> fp32_weights(std::size_t vocab_size, std::span<const Token> ids, std::span<const Rational> weights) {
    std::vector<Rational> rounded;
    for (const Rational& weight : weights) {
        auto nearest = weight < 0 ? std::nullopt : to_fp32(weight);
        if (!nearest) {
            return refuse(ErrorCode::INVALID_WEIGHT, static_cast<std::int64_t>(rounded.size()), to_text(weight));
        }
        rounded.push_back(std::move(*nearest));
    }
    return Categorical::create(vocab_size, ids, rounded);
}

Result<Rational> acceptance(const Categorical& p, const Categorical& q, Token token) {
    if (auto same = check_vocabularies(p, q); !same) return std::unexpected(std::move(same.error()));
    const auto target = p.prob(token);
    if (!target) return target;
    const Integer draft = q.tickets_of(token);
    if (draft == 0) return refuse(ErrorCode::DRAFT_WITHOUT_MASS, token, std::to_string(token), {});
    return std::min(Rational(1), Rational(*target * Rational(q.total(), draft)));
}

Result<Categorical> residual(const Categorical& p, const Categorical& q) {
    if (auto same = check_vocabularies(p, q); !same) return std::unexpected(std::move(same.error()));
    std::vector<Token> ids(p.vocab_size());
    std::iota(ids.begin(), ids.end(), Token{0});
    std::vector<Integer> tickets;
    for (const Token token : ids) {
        const Integer difference = p.tickets_of(token) * q.total() - q.tickets_of(token) * p.total();
        tickets.push_back(difference > 0 ? difference : Integer(0));
    }
    return Categorical::of_tickets(p.vocab_size(), std::move(ids), std::move(tickets));
}

}  // namespace quillmate::exact
