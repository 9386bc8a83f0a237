#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kept.hpp"
#include "kernels.hpp"
#include "quillmate/error.hpp"
#include "quillmate/logits.hpp"

namespace quillmate::detail {

// The largest logit and the lowest id that has it.
struct Peak {
    double logit;
    std::size_t id;
};

// A number known to lie in [low, high].
struct Interval {
    double low = 0;
    double high = 0;
};

// Logits from `low` up to but not including `high`.
struct Band {
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();
};

// Bounds on the weight of each block of a row, which the peak weighs 1.
struct Masses {
    std::vector<float> low;
    std::vector<float> high;
};

// One row, read once: the maxima of its blocks lane by lane, which tell where large logits can be and bound how much the
// others weigh without an exponential a token. Keeps its buffers from row to row.
class RowFilter {
public:
    // Reads the row; it must stay in place as long as the filter is asked about it. Errors: EMPTY_ROW, NAN_LOGIT,
    // INFINITE_LOGIT, ALL_BANNED.
    [[nodiscard]] Result<Peak> read(Logits logits);

    [[nodiscard]] std::size_t block_size() const;
    [[nodiscard]] std::size_t block_count() const { return blocks_; }

    // A threshold that at least k logits reach and not many more; minus infinity where there is none that is cheap to find.
    [[nodiscard]] float threshold_for_count(std::size_t k);

    // Replaces `kept` by the tokens whose filtered logit lies in the band, banned ones left out; false, with some of them, if there
    // are more than the limit. Filtered logits keep the order of the logits: with a token, every token with a larger logit lies in
    // or above the band.
    bool gather(Band band, std::size_t limit, Kept& kept);
    // The same with one block's tokens.
    void gather_block(std::size_t block, Kept& kept) const;

    // Bounds on each block's weight by its lanes' maxima.
    void estimate(double temperature, Masses& masses);
    // All that follows needs estimate() first. Bounds that leave open about `open_share` of the whole weight, by exponentials for
    // the blocks that weigh much; 0 weighs every token by a float exponential. Each block is weighed once, however often this is
    // called.
    void refine(double open_share, Masses& masses);
    // Weighs the tokens of the blocks with a token that reaches the threshold, and returns how many blocks there are.
    std::size_t weigh_from(float threshold, Masses& masses);
    [[nodiscard]] bool every_token_is_weighed() const { return fine_blocks_ == blocks_; }

    [[nodiscard]] Interval weight(const Masses& masses) const;
    // What the lanes' maxima weigh at the least.
    [[nodiscard]] double least_weight() const { return least_total_; }
    // After weigh_from(first threshold): bounds on the weight of all tokens below each of the ascending thresholds.
    template <std::size_t count>
    [[nodiscard]] std::array<Interval, count> weights_below(const std::array<float, count>& thresholds, const Masses& masses);
    // After weigh_from() of a threshold not above these: bounds on the weight of all tokens that reach the threshold, and on that
    // of each block's tokens that the cut keeps.
    [[nodiscard]] Interval weight_from(float threshold);
    void keep(const Cut& cut, Masses& masses);
    // A threshold above which about that share of the weight of the lanes' maxima lies: of the whole weight, but on flat rows.
    [[nodiscard]] float threshold_for_share(double share) const;
    // What the filter makes of a token's logit.
    [[nodiscard]] float filtered(double logit) const {
        return static_cast<float>(logits_.dtype() == Dtype::float64 ? logit - peak_logit_ : logit);
    }
    // The logit whose weight is 2^-octaves, and the octaves of a logit.
    [[nodiscard]] float below_peak(double octaves) const { return static_cast<float>(peak_ - octaves / scale_); }
    [[nodiscard]] double octaves_below_peak(float logit) const { return (double{peak_} - logit) * scale_; }

    // The powers of two that matter: smaller weights are counted with the last.
    static constexpr std::size_t octave_count = 64;

    // The temperatures for which thresholds and masses can be asked for.
    static constexpr double min_temperature = 0x1p-60;
    static constexpr double max_temperature = 0x1p60;

private:
    [[nodiscard]] const float* block_at(std::size_t block) const;
    void narrow(std::span<const double> row, double peak);
    // Those in which a logit reaches the threshold, in their order, until the next call.
    std::span<const std::uint32_t> blocks_reaching(float threshold);
    using BlockMask = std::array<std::uint64_t, Kernels<FloatBatch>::block_size / 64>;  // a bit for each token
    [[nodiscard]] BlockMask mask_of(std::size_t block, Band band) const;
    void add(std::size_t block, const BlockMask& mask, Band band, Kept& kept) const;
    template <bool fine>
    void weigh_blocks_above(std::size_t octave, Masses& masses);
    template <bool fine>
    void weigh_pending(Masses& masses);
    [[nodiscard]] Interval block_weight_from(std::size_t block, float threshold) const;

    Logits logits_{nullptr, 0, Dtype::float32};
    const float* row_ = nullptr;  // the row as floats: itself, widened, or its distance from the peak when it was binary64
    std::size_t size_ = 0;
    std::size_t blocks_ = 0;
    double peak_logit_ = 0;
    float peak_ = 0;   // the largest of row_
    float scale_ = 0;  // log2(e) / temperature, once estimate() was called
    std::vector<float> converted_;
    std::vector<float> tail_;          // the last block, padded with minus infinity
    std::vector<float> maxima_;        // of each block, lane by lane; padded to whole groups with minus infinity
    std::vector<float> group_maxima_;  // of each group of blocks, lane by lane
    std::vector<float> folded_;        // maxima of some of these
    // Of each block, after estimate(): the power of two of its upper bound, and how it was weighed.
    enum class Weighed : std::uint8_t { by_maxima, coarsely, finely };
    std::vector<std::int32_t> octaves_;
    std::vector<Weighed> weighed_;
    std::array<double, octave_count> highs_{};  // the sum of the upper bounds of each octave
    std::vector<float> weights_;                // of the tokens of blocks that were weighed finely
    std::size_t fine_blocks_ = 0;
    double least_total_ = 0;
    std::vector<std::uint32_t> pending_;  // blocks to weigh
    std::vector<std::uint32_t> reaching_groups_;
    std::vector<std::uint32_t> reaching_blocks_;
};

}  // namespace quillmate::detail
