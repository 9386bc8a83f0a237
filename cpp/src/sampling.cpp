#include "quillmate/sampling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "compensated_sum.hpp"
#include "exact_sum.hpp"
#include "exponential.hpp"
#include "kept.hpp"
#include "level.hpp"
#include "natural.hpp"
#include "row_filter.hpp"
#include "subnormal_rounding.hpp"

namespace quillmate {
namespace detail {
namespace {

// One workspace a thread, so that nothing is allocated after the first rows.
struct Workspace {
    RowFilter filter;
    Masses masses;
    Kept kept;
    Kept block;
    std::vector<std::uint32_t> contenders;
};
thread_local Workspace workspace;

// A prefix in the order of rule 4: every logit above `logit`, and the first `ties` tokens that have exactly it.
struct Cut {
    double logit = -std::numeric_limits<double>::infinity();
    std::size_t ties = 0;

    // For tokens asked about in ascending id. Without branches: which tokens are kept cannot be predicted.
    [[nodiscard]] bool keeps(double x) {
        const bool tie = x == logit && ties > 0;
        ties -= tie;
        return x > logit || tie;
    }
};

// Finite doubles in descending order of their value as ascending integers.
std::uint64_t descending_key(double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return static_cast<std::uint64_t>(bits ^ (~(bits >> 63) & 0x7fffffffffffffff));
}

// The shortest non-empty prefix in the order of rule 4 whose sum of measures reaches the target; nothing, if none does.
// Sum is default-constructed as nothing and has +=; add(sum, i, times) adds the measure of the kept token i, that many times;
// target_of(the sum of all) tells whether a sum reaches the target. A radix select: each round tallies one digit of the
// contenders' keys and goes on with the digit in which the target is reached, so it is linear whatever the row.
template <class Sum, class Add, class TargetOf>
std::optional<Cut> find_cut(const Kept& kept, Add add, TargetOf target_of) {
    constexpr int digit_bits = 8;
    constexpr std::size_t digits = std::size_t{1} << digit_bits;
    static thread_local std::array<Sum, digits> tallies;
    std::array<std::uint32_t, digits> counts;

    std::vector<std::uint32_t>& contenders = workspace.contenders;
    contenders.resize(kept.count);
    const auto key_of = [&](std::uint32_t i) { return descending_key(kept.logits[i]); };
    std::uint64_t differing = 0;  // bits in which keys of contenders differ
    for (std::uint32_t i = 0; i < kept.count; ++i) {
        contenders[i] = i;
        differing |= key_of(i) ^ key_of(0);
    }
    std::optional<decltype(target_of(Sum{}))> reaches;
    Sum above{};
    while (differing != 0) {
        const int shift = std::max(static_cast<int>(std::bit_width(differing)) - digit_bits, 0);
        const auto digit_of = [&](std::uint32_t i) { return key_of(i) >> shift & (digits - 1); };
        tallies.fill(Sum{});
        counts.fill(0);
        for (const std::uint32_t i : contenders) {
            const std::size_t digit = digit_of(i);
            add(tallies[digit], i, 1);
            ++counts[digit];
        }
        if (!reaches) {
            Sum all{};
            for (const Sum& tally : tallies) all += tally;
            reaches.emplace(target_of(all));
        }
        std::size_t chosen = 0;
        for (; chosen < digits; ++chosen) {
            if (counts[chosen] == 0) continue;
            Sum with = above;
            with += tallies[chosen];
            if ((*reaches)(with)) break;
            above = with;
        }
        if (chosen == digits) return std::nullopt;
        std::size_t n = 0;  // without branches, as in apply()
        for (const std::uint32_t i : contenders) {
            contenders[n] = i;
            n += digit_of(i) == chosen;
        }
        contenders.resize(n);
        differing = 0;
        for (const std::uint32_t i : contenders) differing |= key_of(i) ^ key_of(contenders.front());
    }
    // They all have the same logit, and so the same measure: as many as it takes.
    const std::uint32_t tie = contenders.front();
    const auto sum_with = [&](std::uint32_t ties) {
        Sum with = above;
        add(with, tie, ties);
        return with;
    };
    auto most = static_cast<std::uint32_t>(contenders.size());
    if (!reaches) reaches.emplace(target_of(sum_with(most)));
    if (!(*reaches)(sum_with(most))) return std::nullopt;
    std::uint32_t too_few = 0;
    while (most - too_few > 1) {
        const std::uint32_t ties = too_few + (most - too_few) / 2;
        ((*reaches)(sum_with(ties)) ? most : too_few) = ties;
    }
    return Cut{kept.logits[tie], most};
}

// Drops the tokens that the cut does not keep.
void apply(Cut cut, Kept& kept) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < kept.count; ++i) {
        kept.ids[n] = kept.ids[i];
        kept.logits[n] = kept.logits[i];
        kept.weights[n] = kept.weights[i];
        n += cut.keeps(kept.logits[i]);
    }
    kept.count = n;
}

// Rules 2 and 4.
void select(RowFilter& filter, std::int64_t top_k, std::size_t size, Kept& kept) {
    const auto k = static_cast<std::uint64_t>(top_k);
    if (k == 0 || k >= size) return filter.gather(-std::numeric_limits<float>::infinity(), kept);
    filter.gather(filter.threshold_for_count(k), kept);
    const auto cut = find_cut<std::uint64_t>(
        kept, [](std::uint64_t& count, std::uint32_t, std::uint32_t times) { count += times; },
        [&](std::uint64_t) { return [&](std::uint64_t count) { return count >= k; }; });
    if (cut) apply(*cut, kept);
}

// Rules 3 and 5; the exponential says how exactly.
template <void (*exponential)(std::span<double>) noexcept>
void weigh(Kept& kept, double peak, double temperature) {
    for (std::size_t i = 0; i < kept.count; ++i) kept.weights[i] = (kept.logits[i] - peak) / temperature;
    exponential(std::span(kept.weights.data(), kept.count));
}

// top_p - 2^-40, which is exact: above 2^-40 the difference is a multiple of top_p's last bit and smaller than top_p.
double share_wanted(double top_p) { return std::max(0.0, top_p - 0x1p-40); }

// ---- binary64: approximate weights, plain sums, and a bound on all that was rounded --------------------------------------

constexpr std::size_t block_size = 64;

// How far a sum of n approximate weights, added in blocks of 64 and then compensated, is from the sum of the exact ones:
// 8 units of 2^-53 for the weights (exp_approximate), 63 for the block, 2 for the compensated sum, 1 for adding the part of a
// block to it, and 4 for the products, sums and differences formed with it below. The second term covers weights in the
// subnormal range, where the error is absolute.
constexpr double relative_error = 80 * 0x1p-53;
double absolute_error(std::size_t n) { return static_cast<double>(n) * 0x1p-1073; }

// The sum of the weights from begin to the end of that block.
double sum_of_block(const Kept& kept, std::size_t begin) {
    double sum = 0;
    const std::size_t end = std::min(begin + block_size, kept.count);
    for (std::size_t i = begin; i < end; ++i) sum += kept.weights[i];
    return sum;
}

double sum_of_weights(const Kept& kept) {
    CompensatedSum total;
    for (std::size_t i = 0; i < kept.count; i += block_size) total.add(sum_of_block(kept, i));
    return total.value();
}

// a < b or a > b whatever the rounding, or nothing.
std::optional<bool> certainly_less(double a, double b, std::size_t n) {
    const double doubt = relative_error * (a + b) + absolute_error(n);
    if (b - a > doubt) return true;
    if (a - b > doubt) return false;
    return std::nullopt;
}

enum class Nucleus { kept, undecided, larger };

// Rule 6 on approximate weights. `others` is the weight of the tokens that are not in `kept`, all of them below those that are;
// `larger` says that the nucleus needs some of them.
Nucleus keep_nucleus_binary64(Kept& kept, double top_p, Interval others) {
    const double share = share_wanted(top_p);
    const std::size_t n = kept.count;
    const std::optional<Cut> cut = find_cut<double>(
        kept, [&](double& sum, std::uint32_t i, std::uint32_t times) { sum += times * kept.weights[i]; },
        [&](double all) {
            return [target = share * (all + (others.low + others.high) / 2)](double sum) { return sum >= target; };
        });
    if (!cut && others.high > 0) return Nucleus::larger;
    if (!cut) return Nucleus::undecided;  // rounding hid that all is enough

    // Any way of finding the cut is right if it can be proven: the prefix reaches the share, and without its last token it
    // does not. With a inside and b outside, a >= share (a + b) is (1 - share) a >= share b, which keeps the small side's
    // precision.
    CompensatedSum inside;
    CompensatedSum outside;
    std::size_t count = 0;
    double last_weight = 0;  // of the prefix; tokens with equal logits have equal weights
    Cut walk = *cut;
    for (std::size_t i = 0; i < n; i += block_size) {
        double in = 0;
        double out = 0;
        for (std::size_t j = i; j < std::min(i + block_size, n); ++j) {
            const bool kept_by_cut = walk.keeps(kept.logits[j]);
            const double weight = kept.weights[j];
            last_weight = kept.logits[j] == cut->logit ? weight : last_weight;
            in += kept_by_cut ? weight : 0;
            out += kept_by_cut ? 0 : weight;
            count += kept_by_cut;
        }
        inside.add(in);
        outside.add(out);
    }
    const double rest = 1 - share;
    const double most_outside = outside.value() + others.high;
    const double least_outside = outside.value() + others.low;
    const bool all = count == n && others.high == 0;
    if (!all && certainly_less(rest * inside.value(), share * most_outside, n) != false) return Nucleus::undecided;
    if (count > 1 && certainly_less(rest * (inside.value() - last_weight), share * (least_outside + last_weight), n) != true) {
        return Nucleus::undecided;
    }
    apply(*cut, kept);
    return Nucleus::kept;
}

// Rule 7 on approximate weights.
std::optional<Token> walk_binary64(const Kept& kept, double u) {
    const std::size_t n = kept.count;
    const double target = u * sum_of_weights(kept);
    CompensatedSum before;
    for (std::size_t i = 0; i < n; i += block_size) {
        CompensatedSum with = before;
        with.add(sum_of_block(kept, i));
        if (!(with.value() > target)) {
            before = with;
            continue;
        }
        double running = 0;
        for (std::size_t j = i; j < std::min(i + block_size, n); ++j) {
            const double previous = before.value() + running;
            running += kept.weights[j];
            const double next = before.value() + running;
            if (!(next > target)) continue;
            if (certainly_less(target, next, n) != true) return std::nullopt;
            if (j > 0 && certainly_less(target, previous, n) != false) return std::nullopt;
            return kept.ids[j];
        }
        return std::nullopt;
    }
    return std::nullopt;
}

// ---- blocks and float32: bounds on the weight of each block of the row ---------------------------------------------------

// Rule 7 where the whole row is kept.
std::optional<Token> walk_blocks(const RowFilter& filter, const Masses& masses, double peak, double temperature, double u) {
    const std::size_t blocks = filter.block_count();
    Interval total;
    for (std::size_t b = 0; b < blocks; ++b) {
        total.low += masses.low[b];
        total.high += masses.high[b];
    }
    // Plain sums of at most block_size() + block_count() terms, of weights off by 8 * 2^-53, and products with u and 1 - u.
    const double error = static_cast<double>(filter.block_size() + blocks + 16) * 0x1p-53;
    const double doubt = 4 * error * total.high + absolute_error(filter.block_size() * blocks);
    // running > u total is (1 - u) running > u (the weight that follows), whose two sides are known apart.
    const auto crossed = [&](double running, double following) { return (1 - u) * running - u * following > doubt; };
    const auto not_crossed = [&](double running, double following) { return u * following - (1 - u) * running > doubt; };

    Interval before;
    for (std::size_t b = 0; b < blocks; ++b) {
        const Interval after{before.low + masses.low[b], before.high + masses.high[b]};
        if (!crossed(after.low, total.high - after.high)) {
            before = after;
            continue;
        }
        if (b > 0 && !not_crossed(before.high, total.low - before.low)) return std::nullopt;
        Kept& block = workspace.block;
        filter.gather_block(b, block);
        weigh<exp_approximate>(block, peak, temperature);
        double remaining = 0;
        for (std::size_t i = 0; i < block.count; ++i) remaining += block.weights[i];
        const Interval following{total.low - after.low, total.high - after.high};
        double running = 0;
        for (std::size_t i = 0; i < block.count; ++i) {
            const bool first = b == 0 && i == 0;
            if (!first && !not_crossed(before.high + running, remaining + following.low)) return std::nullopt;
            running += block.weights[i];
            remaining -= block.weights[i];
            if (crossed(before.low + running, remaining + following.high)) return block.ids[i];
        }
        return std::nullopt;
    }
    return std::nullopt;
}

// Each round leaves less of the whole weight open, the last weighs every token.
constexpr std::array open_shares{0x1p-10, 0x1p-13, 0x1p-16, 0.0};
Level level_of_round(double open_share) { return open_share > 0 ? Level::blocks : Level::float32; }

// Rule 7 without filters.
std::optional<Decision> decide_by_bounds(Level first, RowFilter& filter, Peak peak, double temperature, double u) {
    Masses& masses = workspace.masses;
    filter.estimate(temperature, masses);
    for (const double open_share : open_shares) {
        const Level level = level_of_round(open_share);
        if (level < first) continue;
        filter.refine(open_share, masses);
        if (const auto token = walk_blocks(filter, masses, peak.logit, temperature, u)) return Decision{*token, level};
    }
    return std::nullopt;
}

// Rule 6 without top-k: keeps the nucleus, with approximate weights, and returns the level that found it. Otherwise the level to
// go on with.
std::expected<Level, Level> keep_nucleus_by_bounds(Level first, RowFilter& filter, Peak peak, const Settings& settings,
                                                   Kept& kept) {
    Masses& masses = workspace.masses;
    filter.estimate(settings.temperature, masses);
    float threshold = 0;
    bool gathered = false;
    for (const double open_share : open_shares) {
        const Level level = level_of_round(open_share);
        if (level < first) continue;
        filter.refine(open_share, masses);
        // Only the tokens that can be in the nucleus are weighed one by one.
        if (!gathered) {
            constexpr double margin = 0x1p-3;  // of what top_p leaves out, gathered beyond top_p
            threshold = filter.threshold_for_share(settings.top_p + margin * (1 - settings.top_p), masses);
            filter.gather(threshold, kept);
            weigh<exp_approximate>(kept, peak.logit, settings.temperature);
            gathered = true;
        }
        const Interval others = filter.weight_below(threshold, kept, masses);
        switch (keep_nucleus_binary64(kept, settings.top_p, others)) {
            case Nucleus::larger: gathered = false; break;
            case Nucleus::kept: return level;
            case Nucleus::undecided:
                // Better bounds do not help where the rounding of binary64 is what hides the answer.
                if (others.high - others.low <= relative_error) return std::unexpected(Level::exact);
        }
    }
    return std::unexpected(Level::binary64);
}

// ---- exact: correctly rounded weights, whole numbers ---------------------------------------------------------------------

ExactSum exact_total(const Kept& kept) {
    ExactSum total;
    for (std::size_t i = 0; i < kept.count; ++i) total.add(kept.weights[i]);
    return total;
}

void keep_nucleus_exact(Kept& kept, double top_p) {
    const auto cut = find_cut<ExactSum>(
        kept, [&](ExactSum& sum, std::uint32_t i, std::uint32_t times) { sum.add(kept.weights[i], times); },
        [&](const ExactSum& all) {
            return [share = share_of(share_wanted(top_p), all)](const ExactSum& sum) {
                return share.exact ? sum >= share.floor : sum > share.floor;
            };
        });
    if (cut) apply(*cut, kept);
}

Token walk_exact(const Kept& kept, double u) {
    const ExactSum target = share_of(u, exact_total(kept)).floor;  // whole sums exceed a number when they exceed its floor
    ExactSum before;
    std::size_t begin = 0;
    for (;; begin += block_size) {
        ExactSum with = before;
        for (std::size_t i = begin; i < std::min(begin + block_size, kept.count); ++i) with.add(kept.weights[i]);
        if (with > target) break;  // at the latest in the last block: the total exceeds u times itself
        before = with;
    }
    for (std::size_t i = begin;; ++i) {
        before.add(kept.weights[i]);
        if (before > target) return kept.ids[i];
    }
}

// Divides weights by their total, correctly rounded: a double-double quotient decides unless it is too near a midpoint.
class Normaliser {
public:
    explicit Normaliser(const ExactSum& total) : total_(total) {
        const ExactSum::Digits digits = total.digits();
        for (std::size_t i = digits.size(); i-- > 0;) {
            const double term = std::ldexp(digits[i], 32 * static_cast<int>(i) - 1074);
            const double sum = high_ + term;
            low_ += term - (sum - high_);
            high_ = sum;
        }
    }

    [[nodiscard]] double operator()(double weight) const {
        const double scale = weight < 0x1p-500 ? 0x1p700 : 1;  // keeps the quotient and its remainder in the normal range
        const double first = weight * scale / high_;
        const double second = (std::fma(-first, high_, weight * scale) - first * low_) / high_;
        const double doubt = first * 0x1p-98;
        const double smallest_normal = 0x1p-1022 * scale;
        if (first >= smallest_normal) {
            const double up = first + (second + doubt);
            if (up == first + (second - doubt)) return up / scale;
        } else if (const auto rounded = round_to_grid(first, second, doubt, smallest_normal)) {
            return *rounded / scale;
        }
        return ratio(weight, total_);
    }

private:
    ExactSum total_;
    double high_ = 0;
    double low_ = 0;
};

}  // namespace

Result<Decision> decide(Level first, Logits logits, const Settings& settings, double u) {
    if (const auto valid = validate(settings); !valid) return std::unexpected(valid.error());
    if (const auto valid = validate_u(u); !valid) return std::unexpected(valid.error());
    RowFilter& filter = workspace.filter;
    const auto peak = filter.read(logits);
    if (!peak) return std::unexpected(peak.error());
    if (settings.temperature == 0) return Decision{static_cast<Token>(peak->id), Level::exact};

    constexpr std::size_t worth_bounding = 2048;  // tokens; fewer are as soon weighed
    const bool all = settings.top_k == 0 || static_cast<std::uint64_t>(settings.top_k) >= logits.size();
    const bool ordinary =
        settings.temperature >= RowFilter::min_temperature && settings.temperature <= RowFilter::max_temperature;
    Kept& kept = workspace.kept;
    bool nucleus_is_kept = false;
    if (first < Level::binary64 && all && ordinary && logits.size() >= worth_bounding) {
        if (settings.top_p == 1) {
            if (const auto decision = decide_by_bounds(first, filter, *peak, settings.temperature, u)) return *decision;
        } else if (const auto level = keep_nucleus_by_bounds(first, filter, *peak, settings, kept)) {
            if (const auto token = walk_binary64(kept, u)) return Decision{*token, *level};
            nucleus_is_kept = true;
            first = Level::exact;
        } else {
            first = level.error();
        }
    }
    if (!nucleus_is_kept) select(filter, settings.top_k, logits.size(), kept);
    if (first <= Level::binary64) {
        weigh<exp_approximate>(kept, peak->logit, settings.temperature);
        nucleus_is_kept = settings.top_p == 1 || keep_nucleus_binary64(kept, settings.top_p, {}) == Nucleus::kept;
        if (nucleus_is_kept) {
            if (const auto token = walk_binary64(kept, u)) return Decision{*token, Level::binary64};
        }
    }
    weigh<exp_rounded>(kept, peak->logit, settings.temperature);
    if (!nucleus_is_kept && settings.top_p < 1) keep_nucleus_exact(kept, settings.top_p);
    return Decision{walk_exact(kept, u), Level::exact};
}

}  // namespace detail

Result<Token> sample_token(Logits logits, const Settings& settings, double u) {
    const auto decision = detail::decide(detail::Level::blocks, logits, settings, u);
    if (!decision) return std::unexpected(decision.error());
    return decision->token;
}

Result<void> sample_batch(Logits logits, std::span<const Draw> draws, std::span<Token> out) {
    const auto mismatch = [](std::string detail) {
        return std::unexpected(Error{.code = ErrorCode::WRONG_LENGTH, .detail = std::move(detail)});
    };
    const std::size_t rows = draws.size();
    if (out.size() != rows) {
        return mismatch("there are " + std::to_string(rows) + " rows but places for " + std::to_string(out.size()) + " tokens");
    }
    if (rows == 0 ? logits.size() != 0 : logits.size() % rows != 0) {
        return mismatch(std::to_string(logits.size()) + " logits are not " + std::to_string(rows) + " rows of equal length");
    }
    if (rows == 0) return {};
    const std::size_t vocab_size = logits.size() / rows;
    std::vector<Token> tokens(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        const auto token = sample_token(logits.subrow(i * vocab_size, vocab_size), draws[i].settings, draws[i].u);
        if (!token) {
            Error error = token.error();
            error.row = static_cast<std::int64_t>(i);
            return std::unexpected(std::move(error));
        }
        tokens[i] = *token;
    }
    std::ranges::copy(tokens, out.begin());
    return {};
}

Result<Distribution> distribution(Logits logits, const Settings& settings) {
    if (const auto valid = validate(settings); !valid) return std::unexpected(valid.error());
    detail::RowFilter& filter = detail::workspace.filter;
    const auto peak = filter.read(logits);
    if (!peak) return std::unexpected(peak.error());
    if (settings.temperature == 0) return Distribution{{static_cast<Token>(peak->id)}, {1.0}};
    detail::Kept& kept = detail::workspace.kept;
    detail::select(filter, settings.top_k, logits.size(), kept);
    detail::weigh<detail::exp_rounded>(kept, peak->logit, settings.temperature);
    if (settings.top_p < 1) detail::keep_nucleus_exact(kept, settings.top_p);
    const detail::Normaliser normalise(detail::exact_total(kept));
    Distribution result;
    result.ids.assign(kept.ids.begin(), kept.ids.begin() + static_cast<std::ptrdiff_t>(kept.count));
    result.probabilities.reserve(kept.count);
    for (std::size_t i = 0; i < kept.count; ++i) result.probabilities.push_back(normalise(kept.weights[i]));
    return result;
}

}  // namespace quillmate
