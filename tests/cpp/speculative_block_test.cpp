#include "quillmate/speculative_block.hpp"

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/exact/exact_laws.hpp"

namespace quillmate {
namespace {

using exact::Categorical;
using exact::ExactLaws;
using exact::Integer;
using exact::Rational;
using Text = std::vector<Token>;
using Distribution = std::map<Text, Rational>;

Categorical law(const std::vector<double>& weights) { return *Categorical::dense(weights); }

// Small whole weights that depend on the whole prefix; some are 0.
std::vector<double> weights_of(std::span<const Token> prefix, std::uint64_t seed, std::size_t size = 3) {
    std::uint64_t text = 7;
    for (const Token token : prefix) text = text * 31 + static_cast<std::uint64_t>(token) + 1;
    std::vector<double> weights;
    for (std::size_t i = 0; i < size; ++i) weights.push_back(std::floor(uniform(seed, i, text) * 4));
    weights[text % size] += 1;
    return weights;
}

LawModel<ExactLaws> exact_model(std::uint64_t seed) {
    return [seed](std::span<const Token> prefix) -> Result<Categorical> { return law(weights_of(prefix, seed)); };
}

// A pure function of the prefix that bans its last token where others are left, as a processor against repetition does.
LawModel<ExactLaws> without_repetition(LawModel<ExactLaws> model) {
    return [model](std::span<const Token> prefix) -> Result<Categorical> {
        auto p = model(prefix);
        if (prefix.empty()) return p;
        std::vector<bool> allowed(p->vocab_size(), true);
        allowed[static_cast<std::size_t>(prefix.back())] = false;
        auto masked = p->masked(allowed);
        return masked ? masked : p;
    };
}

LawModel<ExactLaws> sparse(LawModel<ExactLaws> model, std::size_t k) {
    return [model, k](std::span<const Token> prefix) { return model(prefix)->sparse_topk(k); };
}

const Owner owner{"request", 1};

RandomStreams streams_of(std::uint64_t round, std::uint64_t seed = 5) { return *RandomStreams::create(seed, owner, round); }

// Every way that the choices of a run can go, with the probability of each.
class Paths {
public:
    [[nodiscard]] exact::Choice choice() {
        return [this](std::span<const Integer> tickets, const RandomStream&, std::uint32_t) {
            if (depth_ == path_.size()) path_.push_back({0, {tickets.begin(), tickets.end()}});
            auto& [place, weights] = path_[depth_++];
            while (weights[place] == 0) ++place;
            Integer sum = 0;
            for (const Integer& count : weights) sum += count;
            probability_ *= Rational(weights[place], sum);
            return place;
        };
    }
    // Runs the work until every way was gone; adds up the probability of each outcome.
    template <class Work>
    [[nodiscard]] Distribution law_of(const Work& work) {
        Distribution outcomes;
        do {
            depth_ = 0;
            probability_ = 1;
            const Text outcome = work();
            outcomes[outcome] += probability_;
        } while (advance());
        return outcomes;
    }

private:
    [[nodiscard]] bool advance() {
        for (; !path_.empty(); path_.pop_back()) {
            auto& [place, weights] = path_.back();
            do ++place;
            while (place < weights.size() && weights[place] == 0);
            if (place < weights.size()) return true;
        }
        return false;
    }

    struct Fork {
        std::size_t place;
        std::vector<Integer> weights;
    };
    std::vector<Fork> path_;
    std::size_t depth_ = 0;
    Rational probability_ = 1;
};

// The law of a text of so many tokens, or of one that a stop id ends.
void add_texts(Distribution& texts, const LawModel<ExactLaws>& target, const Text& text, const Rational& probability,
               std::size_t length, const std::set<Token>& stop_ids) {
    if (text.size() == length || (!text.empty() && stop_ids.contains(text.back()))) {
        texts[text] += probability;
        return;
    }
    const Categorical p = *target(text);
    for (const Token token : p.ids()) {
        if (p.tickets_of(token) == 0) continue;
        Text longer = text;
        longer.push_back(token);
        add_texts(texts, target, longer, probability * *p.prob(token), length, stop_ids);
    }
}

// A block emits 1 to depth + 1 tokens; filled up to depth + 1 from the target's own law, the text must have the target's law.
template <class Laws>
Distribution law_of_blocks(const LawModel<ExactLaws>& draft, const LawModel<ExactLaws>& target, int depth,
                           const std::set<Token>& stop_ids) {
    Paths paths;
    Laws laws;
    laws.choose = paths.choice();
    const Distribution emitted = paths.law_of([&] {
        Verifier<Laws> verifier(laws, owner, {}, "context", stop_ids);
        const auto block = propose<Laws>(laws, draft, {}, streams_of(0), {depth, "context", stop_ids});
        const auto result = verifier.verify(*block, streams_of(0), target);
        EXPECT_TRUE(result.has_value()) << error_message(result.error());
        return result->tokens;
    });
    Distribution texts;
    for (const auto& [text, probability] : emitted) {
        add_texts(texts, target, text, probability, static_cast<std::size_t>(depth) + 1, stop_ids);
    }
    return texts;
}

Distribution law_of_target(const LawModel<ExactLaws>& target, int depth, const std::set<Token>& stop_ids) {
    Distribution texts;
    add_texts(texts, target, {}, 1, static_cast<std::size_t>(depth) + 1, stop_ids);
    return texts;
}

TEST(ABlock, HasExactlyTheTargetsLaw) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const auto draft = exact_model(100 + seed);
        const auto target = exact_model(200 + seed);
        for (int depth = 1; depth <= 3; ++depth) {
            for (const std::set<Token>& stop_ids : {std::set<Token>{}, std::set<Token>{1}, std::set<Token>{0, 2}}) {
                EXPECT_EQ(law_of_blocks<ExactLaws>(draft, target, depth, stop_ids), law_of_target(target, depth, stop_ids));
            }
        }
    }
}

TEST(ABlock, HasTheTargetsLawWithProcessorsAndSparseDrafts) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        const auto target = without_repetition(exact_model(300 + seed));
        for (const auto& draft : {sparse(exact_model(400 + seed), 1), sparse(exact_model(500 + seed), 2), target}) {
            EXPECT_EQ(law_of_blocks<ExactLaws>(draft, target, 3, {2}), law_of_target(target, 3, {2}));
        }
    }
}

TEST(ABlock, HasTheTargetsLawWhereNothingIsInCommon) {
    const LawModel<ExactLaws> draft = [](auto) -> Result<Categorical> { return law({1, 0, 2, 0}); };
    const LawModel<ExactLaws> target = [](auto) -> Result<Categorical> { return law({0, 3, 0, 1}); };
    EXPECT_EQ(law_of_blocks<ExactLaws>(draft, target, 2, {}), law_of_target(target, 2, {}));
}

// What an implementation may get wrong; each must be told from the right one.
struct TransmittedSupportOnly : ExactLaws {
    [[nodiscard]] Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                std::uint32_t position) const {
        std::vector<bool> listed(p.vocab_size());
        for (const Token id : q.ids()) listed[static_cast<std::size_t>(id)] = true;
        const auto narrow = p.masked(listed);
        return ExactLaws::speculate(narrow ? *narrow : p, q, token, streams, position);
    }
};
struct ScaledDraft : ExactLaws {
    [[nodiscard]] Result<Speculation> speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                                std::uint32_t position) const {
        std::vector<Rational> squares;  // q at half the temperature
        for (std::size_t i = 0; i < q.vocab_size(); ++i) {
            const Rational x = *q.prob(static_cast<Token>(i));
            squares.push_back(x * x);
        }
        return ExactLaws::speculate(p, *Categorical::dense(squares), token, streams, position);
    }
};

TEST(ABlock, HasAnotherLawWhenTheResidualOrTheDraftIsWrong) {
    const LawModel<ExactLaws> full = [](auto) -> Result<Categorical> { return law({8, 3, 1}); };
    const LawModel<ExactLaws> target = [](auto) -> Result<Categorical> { return law({2, 3, 4}); };
    EXPECT_NE(law_of_blocks<TransmittedSupportOnly>(sparse(full, 2), target, 1, {}), law_of_target(target, 1, {}));
    EXPECT_NE(law_of_blocks<ScaledDraft>(full, target, 1, {}), law_of_target(target, 1, {}));
}

// The counts of the first token of many blocks, with the numbers of the draws as `mixed` makes them of the right ones.
template <class Mixed>
double chi_square_of(const Mixed& mixed) {
    const std::vector<double> p{0.34, 0.33, 0.33};
    const std::vector<double> q{0.8, 0.15, 0.05};
    std::vector<std::int64_t> counts(3);
    for (std::uint64_t round = 0; round < 20'000; ++round) {
        const RandomStreams streams = streams_of(round);
        const auto [u, accept, correct] =
            mixed(streams.proposal().uniform(0), streams.acceptance().uniform(0), streams.correction().uniform(0));
        const auto step = *speculative_step(p, q, *sample_weights(q, u), accept, correct);
        ++counts[static_cast<std::size_t>(step.token)];
    }
    return test::chi_square(counts, p);
}

TEST(TheStreams, AreIndependentAndSharedNumbersAreNoticed) {
    using Numbers = std::array<double, 3>;
    constexpr double limit = 13.82;  // 2 degrees of freedom, 0.1 %
    EXPECT_LT(chi_square_of([](double u, double a, double c) { return Numbers{u, a, c}; }), limit);
    EXPECT_GT(chi_square_of([](double u, double a, double) { return Numbers{u, a, u}; }), limit);
    EXPECT_GT(chi_square_of([](double u, double a, double) { return Numbers{u, a, a}; }), limit);
}

TEST(TheEngine, EmitsTheOraclesTokensWithTheSameNumbers) {
    ExactLaws oracle{exact::choose_by_uniform};
    BinaryLaws engine;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const std::set<Token> stop_ids = seed % 3 == 0 ? std::set<Token>{4} : std::set<Token>{};
        const auto weights = [seed](std::span<const Token> prefix, std::uint64_t model) {
            auto row = weights_of(prefix, model + seed, 5);
            if (seed % 2 == 0) {
                for (double& weight : row) weight *= 0.1;  // sums that doubles round
            }
            return row;
        };
        Verifier<ExactLaws> exact_verifier(oracle, owner, {0}, "context", stop_ids);
        Verifier<BinaryLaws> engine_verifier(engine, owner, {0}, "context", stop_ids);
        for (std::uint64_t round = 0; round < 6 && !engine_verifier.stopped(); ++round) {
            const RandomStreams streams = streams_of(round, seed);
            const int depth = 1 + static_cast<int>((seed + round) % 5);
            const auto exact_of = [&](std::uint64_t model) -> LawModel<ExactLaws> {
                return [&weights, model](std::span<const Token> prefix) { return Categorical::dense(weights(prefix, model)); };
            };
            const auto binary_of = [&](std::uint64_t model) -> LawModel<BinaryLaws> {
                return [&weights, model](std::span<const Token> prefix) { return weights(prefix, model); };
            };
            const ProposalOptions options{depth, "context", stop_ids};
            const auto exact_block = *propose(oracle, exact_of(1000), exact_verifier.prefix(), streams, options);
            const auto block = *propose(engine, binary_of(1000), engine_verifier.prefix(), streams, options);
            const auto expected = exact_verifier.verify(exact_block, streams, exact_of(2000));
            const auto result = engine_verifier.verify(block, streams, binary_of(2000));
            ASSERT_TRUE(result.has_value() && expected.has_value());
            ASSERT_EQ(result->tokens, expected->tokens);
            ASSERT_EQ(result->accepted_drafts, expected->accepted_drafts);
        }
        EXPECT_EQ(engine_verifier.prefix(), exact_verifier.prefix());
        EXPECT_EQ(engine_verifier.stopped(), exact_verifier.stopped());
    }
}

// --- Refusals

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
