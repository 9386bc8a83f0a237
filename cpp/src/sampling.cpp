#include "quillmate/sampling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
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
#include "simd.hpp"
#include "subnormal_rounding.hpp"

namespace quillmate {
namespace detail {
namespace {

// One workspace a thread, so that nothing is allocated after the first rows.
struct Workspace {
    RowFilter filter;
    Masses masses;       // of the row
    Masses kept_masses;  // of what is kept of it
    Kept kept;
    Kept block;
    std::vector<std::uint32_t> contenders;
    std::vector<ExactSum> chunks;
};
thread_local Workspace workspace;

// Finite doubles in descending order of their value as ascending integers.
std::uint64_t descending_key(double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return static_cast<std::uint64_t>(bits ^ (~(bits >> 63) & 0x7fffffffffffffff));
}

// Where to cut in the order of rule 4, so as to drop the longest suffix whose weights, or whose number where no weights are given,
// add up to at most `limit`, and keep one token at least. A number is exact; sums of weights are plain ones and may be off by
// count 2^-53 of themselves. Adding from the light end pins the cut down to a token, as the heaviest that is dropped weighs at
// least its share of their sum. A radix select: each round tallies one digit of the contenders, larger for smaller logits, and goes
// on with the digit in which the limit is passed. The first digit is one of the logit's value, which spreads most rows evenly;
// those of its key then see to it that the time is linear whatever the row.
Cut cut_dropping(const Kept& kept, std::span<const double> weights, double limit) {
    constexpr std::size_t most_digits = 256;
    const auto weight_of = [&](std::uint32_t i) { return weights.empty() ? 1 : weights[i]; };

    std::vector<std::uint32_t>& contenders = workspace.contenders;
    contenders.resize(kept.count);
    std::iota(contenders.begin(), contenders.end(), 0);
    double dropped = 0;
    const auto go_on_with_one_of = [&](std::size_t digits, auto digit_of) {
        // Several tallies, as neighbours often have one digit and would wait for each other.
        std::array<std::array<double, most_digits>, 4> parts;
        for (auto& part : parts) std::fill_n(part.begin(), digits, 0.0);
        for (std::size_t c = 0; c < contenders.size(); ++c)
            parts[c % parts.size()][digit_of(contenders[c])] += weight_of(contenders[c]);
        const auto tally = [&](std::size_t d) { return (parts[0][d] + parts[1][d]) + (parts[2][d] + parts[3][d]); };
        std::size_t chosen = digits - 1;
        for (; chosen > 0 && dropped + tally(chosen) <= limit; --chosen) dropped += tally(chosen);
        std::size_t n = 0;  // without branches, as in apply()
        for (const std::uint32_t i : contenders) {
            contenders[n] = i;
            n += digit_of(i) == chosen;
        }
        contenders.resize(n);
    };

    if (kept.count > most_digits) {
        double most = kept.logits[0];
        double least = most;
        for (std::size_t i = 1; i < kept.count; ++i) {
            most = std::max(most, kept.logits[i]);
            least = std::min(least, kept.logits[i]);
        }
        const double digits_per_unit = (most_digits - 1) / (most - least);
        if (digits_per_unit > 0 && std::isfinite(digits_per_unit)) {
            go_on_with_one_of(most_digits, [&](std::uint32_t i) {
                return static_cast<std::size_t>((most - kept.logits[i]) * digits_per_unit);
            });
        }
    }
    for (;;) {
        const auto key_of = [&](std::uint32_t i) { return descending_key(kept.logits[i]); };
        std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t last = 0;
        for (const std::uint32_t i : contenders) {
            first = std::min(first, key_of(i));
            last = std::max(last, key_of(i));
        }
        if (first == last) break;
        const int digit_bits = contenders.size() > most_digits ? 8 : 4;  // the tallies should not cost more than the tokens
        const int shift = std::max(static_cast<int>(std::bit_width(last - first)) - digit_bits, 0);
        go_on_with_one_of(((last - first) >> shift) + 1, [&](std::uint32_t i) { return (key_of(i) - first) >> shift; });
    }
    // They all have the same logit, and so the same weight: as many as may be dropped, the highest ids first.
    const double weight = weight_of(contenders.front());
    std::size_t kept_ties = 1;
    if (const auto others = static_cast<double>(contenders.size() - 1); dropped + others * weight > limit) {
        kept_ties = contenders.size() - static_cast<std::size_t>(std::max((limit - dropped) / weight, 0.0));
    }
    return {kept.logits[contenders.front()], kept.ids[contenders[kept_ties - 1]]};
}

// Drops the tokens that the cut does not keep.
void apply(const Cut& cut, Kept& kept) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < kept.count; ++i) {
        const Token id = kept.ids[i];  // read before the writes, not to wait for them
        const double logit = kept.logits[i];
        kept.ids[n] = id;
        kept.logits[n] = logit;
        kept.weights[n] = kept.weights[i];
        n += cut.keeps(logit, id);
    }
    kept.count = n;
}

// Between two logits, so as to keep k of not many tokens, if a few bisections find where: on most rows they do, and sooner than a
// radix select, which has more to branch on.
std::optional<Cut> cut_between(const Kept& kept, std::size_t k) {
    if (kept.count > 256) return std::nullopt;
    const auto [least, most] =
        std::minmax_element(kept.logits.begin(), kept.logits.begin() + static_cast<std::ptrdiff_t>(kept.count));
    double low = *least;
    double high = *most;
    for (int bisections_left = 16; bisections_left > 0; --bisections_left) {
        const double middle = low + (high - low) / 2;
        std::size_t count = 0;
        for (std::size_t i = 0; i < kept.count; ++i) count += kept.logits[i] >= middle;
        if (count == k) return Cut{.logit = middle};
        (count < k ? high : low) = middle;
    }
    return std::nullopt;
}

// Rules 2 and 4.
void select(RowFilter& filter, std::int64_t top_k, std::size_t size, Kept& kept) {
    const auto k = static_cast<std::uint64_t>(top_k);
    if (k == 0 || k >= size) return (void)filter.gather(Band{}, size, kept);
    filter.gather(Band{.low = filter.threshold_for_count(k)}, size, kept);
    if (kept.count <= k) return;
    const auto cut = cut_between(kept, k);
    apply(cut ? *cut : cut_dropping(kept, {}, static_cast<double>(kept.count - k)), kept);
}

// Rules 3 and 5; the exponential says how exactly.
template <void (*exponential)(std::span<double>) noexcept>
void weigh(Kept& kept, double peak, double temperature) {
    std::size_t i = 0;
    for (; i + DoubleBatch::size <= kept.count; i += DoubleBatch::size) {
        const auto logits = DoubleBatch::load_unaligned(&kept.logits[i]);
        ((logits - DoubleBatch(peak)) / DoubleBatch(temperature)).store_unaligned(&kept.weights[i]);
    }
    for (; i < kept.count; ++i) kept.weights[i] = (kept.logits[i] - peak) / temperature;
    exponential(std::span(kept.weights.data(), kept.count));
}

// top_p - 2^-40, which is exact: above 2^-40 the difference is a multiple of top_p's last bit and smaller than top_p.
double share_wanted(double top_p) { return std::max(0.0, top_p - 0x1p-40); }

// ---- binary64: approximate weights, plain sums, and a bound on all that was rounded --------------------------------------

constexpr std::size_t block_size = 64;

// How far a sum of n approximate weights, added in blocks of 64 and then compensated, is from the sum of the exact ones:
// 8 units of 2^-53 for the weights (exp_approximate), 63 for the block, 2 for the compensated sum, 1 for adding the part of a
// block to it, and 5 for the products, sums and differences formed with it below. The second term covers weights in the
// subnormal range, where the error is absolute.
constexpr double relative_error = 80 * 0x1p-53;
double absolute_error(std::size_t n) { return static_cast<double>(n) * 0x1p-1073; }

double middle(Interval interval) { return (interval.low + interval.high) / 2; }

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

// Adds the weights of the tokens [begin, end) to one sum where the logit is at least that and to the other where it is not.
void add_sides(const Kept& kept, std::size_t begin, std::size_t end, double least, CompensatedSum& inside,
               CompensatedSum& outside) {
    for (std::size_t i = begin; i < end;) {
        const std::size_t block_end = std::min(i + block_size, end);
        DoubleBatch in(0);
        DoubleBatch out(0);
        for (; i + DoubleBatch::size <= block_end; i += DoubleBatch::size) {
            const auto is_inside = DoubleBatch::load_unaligned(&kept.logits[i]) >= DoubleBatch(least);
            const auto weights = DoubleBatch::load_unaligned(&kept.weights[i]);
            in += xsimd::select(is_inside, weights, DoubleBatch(0));
            out += xsimd::select(is_inside, DoubleBatch(0), weights);
        }
        double last_in = xsimd::reduce_add(in);
        double last_out = xsimd::reduce_add(out);
        for (; i < block_end; ++i) (kept.logits[i] >= least ? last_in : last_out) += kept.weights[i];
        inside.add(last_in);
        outside.add(last_out);
    }
}

std::size_t index_of(const Kept& kept, Token id) {
    const auto end = kept.ids.begin() + static_cast<std::ptrdiff_t>(kept.count);
    return static_cast<std::size_t>(std::lower_bound(kept.ids.begin(), end, id) - kept.ids.begin());
}

// Where the nucleus ends by plain sums, the tokens above and below `kept` weighing this: never too late if those weigh nothing, as
// the limit is raised by more than weights and sums are off; but perhaps a token or so too early.
Cut end_of_nucleus(const Kept& kept, double top_p, double above, double below) {
    const double total = above + sum_of_weights(kept) + below;
    const double doubt = static_cast<double>(kept.count + 100) * 0x1p-52;
    const double limit = (1 - share_wanted(top_p)) * total * (1 + doubt) - below;
    return cut_dropping(kept, {kept.weights.data(), kept.count}, limit);
}

// Rule 6 on approximate weights, where `kept` is the tokens whose logits lie in some band, and those above it and below it have
// these weights: whether the nucleus can be proven to end there. The prefix reaches the share, and without its last token it
// does not. With a inside and b outside, a >= share (a + b) is (1 - share) a >= share b, which keeps the small side's precision.
bool is_end_of_nucleus(const Kept& kept, const Cut& cut, double top_p, Interval above, Interval below) {
    const double share = share_wanted(top_p);
    const double rest = 1 - share;
    const std::size_t n = kept.count;
    CompensatedSum inside;
    CompensatedSum outside;
    const std::size_t last = index_of(kept, cut.last);
    add_sides(kept, 0, last + 1, cut.logit, inside, outside);
    add_sides(kept, last + 1, n, std::nextafter(cut.logit, std::numeric_limits<double>::infinity()), inside, outside);
    const double last_weight = kept.weights[last];
    const Interval in{inside.value() + above.low, inside.value() + above.high};
    const Interval out{outside.value() + below.low, outside.value() + below.high};
    if (certainly_less(rest * in.low, share * out.high, n) != false) return false;
    const bool one = above.high == 0 && inside.value() == last_weight;
    return one || certainly_less(rest * (in.high - last_weight), share * (out.low + last_weight), n) == true;
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

// Rule 7 by bounds on the weight of what the cut keeps of each block.
std::optional<Token> walk_blocks(const RowFilter& filter, const Masses& masses, const Cut& cut, double peak, double temperature,
                                 double u) {
    const std::size_t blocks = filter.block_count();
    const Interval total = filter.weight(masses);
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
        if (before.high > 0 && !not_crossed(before.high, total.low - before.low)) return std::nullopt;
        Kept& block = workspace.block;
        filter.gather_block(b, block);
        apply(cut, block);
        weigh<exp_approximate>(block, peak, temperature);
        double remaining = 0;
        for (std::size_t i = 0; i < block.count; ++i) remaining += block.weights[i];
        const Interval following{total.low - after.low, total.high - after.high};
        double running = 0;
        for (std::size_t i = 0; i < block.count; ++i) {
            const double most = before.high + running;
            if (most > 0 && !not_crossed(most, remaining + following.low)) return std::nullopt;
            running += block.weights[i];
            remaining -= block.weights[i];
            if (crossed(before.low + running, remaining + following.high)) return block.ids[i];
        }
        return std::nullopt;
    }
    return std::nullopt;
}

// Calls decide(level), which returns what it can decide by the bounds, with ever better ones: the first leave that share of the
// whole weight open, the last weigh every token.
template <class Decide>
auto with_better_bounds(double open_share, RowFilter& filter, Decide decide) -> decltype(decide(Level::blocks)) {
    for (;;) {
        filter.refine(open_share, workspace.masses);
        const Level level = filter.every_token_is_weighed() ? Level::float32 : Level::blocks;
        if (auto decided = decide(level)) return decided;
        if (filter.every_token_is_weighed()) return std::nullopt;  // decide() may have seen to it
        open_share = open_share > 0x1p-16 ? open_share / 8 : 0;
    }
}

struct End {
    Band band;
    Interval below;  // the weight below the band
};

// Gathers the tokens of a band of logits in which the nucleus probably ends, from `low` up or, where that was too high, from where
// it moves: a few, or at last those that nothing separates. Nothing where the bounds are too wide to find it.
std::optional<End> gather_end_of_nucleus(RowFilter& filter, double top_p, float& low, Masses& masses, Kept& kept) {
    const double rest = 1 - share_wanted(top_p);
    std::size_t blocks = 0;
    Interval below;
    Interval total;
    for (double octaves = 1;; octaves *= 2) {
        blocks = filter.weigh_from(low, masses);
        below = filter.weights_below(std::array{low}, masses)[0];
        total = filter.weight(masses);
        const double depth = filter.octaves_below_peak(low);
        if (middle(below) <= rest * middle(total) || depth >= RowFilter::octave_count) break;
        low = filter.below_peak(depth + octaves);
    }
    Band band{.low = low};
    // Another pass over a block costs about as much as two tokens. Each pass makes the band narrower; after these the logits
    // in it are as good as equal, or the bounds leave no room. A band of a quarter of the row is no better than the row.
    std::size_t limit = 2 * blocks;
    const std::size_t last_limit = filter.block_count() * filter.block_size() / 4;
    for (int passes_left = 5; !filter.gather(band, limit, kept); --passes_left) {
        // While nothing is known to lie above the band, all that matters may be far narrower than an octave.
        const bool reaches_peak = std::isinf(band.high);
        const std::array parts = reaches_peak ? std::array{0.75, 0.25, 0x1p-12} : std::array{0.75, 0.5, 0.25};
        const double top = reaches_peak ? 0 : filter.octaves_below_peak(band.high);
        const double height = filter.octaves_below_peak(band.low) - top;
        std::array<float, 3> thresholds;
        for (std::size_t i = 0; i < thresholds.size(); ++i) {
            thresholds[i] = std::max(filter.below_peak(top + height * parts[i]), band.low);
        }
        const auto weights = filter.weights_below(thresholds, masses);
        const Band wider = band;
        for (std::size_t i = 0; i < thresholds.size(); ++i) {
            if (weights[i].high <= rest * total.low) {
                band.low = thresholds[i];
                below = weights[i];
            } else if (weights[i].low > rest * total.high) {
                band.high = std::min(thresholds[i], band.high);
            }
        }
        if (passes_left > 0 && (band.low != wider.low || band.high != wider.high)) continue;
        if (limit == last_limit || !filter.every_token_is_weighed()) return std::nullopt;
        limit = last_limit;
    }
    return End{band, below};
}

struct Nucleus {
    Cut cut;
    Level level;       // that found it
    bool is_gathered;  // and weighed in binary64
};

// Rule 6 without top-k.
std::optional<Nucleus> nucleus_by_bounds(Level first, RowFilter& filter, Peak peak, const Settings& settings, Kept& kept) {
    Masses& masses = workspace.masses;
    filter.estimate(settings.temperature, masses);
    constexpr double margin = 0x1p-3;  // of what top_p leaves out, looked at beyond top_p
    float low = filter.threshold_for_share(settings.top_p + margin * (1 - settings.top_p));
    // The bounds should leave open less than what the token weighs with which the nucleus ends.
    const double open_share = std::min(0x1p-6, std::exp2(-filter.octaves_below_peak(low)) / (16 * filter.least_weight()));
    return with_better_bounds(first == Level::float32 ? 0 : open_share, filter, [&](Level level) -> std::optional<Nucleus> {
        const auto end = gather_end_of_nucleus(filter, settings.top_p, low, masses, kept);
        if (!end) return std::nullopt;
        weigh<exp_approximate>(kept, peak.logit, settings.temperature);
        const bool reaches_peak = std::isinf(end->band.high);
        const Interval above = reaches_peak ? Interval{} : filter.weight_from(end->band.high);
        const Cut cut = end_of_nucleus(kept, settings.top_p, middle(above), middle(end->below));
        if (!is_end_of_nucleus(kept, cut, settings.top_p, above, end->below)) return std::nullopt;
        if (reaches_peak) apply(cut, kept);
        return Nucleus{cut, level, reaches_peak};
    });
}

// ---- exact: correctly rounded weights, whole numbers ---------------------------------------------------------------------

constexpr std::size_t chunk_size = 2048;  // tokens that are added up together

struct ExactSides {
    ExactSum kept, dropped;
};

// The sums of the weights that the cut keeps and of those that it drops. The workspace has those of the kept, chunk by chunk.
ExactSides exact_sides(const Kept& kept, const Cut& cut) {
    std::vector<ExactSum>& chunks = workspace.chunks;
    ExactSides sums;
    std::array<double, chunk_size> inside;
    std::array<double, chunk_size> outside;
    chunks.clear();
    for (std::size_t i = 0; i < kept.count;) {
        std::size_t n = 0;
        std::size_t m = 0;
        for (const std::size_t end = std::min(i + chunk_size, kept.count); i < end; ++i) {
            const bool keeps = cut.keeps(kept.logits[i], kept.ids[i]);
            inside[n] = kept.weights[i];
            outside[m] = kept.weights[i];
            n += keeps;
            m += !keeps;
        }
        chunks.emplace_back().add(std::span(inside).first(n));
        sums.kept += chunks.back();
        sums.dropped.add(std::span(outside).first(m));
    }
    return sums;
}

// Rule 6, from a cut that keeps no token too many: moves it, and adds to the sums of what is kept.
void keep_nucleus_exact(const Kept& kept, double top_p, Cut& cut, ExactSides& sums) {
    ExactSum total = sums.kept;
    total += sums.dropped;
    const Share least = share_of(share_wanted(top_p), total);
    const auto reaches = [&] { return least.exact ? sums.kept >= least.floor : sums.kept > least.floor; };
    while (!reaches()) {
        // The highest that is dropped: the next of those with the logit of the cut, or else found without branches, as in apply().
        std::size_t next = index_of(kept, cut.last) + 1;
        while (next < kept.count && kept.logits[next] != cut.logit) ++next;
        if (next == kept.count) {
            double highest = -std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < kept.count; ++i) {
                const double dropped = kept.logits[i] < cut.logit ? kept.logits[i] : highest;
                next = dropped > highest ? i : next;
                highest = std::max(highest, dropped);
            }
        }
        sums.kept.add(kept.weights[next]);
        workspace.chunks[next / chunk_size].add(kept.weights[next]);
        cut = {kept.logits[next], kept.ids[next]};
    }
}

// Rule 7 on what the cut keeps, whose chunks are summed up already.
Token walk_exact(const Kept& kept, const Cut& cut, const ExactSum& total, double u) {
    const ExactSum target = share_of(u, total).floor;  // whole sums exceed a number when they exceed its floor
    const auto add_if_kept = [&](ExactSum& sum, std::size_t i) {
        if (cut.keeps(kept.logits[i], kept.ids[i])) sum.add(kept.weights[i]);
    };
    ExactSum before;
    std::size_t begin = 0;
    // The total exceeds u times itself, so each loop ends.
    for (const ExactSum& chunk : workspace.chunks) {
        ExactSum with = before;
        with += chunk;
        if (with > target) break;
        before = with;
        begin += chunk_size;
    }
    for (;; begin += block_size) {
        ExactSum with = before;
        for (std::size_t i = begin; i < std::min(begin + block_size, kept.count); ++i) add_if_kept(with, i);
        if (with > target) break;
        before = with;
    }
    for (std::size_t i = begin;; ++i) {
        add_if_kept(before, i);
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
    bool is_kept = false;  // what rules 4 and 6 keep
    const bool may_bound = first < Level::binary64 && all && ordinary && logits.size() >= worth_bounding;
    if (may_bound) {
        if (settings.top_p == 1) {
            Masses& masses = workspace.masses;
            filter.estimate(settings.temperature, masses);
            const auto walk = [&](Level level) -> std::optional<Decision> {
                const auto token = walk_blocks(filter, masses, Cut{}, peak->logit, settings.temperature, u);
                return token ? std::optional(Decision{*token, level}) : std::nullopt;
            };
            if (const auto decision = with_better_bounds(first == Level::float32 ? 0 : 0x1p-5, filter, walk)) return *decision;
        } else if (auto nucleus = nucleus_by_bounds(first, filter, *peak, settings, kept)) {
            if (!nucleus->is_gathered) {
                Masses& masses = workspace.kept_masses;
                filter.keep(nucleus->cut, masses);
                const auto token = walk_blocks(filter, masses, nucleus->cut, peak->logit, settings.temperature, u);
                if (token) return Decision{*token, nucleus->level};
                nucleus->level = Level::binary64;
                filter.gather(Band{.low = filter.filtered(nucleus->cut.logit)}, logits.size(), kept);
                apply(nucleus->cut, kept);
                weigh<exp_approximate>(kept, peak->logit, settings.temperature);
            }
            if (const auto token = walk_binary64(kept, u)) return Decision{*token, nucleus->level};
            is_kept = true;
            first = Level::exact;
        }
    }
    // A row that bounds cannot decide will probably need the exact weights, and they serve the next level too.
    const bool is_hard = may_bound && !is_kept;
    if (!is_kept) select(filter, settings.top_k, logits.size(), kept);
    is_kept = is_kept || settings.top_p == 1;
    const auto weigh_exactly = [&] { weigh<exp_rounded>(kept, peak->logit, settings.temperature); };
    if (is_hard) {
        weigh_exactly();
    } else if (!is_kept || first <= Level::binary64) {
        weigh<exp_approximate>(kept, peak->logit, settings.temperature);
    }
    Cut cut;
    if (!is_kept) {
        cut = end_of_nucleus(kept, settings.top_p, 0, 0);
        is_kept = first <= Level::binary64 && is_end_of_nucleus(kept, cut, settings.top_p, {}, {});
        if (is_kept) apply(cut, kept);
    }
    if (is_kept && first <= Level::binary64) {
        if (const auto token = walk_binary64(kept, u)) return Decision{*token, Level::binary64};
    }
    if (!is_hard) weigh_exactly();
    ExactSides sums = exact_sides(kept, cut);
    if (!is_kept) keep_nucleus_exact(kept, settings.top_p, cut, sums);
    return Decision{walk_exact(kept, cut, sums.kept, u), Level::exact};
}

}  // namespace detail

Result<Token> sample_token(Logits logits, const Settings& settings, double u) {
    const auto decision = detail::decide(detail::Level::QUILLMATE_FIRST_LEVEL, logits, settings, u);
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
    detail::Cut cut;
    if (settings.top_p < 1) cut = detail::end_of_nucleus(kept, settings.top_p, 0, 0);
    detail::ExactSides sums = detail::exact_sides(kept, cut);
    if (settings.top_p < 1) {
        detail::keep_nucleus_exact(kept, settings.top_p, cut, sums);
        detail::apply(cut, kept);
    }
    const detail::Normaliser normalise(sums.kept);
    Distribution result;
    result.ids.assign(kept.ids.begin(), kept.ids.begin() + static_cast<std::ptrdiff_t>(kept.count));
    result.probabilities.reserve(kept.count);
    for (std::size_t i = 0; i < kept.count; ++i) result.probabilities.push_back(normalise(kept.weights[i]));
    return result;
}

}  // namespace quillmate
