#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kept.hpp"
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

    // Replaces `kept` by the tokens whose filtered logit reaches the threshold, banned ones left out. Filtered logits keep the
    // order of the logits: with a token, every token with a larger logit is there. Minus infinity gathers all.
    void gather(float threshold, Kept& kept) const;
    // The same with one block's tokens.
    void gather_block(std::size_t block, Kept& kept) const;

    // Bounds on each block's weight by its lanes' maxima.
    void estimate(double temperature, Masses& masses);
    // After estimate(): bounds that leave open about `open_share` of the whole weight, by exponentials for the blocks that weigh
    // much; 0 weighs every block by a float exponential a token. Each block is weighed once, however often this is called.
    void refine(double open_share, Masses& masses);
    // After estimate(): bounds on the weight of all tokens that gather(threshold, kept) left out.
    [[nodiscard]] Interval weight_below(float threshold, const Kept& kept, const Masses& masses) const;
    // After estimate(): a threshold above which about that share of the whole weight lies, and perhaps much more.
    [[nodiscard]] float threshold_for_share(double share, const Masses& masses) const;

    // The temperatures for which thresholds and masses can be asked for.
    static constexpr double min_temperature = 0x1p-60;
    static constexpr double max_temperature = 0x1p60;

private:
    [[nodiscard]] const float* block_at(std::size_t block) const;
    void narrow(std::span<const double> row, double peak);
    void add_block(std::size_t block, float threshold, Kept& kept) const;
    template <bool fine>
    void weigh_blocks_above(std::size_t octave, Masses& masses);

    // The powers of two that matter: smaller weights are counted with the last.
    static constexpr std::size_t octave_count = 64;

    Logits logits_{nullptr, 0, Dtype::float32};
    const float* row_ = nullptr;  // the row as floats: itself, widened, or its distance from the peak when it was binary64
    std::size_t size_ = 0;
    std::size_t blocks_ = 0;
    float peak_ = 0;   // the largest of row_
    float scale_ = 0;  // log2(e) / temperature, once estimate() was called
    std::vector<float> converted_;
    std::vector<float> tail_;          // the last block, padded with minus infinity
    std::vector<float> maxima_;        // of each block, lane by lane; padded to whole groups with minus infinity
    std::vector<float> group_maxima_;  // of each group of blocks, lane by lane
    std::vector<float> largest_;       // a heap
    // Of each block, after estimate(): the power of two of its upper bound, and how it was weighed.
    enum class Weighed : std::uint8_t { by_maxima, coarsely, finely };
    std::vector<std::int32_t> octaves_;
    std::vector<Weighed> weighed_;
    std::array<double, octave_count> highs_{};  // the sum of the upper bounds of each octave
    double least_total_ = 0;
    std::vector<std::uint32_t> pending_;  // blocks to weigh
};

}  // namespace quillmate::detail
