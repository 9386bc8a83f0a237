#include "quillmate/speculative_block.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
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

// A model of blocks.json (tests/fixtures/README.md).
std::vector<double> golden_weights(const test::Json& model, std::span<const Token> text) {
    if (model.contains("rows")) return model["rows"][text.size() % model["rows"].size()].get<std::vector<double>>();
    const auto size = model["vocabSize"].get<std::size_t>();
    const auto scale = model["scale"].get<double>();
    std::uint32_t number = 0;
    for (const Token token : text) number = 31 * number + static_cast<std::uint32_t>(token) + 1;
    std::vector<double> row;
    for (std::size_t i = 0; i < size; ++i)
        row.push_back(std::floor(uniform(test::uint64(model["seed"]), i, number) * 4) * scale);
    row[number % size] += scale;
    if (model["noRepeat"].get<bool>() && !text.empty()) {
        std::vector<double> others = row;
        others[static_cast<std::size_t>(text.back())] = 0;
        if (std::ranges::any_of(others, [](double weight) { return weight > 0; })) row = std::move(others);
    }
    const auto k = model["topK"].get<std::size_t>();
    if (k == 0) return row;
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t i, std::size_t j) { return row[i] > row[j]; });
    for (const std::size_t i : std::span(order).subspan(k)) row[i] = 0;
    return row;
}

// Without the tokens that have no weight: a draft is as sparse as can be.
Categorical sparse_law(const std::vector<double>& weights) {
    std::vector<Token> ids;
    std::vector<Rational> fractions;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i] == 0) continue;
        ids.push_back(static_cast<Token>(i));
        fractions.push_back(*exact::to_rational(weights[i]));
    }
    return *Categorical::create(weights.size(), ids, fractions);
}

template <class Laws, class ToLaw>
void expect_golden_rounds(Laws laws, const ToLaw& to_law, const test::Json& test_case, const test::Json& rounds) {
    const Owner named{test_case["requestId"].get<std::string>(), test::uint64(test_case["generation"])};
    const auto stop_ids = test_case["stopIds"].get<std::set<Token>>();
    const auto model_of = [&](const char* name) -> LawModel<Laws> {
        return [&, name](std::span<const Token> text) -> Result<typename Laws::Law> {
            return to_law(golden_weights(test_case[name], text));
        };
    };
    Verifier<Laws> verifier(laws, named, test_case["prompt"].get<Text>(), "models", stop_ids);
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        const test::Json& expected = rounds[round];
        const RandomStreams streams = *RandomStreams::create(test::uint64(test_case["seed"]), named, round);
        const ProposalOptions options{test_case["depths"][round].get<int>(), "models", stop_ids};
        const auto block = *propose<Laws>(laws, model_of("draft"), verifier.prefix(), streams, options);
        Text proposals;
        for (const auto& proposal : block.proposals) proposals.push_back(proposal.token);
        EXPECT_EQ(proposals, expected["proposals"].get<Text>());
        const auto result = *verifier.verify(block, streams, model_of("target"));
        EXPECT_EQ(result.tokens, expected["tokens"].get<Text>());
        EXPECT_EQ(result.accepted_drafts, expected["accepted"].get<int>());
        EXPECT_EQ(result.rejected, expected["rejected"].get<bool>());
        EXPECT_EQ(result.stopped, expected["stopped"].get<bool>());
    }
    EXPECT_EQ(verifier.stopped(), rounds.back()["stopped"].get<bool>());
}

TEST(Blocks, AreTheGoldenOnes) {
    for (const test::Json& test_case : test::read_fixture("blocks.json", "cases")) {
        SCOPED_TRACE(test_case["name"]);
        const auto doubles = [](const std::vector<double>& weights) { return weights; };
        expect_golden_rounds(ExactLaws{}, sparse_law, test_case, test_case["fractions"]);
        expect_golden_rounds(ExactLaws{exact::choose_by_uniform}, sparse_law, test_case, test_case["uniform"]);
        expect_golden_rounds(BinaryLaws{}, doubles, test_case, test_case["uniform"]);
    }
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

}  // namespace
}  // namespace quillmate
