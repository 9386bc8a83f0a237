#include "quillmate/speculative_block.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace quillmate {
namespace {

using Text = std::vector<Token>;

const Owner owner{"request", 1};

RandomStreams streams_of(std::uint64_t round) { return *RandomStreams::create(5, owner, round); }

class AVerifier : public ::testing::Test {
protected:
    BinaryLaws laws;
    LawModel<BinaryLaws> model = [](auto) { return std::vector<double>{1, 2, 3}; };
    Verifier<BinaryLaws> verifier{laws, owner, {0}, "context", {2}};
    RandomStreams streams = streams_of(3);
    Block<BinaryLaws> block{owner, 3, {0}, "context", 2, {{1, {1, 2, 3}}, {0, {1, 2, 3}}}, {2}};

    [[nodiscard]] ErrorCode code() {
        const auto result = verifier.verify(block, streams, model);
        EXPECT_EQ(verifier.prefix(), (Text{0}));
        EXPECT_FALSE(verifier.failed());
        return result ? ErrorCode::none : result.error().code;
    }
};

TEST_F(AVerifier, RefusesBlocksOfOthers) {
    block.owner.generation = 2;
    EXPECT_EQ(code(), ErrorCode::FOREIGN_BLOCK);
    block.owner = {"other", 1};
    EXPECT_EQ(code(), ErrorCode::FOREIGN_BLOCK);
    block.owner = owner;
    streams = *RandomStreams::create(5, {"other", 1}, 3);
    EXPECT_EQ(code(), ErrorCode::FOREIGN_BLOCK);
}

TEST_F(AVerifier, RefusesStaleBlocks) {
    const auto good = block;
    block.round = 4;
    EXPECT_EQ(code(), ErrorCode::STALE_BLOCK);
    block = good;
    block.prefix = {0, 0};
    EXPECT_EQ(code(), ErrorCode::STALE_BLOCK);
    block = good;
    block.context_id = "another";
    EXPECT_EQ(code(), ErrorCode::STALE_BLOCK);
    block = good;
    block.stop_ids = {};
    EXPECT_EQ(code(), ErrorCode::STALE_BLOCK);
}

TEST_F(AVerifier, RefusesMalformedBlocks) {
    const auto good = block;
    for (const int depth : {0, 1, 3, 6}) {
        block.fixed_depth = depth;
        EXPECT_EQ(code(), ErrorCode::INVALID_BLOCK) << depth;
    }
    block = good;
    block.proposals.clear();
    EXPECT_EQ(code(), ErrorCode::INVALID_BLOCK);
    block = good;
    block.proposals[1].q = {0, 2, 3};
    EXPECT_EQ(code(), ErrorCode::DRAFT_WITHOUT_MASS);
    block.proposals[1].q = {1, 2};
    EXPECT_EQ(code(), ErrorCode::WRONG_LENGTH);
}

TEST_F(AVerifier, UsesARoundOnce) {
    ASSERT_TRUE(verifier.verify(block, streams, [](auto) { return std::vector<double>{1, 1, 0}; }).has_value());
    block.prefix = verifier.prefix();
    const auto again = verifier.verify(block, streams, model);
    EXPECT_EQ(again.error().code, ErrorCode::STALE_BLOCK);
}

TEST_F(AVerifier, NeedsAResetAfterAModelFailed) {
    const LawModel<BinaryLaws> broken = [](auto) -> Result<std::vector<double>> {
        return std::unexpected(Error{.code = ErrorCode::MODEL_FAILED});
    };
    EXPECT_EQ(verifier.verify(block, streams, broken).error().code, ErrorCode::MODEL_FAILED);
    EXPECT_TRUE(verifier.failed());
    EXPECT_EQ(verifier.prefix(), (Text{0}));
    EXPECT_EQ(verifier.verify(block, streams, model).error().code, ErrorCode::VERIFIER_FAILED);
    verifier.reset();
    EXPECT_EQ(verifier.verify(block, streams, model).error().code, ErrorCode::STALE_BLOCK) << "the round is used up";
    streams = streams_of(4);
    block.round = 4;
    EXPECT_TRUE(verifier.verify(block, streams, model).has_value());
}

TEST_F(AVerifier, NeedsAResetAfterAModelOrAProcessorThrew) {
    // The first law is given, and its token emitted in a text that is then given up.
    const LawModel<BinaryLaws> target = [this](std::span<const Token> prefix) {
        if (prefix.size() > 1) throw std::runtime_error("out of memory");
        return model(prefix);
    };
    const LawModel<BinaryLaws> processed = [this](std::span<const Token> prefix) {
        auto law = model(prefix);
        law->at(prefix.size() + 1) = 0;  // past the end for the second token
        return law;
    };
    EXPECT_THROW(static_cast<void>(verifier.verify(block, streams, target)), std::runtime_error);
    for (const std::uint64_t round : {4, 5}) {
        EXPECT_TRUE(verifier.failed());
        EXPECT_FALSE(verifier.stopped());
        EXPECT_EQ(verifier.prefix(), (Text{0}));
        EXPECT_EQ(verifier.verify(block, streams, model).error().code, ErrorCode::VERIFIER_FAILED);
        verifier.reset();
        EXPECT_EQ(verifier.verify(block, streams, model).error().code, ErrorCode::STALE_BLOCK) << "the round is used up";
        streams = streams_of(round);
        block.round = round;
        if (round == 4) {
            EXPECT_THROW(static_cast<void>(verifier.verify(block, streams, processed)), std::out_of_range);
        }
    }
    EXPECT_TRUE(verifier.verify(block, streams, model).has_value());
}

TEST_F(AVerifier, FailsOnATargetOfAnotherVocabulary) {
    EXPECT_EQ(verifier.verify(block, streams,
                              [](auto) {
                                  return std::vector<double>{1, 1};
                              })
                  .error()
                  .code,
              ErrorCode::WRONG_LENGTH);
    EXPECT_TRUE(verifier.failed());
}

TEST_F(AVerifier, TakesNothingAfterAStopId) {
    const LawModel<BinaryLaws> stop = [](auto) { return std::vector<double>{0, 0, 1}; };
    const auto stopping = *propose(laws, stop, {0}, streams, {5, "context", {2}});
    EXPECT_EQ(stopping.proposals.size(), 1U);
    const auto result = *verifier.verify(stopping, streams, stop);
    EXPECT_EQ(result.tokens, (Text{2}));
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.accepted_drafts, 1);
    EXPECT_EQ(verifier.verify(block, streams, model).error().code, ErrorCode::VERIFIER_STOPPED);
}

TEST(Propose, RefusesADepthAContextAndTokensOutOfRange) {
    BinaryLaws laws;
    const LawModel<BinaryLaws> model = [](auto) { return std::vector<double>{1, 2}; };
    const auto code = [&](Text prefix, const ProposalOptions& options) {
        return propose(laws, model, std::move(prefix), streams_of(0), options).error().code;
    };
    EXPECT_EQ(code({}, {0, "c", {}}), ErrorCode::INVALID_DEPTH);
    EXPECT_EQ(code({}, {6, "c", {}}), ErrorCode::INVALID_DEPTH);
    EXPECT_EQ(code({}, {1, "", {}}), ErrorCode::INVALID_OWNER);
    EXPECT_EQ(code({2}, {1, "c", {}}), ErrorCode::INVALID_TOKEN);
    EXPECT_EQ(code({}, {1, "c", {2}}), ErrorCode::INVALID_TOKEN);
}

TEST(Propose, LetsWhatItsModelThrowsPassAndCanBeCalledAgain) {
    BinaryLaws laws;
    const LawModel<BinaryLaws> model = [](auto) { return std::vector<double>{1, 2}; };
    const LawModel<BinaryLaws> broken = [](auto prefix) -> Result<std::vector<double>> {
        if (prefix.size() == 2) throw std::runtime_error("out of memory");
        return std::vector<double>{1, 2};
    };
    EXPECT_THROW(static_cast<void>(propose(laws, broken, {}, streams_of(0), {3, "c", {}})), std::runtime_error);
    const auto block = *propose(laws, model, {}, streams_of(0), {3, "c", {}});
    const auto same = *propose(laws, broken, {}, streams_of(0), {2, "c", {}});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(same.proposals[i].token, block.proposals[i].token);
}

TEST(SampleWeights, DrawsByTheRunningWeight) {
    const std::vector<double> weights{0, 1, 0, 3};
    EXPECT_EQ(*sample_weights(weights, 0), 1);
    EXPECT_EQ(*sample_weights(weights, 0.25 - 0x1p-54), 1);
    EXPECT_EQ(*sample_weights(weights, 0.25), 3);
    EXPECT_EQ(*sample_weights(weights, test::below_one), 3);
    EXPECT_EQ(sample_weights({}, 0).error().code, ErrorCode::EMPTY_ROW);
    EXPECT_EQ(sample_weights(weights, 1).error().code, ErrorCode::INVALID_U);
    EXPECT_EQ(sample_weights(std::vector<double>{0, 0}, 0).error().code, ErrorCode::ZERO_TOTAL_WEIGHT);
}

}  // namespace
}  // namespace quillmate
