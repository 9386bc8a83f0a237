// The law of blocks by counting; and of faulty ones, which the same counting must tell from it.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/speculative_block.hpp"

namespace quillmate {
namespace {

using Weights = std::vector<double>;

// Each row depends on the token before. The draft is sparse: it never lists all that the target has.
Weights target_row(std::span<const Token> text) {
    static const std::vector<Weights> rows{{0.34, 0.33, 0.33}, {0.1, 0.6, 0.3}, {0.45, 0.05, 0.5}};
    return rows[text.empty() ? 0 : static_cast<std::size_t>(text.back())];
}
Weights draft_row(std::span<const Token> text) {
    static const std::vector<Weights> rows{{0.8, 0.2, 0}, {0.4, 0, 0.6}, {0, 0.9, 0.1}};
    return rows[text.empty() ? 0 : static_cast<std::size_t>(text.back())];
}

struct SharedNoise : BinaryLaws {  // one number for the draft token and its correction
    [[nodiscard]] static Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                       std::uint32_t position) {
        return speculative_step(p, q, token, streams.acceptance().uniform(position), streams.proposal().uniform(position));
    }
};
struct DraftNumberForAcceptance : BinaryLaws {
    [[nodiscard]] static Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                       std::uint32_t position) {
        return speculative_step(p, q, token, streams.proposal().uniform(position), streams.correction().uniform(position));
    }
};
struct ReusedAcceptance : BinaryLaws {  // one number for the decision and the correction
    [[nodiscard]] static Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                       std::uint32_t position) {
        const double u = streams.acceptance().uniform(position);
        return speculative_step(p, q, token, u, u);
    }
};
struct TransmittedSupportOnly : BinaryLaws {  // a correction among the tokens that the draft lists
    [[nodiscard]] static Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                       std::uint32_t position) {
        const auto step = BinaryLaws::speculate(p, q, token, streams, position);
        if (step->accepted) return step;
        Law rest;
        for (std::size_t i = 0; i < p.size(); ++i) rest.push_back(q[i] > 0 && p[i] > q[i] ? p[i] - q[i] : 0);
        const auto correction = sample_weights(rest, streams.correction().uniform(position));
        return correction ? Speculation{*correction, false} : *step;  // nothing is left to give
    }
};
struct ScaledDraft : BinaryLaws {  // q at twice the temperature that the token was drawn with
    [[nodiscard]] static Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                       std::uint32_t position) {
        Law scaled;
        for (const double weight : q) scaled.push_back(std::sqrt(weight));
        return BinaryLaws::speculate(p, scaled, token, streams, position);
    }
};

// The counts of the texts of three tokens that blocks of depth 2 emit, filled up with the target's own draws.
template <class Laws>
double chi_square_of_blocks() {
    std::vector<double> law;
    for (Token a = 0; a < 3; ++a) {
        for (Token b = 0; b < 3; ++b) {
            for (std::size_t c = 0; c < 3; ++c) {
                law.push_back(target_row({})[static_cast<std::size_t>(a)] *
                              target_row(std::vector{a})[static_cast<std::size_t>(b)] * target_row(std::vector{a, b})[c]);
            }
        }
    }
    Laws laws;
    const LawModel<Laws> draft = [](auto text) -> Result<Weights> { return draft_row(text); };
    const LawModel<Laws> target = [](auto text) -> Result<Weights> { return target_row(text); };
    const Owner owner{"counted", 0};
    std::vector<std::int64_t> counts(27);
    for (std::uint64_t round = 0; round < 20'000; ++round) {
        const RandomStreams streams = *RandomStreams::create(1, owner, round);
        Verifier<Laws> verifier(laws, owner, {}, "context");
        const auto block = *propose<Laws>(laws, draft, {}, streams, {2, "context", {}});
        std::vector<Token> text = verifier.verify(block, streams, target)->tokens;
        while (text.size() < 3) text.push_back(*sample_weights(target_row(text), uniform(2, round, text.size())));
        ++counts[static_cast<std::size_t>(9 * text[0] + 3 * text[1] + text[2])];
    }
    return test::chi_square(counts, law);
}

constexpr double limit = 54.05;  // 26 degrees of freedom, 0.1 %

TEST(CountedBlocks, HaveTheTargetsLaw) { EXPECT_LT(chi_square_of_blocks<BinaryLaws>(), limit); }

TEST(CountedBlocks, ShowASharedNumber) {
    EXPECT_GT(chi_square_of_blocks<SharedNoise>(), 2 * limit);
    EXPECT_GT(chi_square_of_blocks<DraftNumberForAcceptance>(), 2 * limit);
    EXPECT_GT(chi_square_of_blocks<ReusedAcceptance>(), 2 * limit);
}

TEST(CountedBlocks, ShowAResidualOfTheTransmittedSupport) {
    EXPECT_GT(chi_square_of_blocks<TransmittedSupportOnly>(), 2 * limit);
}

TEST(CountedBlocks, ShowAScaledDraft) { EXPECT_GT(chi_square_of_blocks<ScaledDraft>(), 2 * limit); }

}  // namespace
}  // namespace quillmate
