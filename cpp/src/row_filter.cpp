#include "row_filter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels.hpp"
#include "row.hpp"

namespace quillmate::detail {
namespace {

using Batch = FloatBatch;
using Kernel = Kernels<Batch>;

constexpr std::size_t blocks_per_group = 8;
constexpr std::size_t padding = std::max(blocks_per_group, Kernel::lanes);  // of the number of blocks
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

// Finds the first logit that cannot be sampled; a row with banned tokens alone has none.
template <class T>
Result<void> check(std::span<const T> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double x = widen(row[i]);
        if (x < std::numeric_limits<double>::infinity()) continue;
        return std::unexpected(Error{.code = std::isnan(x) ? ErrorCode::NAN_LOGIT : ErrorCode::INFINITE_LOGIT,
                                     .index = static_cast<std::int64_t>(i),
                                     .value = to_text(x)});
    }
    return {};
}

// A block's weights are added in float, 16 in a lane and then the lanes: 20 additions at most, each off by 2^-24. The bounds
// made from the sum add three roundings.
constexpr float sum_error = 24 * 0x1p-24F;
// What a block's clamped exponents add: 2^-126 each.
constexpr float clamped = Kernel::block_size * 0x1p-126F;

// How far above and below a block's weight an estimate of it may be: estimate / over - slack <= weight <= estimate * under + slack.
struct Errors {
    float over, under, slack;
};
constexpr Errors coarse_errors{coarse_over * (1 + sum_error), coarse_under*(1 + sum_error), clamped};
constexpr Errors mean_errors{mean_over * (1 + sum_error), mean_under*(1 + sum_error), clamped};
// Relative errors of the exponential and, for exponents down to -64, of the argument (ln 2 < 1); what is below 2^-64 is off by
// less than 126 argument errors, 2^-15 of itself, and so by less than 2^-79 a token.
constexpr float fine_error = exp2_error + 64 * argument_error + sum_error;
constexpr Errors fine_errors{1 + fine_error, 1 + fine_error, clamped + Kernel::block_size * 0x1p-79F};

// No block weighs more: a lane_maxima bound of that many tokens of weight 1, over-estimated.
constexpr float block_weight_limit = 2 * Kernel::block_size;

// In float, 64 at a time, so that each sum is off by sum_error at most, and these in binary64.
double sum_of(const std::vector<float>& values, std::size_t begin, std::size_t end) {
    constexpr std::size_t count = 16 * Kernel::lanes;
    double sum = 0;
    for (; begin + Kernel::lanes <= end;) {
        Batch some(0);
        const std::size_t stop = std::min(end, begin + count);
        for (; begin + Kernel::lanes <= stop; begin += Kernel::lanes) some += Batch::load_unaligned(values.data() + begin);
        sum += double{xsimd::reduce_add(some)};
    }
    for (; begin < end; ++begin) sum += double{values[begin]};
    return sum;
}

// Writes the maxima of blocks, lane by lane, and returns a sum that is finite only where all their logits are. A function of its
// own, as engines make better code of a loop that has the registers to itself.
[[gnu::noinline]] Batch scan(const float* row, std::size_t blocks, float* maxima) {
    Batch sum(0);
    for (std::size_t b = 0; b < blocks; ++b) {
        Kernel::scan(row + b * Kernel::block_size, sum).store_unaligned(maxima + b * Kernel::lanes);
    }
    return sum;
}

// The first batch from `begin` on with a lane that reaches the value; there is one.
std::size_t first_with(const std::vector<float>& lanes, float value, std::size_t begin) {
    while (xsimd::none(Batch::load_unaligned(lanes.data() + begin * Kernel::lanes) >= Batch(value))) ++begin;
    return begin;
}

}  // namespace

std::size_t RowFilter::block_size() const { return Kernel::block_size; }

const float* RowFilter::block_at(std::size_t block) const {
    return (block + 1) * Kernel::block_size <= size_ ? row_ + block * Kernel::block_size : tail_.data();
}

// Distances from the peak, which rounding to float keeps in order.
void RowFilter::narrow(std::span<const double> row, double peak) {
    converted_.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) converted_[i] = static_cast<float>(row[i] - peak);
    row_ = converted_.data();
}

Result<Peak> RowFilter::read(Logits logits) {
    logits_ = logits;
    size_ = logits.size();
    if (size_ == 0) return std::unexpected(Error{.code = ErrorCode::EMPTY_ROW});

    switch (logits.dtype()) {
        case Dtype::float32: row_ = static_cast<const float*>(logits.data()); break;
        case Dtype::float64: {
            const std::span row(static_cast<const double*>(logits.data()), size_);
            if (auto valid = check(row); !valid) return std::unexpected(std::move(valid.error()));
            peak_logit_ = *std::ranges::max_element(row);
            if (std::isinf(peak_logit_)) return std::unexpected(Error{.code = ErrorCode::ALL_BANNED});
            narrow(row, peak_logit_);
            break;
        }
        default:
            converted_.resize(size_);
            visit_row(logits, [&](auto row) {
                for (std::size_t i = 0; i < row.size(); ++i) converted_[i] = static_cast<float>(widen(row[i]));
            });
            row_ = converted_.data();
    }

    blocks_ = (size_ + Kernel::block_size - 1) / Kernel::block_size;
    const std::size_t whole = size_ / Kernel::block_size * Kernel::block_size;
    tail_.assign(Kernel::block_size, minus_infinity);
    std::copy(row_ + whole, row_ + size_, tail_.begin());
    const std::size_t padded = (blocks_ + padding - 1) / padding * padding;
    maxima_.resize(padded * Kernel::lanes);
    group_maxima_.resize(padded / blocks_per_group * Kernel::lanes);
    const float* const row = row_;  // what is stored below might change members, for all the compiler knows
    const std::size_t blocks = blocks_;
    const std::size_t whole_blocks = whole / Kernel::block_size;
    float* const maxima = maxima_.data();
    float* const group_maxima = group_maxima_.data();
    const Batch sum = scan(row, whole_blocks, maxima);
    std::fill(maxima_.begin() + static_cast<std::ptrdiff_t>(whole_blocks * Kernel::lanes), maxima_.end(), minus_infinity);
    (void)scan(tail_.data(), blocks - whole_blocks, maxima + whole_blocks * Kernel::lanes);  // its padding is infinite
    Batch maximum(minus_infinity);
    for (std::size_t group = 0; group < padded / blocks_per_group; ++group) {
        Batch group_maximum(minus_infinity);
        for (std::size_t b = group * blocks_per_group; b < (group + 1) * blocks_per_group; ++b) {
            group_maximum = Kernel::larger(group_maximum, Batch::load_unaligned(maxima + b * Kernel::lanes));
        }
        group_maximum.store_unaligned(group_maxima + group * Kernel::lanes);
        maximum = Kernel::larger(maximum, group_maximum);
    }
    // Minus infinity makes the sum infinite or NaN too, and so can large finite logits: then look at each.
    bool valid = Kernel::can_be_sampled(tail_.data());
    if (!std::isfinite(xsimd::reduce_add(sum))) {
        for (std::size_t b = 0; b < whole_blocks; ++b) valid = valid && Kernel::can_be_sampled(row + b * Kernel::block_size);
    }
    if (!valid) {
        auto found = visit_row(logits, [](auto row) { return check(row); });
        return std::unexpected(std::move(found.error()));
    }
    peak_ = minus_infinity;
    for (std::size_t lane = 0; lane < Kernel::lanes; ++lane) peak_ = std::max(peak_, maximum.get(lane));
    if (peak_ == minus_infinity) return std::unexpected(Error{.code = ErrorCode::ALL_BANNED});

    std::size_t block = first_with(group_maxima_, peak_, 0) * blocks_per_group;
    block = first_with(maxima_, peak_, block);
    std::size_t id = block * Kernel::block_size;
    if (logits.dtype() == Dtype::float64) {
        while (static_cast<const double*>(logits.data())[id] != peak_logit_) ++id;
        return Peak{peak_logit_, id};
    }
    peak_logit_ = peak_;
    while (row_[id] != peak_) ++id;
    return Peak{peak_, id};
}

float RowFilter::threshold_for_count(std::size_t k) {
    // Of at least three times k maxima, and better four: a few of the k largest logits may share one.
    const std::vector<float>& lanes = group_maxima_.size() >= 3 * k ? group_maxima_ : maxima_;
    if (lanes.size() < 3 * k) return minus_infinity;
    // Maxima of as many as there are more: what is small is soon counted, and soon back in the cache.
    const std::size_t size = std::min((4 * k + Kernel::lanes - 1) / Kernel::lanes * Kernel::lanes, lanes.size());
    folded_.resize(size);
    float* const folded = folded_.data();
    for (std::size_t i = 0; i < size; i += Kernel::lanes) {
        Batch most = Batch::load_unaligned(lanes.data() + i);
        for (std::size_t j = i + size; j < lanes.size(); j += size) {
            most = Kernel::larger(most, Batch::load_unaligned(lanes.data() + j));
        }
        most.store_unaligned(folded + i);
    }
    const auto count_reaching = [&](float threshold) {
        Kernel::Integers count(0);
        for (std::size_t i = 0; i < size; i += Kernel::lanes) {
            const auto reaches = Batch::load_unaligned(folded + i) >= Batch(threshold);
            count += xsimd::select(xsimd::batch_bool_cast<std::int32_t>(reaches), Kernel::Integers(1), Kernel::Integers(0));
        }
        return static_cast<std::size_t>(xsimd::reduce_add(count));
    };
    // Bisects the distance from the peak until k maxima lie within it and few more: a few times the distance itself, which suits
    // most rows, and then its bits, which are in its order and end it on every row. (A heap would do with one pass, but no processor
    // can foretell which maxima go into it.)
    Batch least = Batch::load_unaligned(folded);
    for (std::size_t i = Kernel::lanes; i < size; i += Kernel::lanes) {
        least = xsimd::min(least, Batch::load_unaligned(folded + i));
    }
    std::uint32_t too_near = 0;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    auto far = std::bit_cast<std::uint32_t>(std::nextafter(peak_ - xsimd::reduce_min(least), infinity));  // all lie within it
    for (int means_left = 8; far - too_near > 1; --means_left) {
        std::uint32_t distance = too_near + (far - too_near) / 2;
        if (means_left > 0) {
            const auto mean = std::bit_cast<std::uint32_t>(std::bit_cast<float>(too_near) / 2 + std::bit_cast<float>(far) / 2);
            if (mean > too_near && mean < far) distance = mean;
        }
        const std::size_t count = count_reaching(peak_ - std::bit_cast<float>(distance));
        (count < k ? too_near : far) = distance;
        if (count >= k && count <= k + k / 4) break;
    }
    return peak_ - std::bit_cast<float>(far);
}

// Each is written and the next takes its place unless it reaches the threshold: a branch could not be foretold.
std::span<const std::uint32_t> RowFilter::blocks_reaching(float threshold) {
    // 1 where a lane reaches it: a full mask that is added to one that is not empty carries into the next bit.
    const auto reaches = [least = Batch(threshold)](const float* lanes, std::size_t i) {
        const auto mask = static_cast<std::uint32_t>((Batch::load_unaligned(lanes + i * Kernel::lanes) >= least).mask());
        return (mask + ((1u << Kernel::lanes) - 1)) >> Kernel::lanes;
    };
    const std::size_t groups = maxima_.size() / Kernel::lanes / blocks_per_group;
    reaching_groups_.resize(groups);
    reaching_blocks_.resize(groups * blocks_per_group);
    std::uint32_t* const reaching_groups = reaching_groups_.data();
    std::uint32_t* const reaching_blocks = reaching_blocks_.data();
    std::size_t group_count = 0;
    for (std::size_t group = 0; group < groups; ++group) {
        reaching_groups[group_count] = static_cast<std::uint32_t>(group);
        group_count += reaches(group_maxima_.data(), group);
    }
    std::size_t count = 0;
    for (std::size_t i = 0; i < group_count; ++i) {
        const std::size_t begin = reaching_groups[i] * blocks_per_group;
        for (std::size_t block = begin; block < begin + blocks_per_group; ++block) {
            reaching_blocks[count] = static_cast<std::uint32_t>(block);
            count += reaches(maxima_.data(), block);
        }
    }
    while (count > 0 && reaching_blocks_[count - 1] >= blocks_) --count;  // minus infinity is reached by the padding, too
    return {reaching_blocks_.data(), count};
}

bool RowFilter::gather(Band band, std::size_t limit, Kept& kept) {
    kept.count = 0;
    const auto blocks = blocks_reaching(band.low);
    // Several blocks are looked at before any of their tokens is taken: how many these are cannot be foretold, and the processor
    // would wait for each block's memory.
    constexpr std::size_t at_once = 64;
    std::array<BlockMask, at_once> masks;
    for (std::size_t first = 0; first < blocks.size() && kept.count <= limit; first += at_once) {
        const auto some = blocks.subspan(first, std::min(at_once, blocks.size() - first));
        for (std::size_t i = 0; i < some.size(); ++i) masks[i] = mask_of(some[i], band);
        kept.reserve(some.size() * Kernel::block_size);
        for (std::size_t i = 0; i < some.size(); ++i) add(some[i], masks[i], band, kept);
    }
    return kept.count <= limit;
}

void RowFilter::gather_block(std::size_t block, Kept& kept) const {
    kept.count = 0;
    kept.reserve(Kernel::block_size);
    add(block, mask_of(block, Band{}), Band{}, kept);
}

RowFilter::BlockMask RowFilter::mask_of(std::size_t block, Band band) const {
    const float* floats = block_at(block);
    BlockMask mask;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        mask[i] = Kernel::band_mask(floats + 64 * i, band.low, band.high);
    }
    return mask;
}

void RowFilter::add(std::size_t block, const BlockMask& mask, Band band, Kept& kept) const {
    const std::size_t first = block * Kernel::block_size;
    const float* floats = block_at(block);
    const double* doubles = logits_.dtype() == Dtype::float64 ? static_cast<const double*>(logits_.data()) + first : nullptr;
    const bool may_be_banned = band.low == minus_infinity;  // or padding
    Token* const ids = kept.ids.data();
    double* const logits = kept.logits.data();
    std::size_t count = kept.count;
    for (std::size_t part = 0; part < mask.size(); ++part) {
        for (std::uint64_t bits = mask[part]; bits != 0; bits &= bits - 1) {
            const std::size_t i = 64 * part + static_cast<std::size_t>(std::countr_zero(bits));
            if (may_be_banned && first + i >= size_) break;
            const double logit = doubles != nullptr ? doubles[i] : floats[i];
            if (may_be_banned && std::isinf(logit)) continue;
            ids[count] = static_cast<Token>(first + i);
            logits[count] = logit + 0.0;
            ++count;
        }
    }
    kept.count = count;
}

// A lane holds 16 logits: together they weigh at least as much as its maximum and at most 16 times that.
void RowFilter::estimate(double temperature, Masses& masses) {
    scale_ = static_cast<float>(1.4426950408889634 / temperature);
    const std::size_t padded = maxima_.size() / Kernel::lanes;
    masses.low.resize(padded);
    masses.high.resize(padded);
    const Batch least(1 / coarse_errors.over);
    const Batch most(coarse_errors.under * batches_per_block);
    octaves_.resize(padded);
    Batch least_total(0);
    for (std::size_t b = 0; b < padded; b += Kernel::lanes) {
        std::array<Batch, Kernel::lanes> weights;
        for (std::size_t i = 0; i < Kernel::lanes; ++i) {
            const Batch maxima = Batch::load_unaligned(maxima_.data() + (b + i) * Kernel::lanes);
            weights[i] = Kernel::coarse_exp2(Kernel::exponent(maxima, Batch(peak_), Batch(scale_)));
        }
        const Batch sums = Kernel::sums_of_lanes(weights);
        const Batch low = Kernel::larger(sums * least - Batch(clamped), Batch(0));
        const Batch high = sums * most;
        low.store_unaligned(masses.low.data() + b);
        high.store_unaligned(masses.high.data() + b);
        least_total += low;
        Kernel::octaves_below_1(high * Batch(1 / block_weight_limit), octave_count - 1).store_unaligned(octaves_.data() + b);
    }
    least_total_ = std::max(1.0, double{xsimd::reduce_add(least_total)});  // the peak alone weighs 1
    weighed_.assign(blocks_, Weighed::by_maxima);
    fine_blocks_ = 0;
    weights_.resize(blocks_ * Kernel::block_size);
    pending_.reserve(blocks_);
    // Several tallies, as neighbours often fall into one octave and would wait for each other.
    std::array<std::array<double, octave_count>, 4> highs{};
    for (std::size_t b = 0; b < blocks_; ++b) {
        highs[b % highs.size()][static_cast<std::size_t>(octaves_[b])] += masses.high[b];
    }
    for (std::size_t octave = 0; octave < octave_count; ++octave) {
        highs_[octave] = highs[0][octave] + highs[1][octave] + highs[2][octave] + highs[3][octave];
    }
}

void RowFilter::refine(double open_share, Masses& masses) {
    // The lightest blocks may keep their bounds by maxima: these leave open at most the upper bounds, whose sum is kept below the
    // share. Means of coarse exponentials leave open a 64th of a weight, which again is perhaps a sixteenth of the upper bound, so
    // the blocks that keep those may have 1024 times the share in upper bounds.
    std::size_t octave = octave_count;
    double sum = 0;
    const auto first_within = [&](double most) {
        while (octave > 0 && sum + highs_[octave - 1] <= most) sum += highs_[--octave];
        return octave;
    };
    const std::size_t open_from = first_within(open_share * least_total_);
    const std::size_t coarse_from = first_within(1024 * open_share * least_total_);
    weigh_blocks_above<true>(coarse_from, masses);
    weigh_blocks_above<false>(open_from, masses);
}

// Weighs the blocks of the octaves before this one, where that is not done or not done as well.
template <bool fine>
void RowFilter::weigh_blocks_above(std::size_t octave, Masses& masses) {
    constexpr Weighed as = fine ? Weighed::finely : Weighed::coarsely;
    pending_.clear();
    const Kernel::Integers limit(static_cast<std::int32_t>(octave));
    for (std::size_t first = 0; first < blocks_; first += Kernel::lanes) {
        std::uint64_t mask = (Kernel::Integers::load_unaligned(octaves_.data() + first) < limit).mask();
        for (; mask != 0; mask &= mask - 1) {
            const std::size_t b = first + static_cast<std::size_t>(std::countr_zero(mask));
            if (b < blocks_ && weighed_[b] < as) pending_.push_back(static_cast<std::uint32_t>(b));
        }
    }
    weigh_pending<fine>(masses);
}

template <bool fine>
void RowFilter::weigh_pending(Masses& masses) {
    constexpr Errors errors = fine ? fine_errors : mean_errors;
    for (std::size_t first = 0; first < pending_.size(); first += Kernel::lanes) {
        const std::size_t count = std::min(Kernel::lanes, pending_.size() - first);
        std::array<Batch, Kernel::lanes> sums;
        sums.fill(Batch(0));
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t b = pending_[first + i];
            if constexpr (fine) {
                sums[i] = Kernel::weigh(block_at(b), Batch(peak_), Batch(scale_), weights_.data() + b * Kernel::block_size);
            } else {
                sums[i] = Kernel::sum_of_means(block_at(b), Batch(peak_), Batch(scale_));
            }
        }
        std::array<float, Kernel::lanes> totals;
        Kernel::sums_of_lanes(sums).store_unaligned(totals.data());
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t b = pending_[first + i];
            masses.low[b] = std::max(0.0F, totals[i] / errors.over - errors.slack);
            masses.high[b] = totals[i] * errors.under + errors.slack;
            weighed_[b] = fine ? Weighed::finely : Weighed::coarsely;
        }
    }
    if constexpr (fine) fine_blocks_ += pending_.size();
}

std::size_t RowFilter::weigh_from(float threshold, Masses& masses) {
    const auto blocks = blocks_reaching(threshold);
    pending_.clear();
    for (const std::uint32_t b : blocks) {
        if (weighed_[b] != Weighed::finely) pending_.push_back(b);
    }
    weigh_pending<true>(masses);
    return blocks.size();
}

Interval RowFilter::weight(const Masses& masses) const {
    return {(1 - sum_error) * sum_of(masses.low, 0, blocks_), (1 + sum_error) * sum_of(masses.high, 0, blocks_)};
}

template <std::size_t count>
std::array<Interval, count> RowFilter::weights_below(const std::array<float, count>& thresholds, const Masses& masses) {
    std::array<Batch, count> batches;
    for (std::size_t t = 0; t < count; ++t) batches[t] = Batch(thresholds[t]);
    std::array<Interval, count> weights;
    Interval whole;  // of blocks that lie below all thresholds
    std::size_t done = 0;
    const auto add_blocks_until = [&](std::size_t end) {
        whole.low += sum_of(masses.low, done, end);
        whole.high += sum_of(masses.high, done, end);
    };
    for (const std::uint32_t b : blocks_reaching(thresholds.front())) {
        add_blocks_until(b);
        done = b + std::size_t{1};
        const auto sums = Kernel::sums_below(block_at(b), weights_.data() + b * Kernel::block_size, batches);
        for (std::size_t t = 0; t < count; ++t) {
            const double sum = xsimd::reduce_add(sums[t]);
            weights[t].low += std::max(0.0, sum / fine_errors.over - fine_errors.slack);
            weights[t].high += sum * fine_errors.under + fine_errors.slack;
        }
    }
    add_blocks_until(blocks_);
    whole = {(1 - sum_error) * whole.low, (1 + sum_error) * whole.high};
    for (Interval& weight : weights) weight = {weight.low + whole.low, weight.high + whole.high};
    return weights;
}
template std::array<Interval, 1> RowFilter::weights_below(const std::array<float, 1>&, const Masses&);
template std::array<Interval, 3> RowFilter::weights_below(const std::array<float, 3>&, const Masses&);

Interval RowFilter::block_weight_from(std::size_t block, float threshold) const {
    const float* weights = weights_.data() + block * Kernel::block_size;
    const float sum = xsimd::reduce_add(Kernel::sum_from(block_at(block), weights, Batch(threshold)));
    return {std::max(0.0F, sum / fine_errors.over - fine_errors.slack), sum * fine_errors.under + fine_errors.slack};
}

Interval RowFilter::weight_from(float threshold) {
    Interval weight;
    for (const std::uint32_t b : blocks_reaching(threshold)) {
        const Interval block = block_weight_from(b, threshold);
        weight = {weight.low + block.low, weight.high + block.high};
    }
    return weight;
}

void RowFilter::keep(const Cut& cut, Masses& masses) {
    masses.low.assign(blocks_, 0);
    masses.high.assign(blocks_, 0);
    // Where rounding to float made logits equal, those at the cut are bounded by none and all of them.
    const bool rounds = logits_.dtype() == Dtype::float64;
    const float at = filtered(cut.logit);
    const float above = std::nextafter(at, std::numeric_limits<float>::infinity());
    for (const std::uint32_t b : blocks_reaching(at)) {
        const auto first = static_cast<std::int64_t>(b * Kernel::block_size);
        const bool may_keep_ties = rounds || first <= cut.last;
        const bool keeps_ties = !rounds && first + static_cast<std::int64_t>(Kernel::block_size) - 1 <= cut.last;
        Interval weight = block_weight_from(b, keeps_ties ? at : above);
        if (may_keep_ties != keeps_ties) weight.high = block_weight_from(b, at).high;
        masses.low[b] = static_cast<float>(weight.low);
        masses.high[b] = static_cast<float>(weight.high);
    }
}

float RowFilter::threshold_for_share(double share) const {
    // The largest logits are nearly all maxima of their groups, the next ones of their blocks.
    for (const std::vector<float>* lanes : {&group_maxima_, &maxima_}) {
        std::array<double, octave_count> weights{};
        for (std::size_t i = 0; i < lanes->size(); i += Kernel::lanes) {
            std::array<float, Kernel::lanes> batch;
            std::array<std::int32_t, Kernel::lanes> octaves;
            const Batch y = Kernel::exponent(Batch::load_unaligned(lanes->data() + i), Batch(peak_), Batch(scale_));
            const Batch coarse = Kernel::coarse_exp2(y);
            coarse.store_unaligned(batch.data());
            Kernel::octaves_below_1(coarse, octave_count - 1).store_unaligned(octaves.data());
            for (std::size_t lane = 0; lane < Kernel::lanes; ++lane)
                weights[static_cast<std::size_t>(octaves[lane])] += batch[lane];
        }
        double sum = 0;
        for (std::size_t octave = 0; octave < octave_count; ++octave) {
            sum += weights[octave];
            if (sum >= share * least_total_) return below_peak(static_cast<double>(octave + 1));
        }
    }
    return below_peak(octave_count);
}

}  // namespace quillmate::detail
