#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/exact/categorical.hpp"

namespace quillmate::exact {
namespace {

using test::Json;

std::vector<Rational> rationals(const Json& texts) {
    std::vector<Rational> weights;
    for (const Json& text : texts) weights.push_back(*to_rational(std::string_view(text.get<std::string>())));
    return weights;
}

void expect_law(const Categorical& law, const Json& probabilities) {
    ASSERT_EQ(law.vocab_size(), probabilities.size());
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        EXPECT_EQ(to_text(*law.prob(static_cast<Token>(i))), probabilities[i]) << i;
    }
}

TEST(ExactCategorical, IsTheGoldenOne) {
    const RandomStreams streams = *RandomStreams::create(3, {"laws", 0}, 0);
    for (const Json& test_case : test::read_fixture("exact.json", "laws")) {
        SCOPED_TRACE(test_case["name"]);
        const auto ids = test_case["ids"].get<std::vector<Token>>();
        const auto weights = rationals(test_case["weights"]);
        const auto size = test_case["vocabSize"].get<std::size_t>();
        const Categorical law = *Categorical::create(size, ids, weights);
        EXPECT_EQ(std::vector(law.ids().begin(), law.ids().end()), test_case["sorted"].get<std::vector<Token>>());
        for (std::size_t i = 0; i < law.tickets().size(); ++i) EXPECT_EQ(law.tickets()[i].str(), test_case["tickets"][i]);
        expect_law(law, test_case["prob"]);
        expect_law(*law.sparse_topk(std::max(size / 2, std::size_t{1})), test_case["topk"]);
        if (test_case.contains("fp32")) expect_law(*fp32_weights(size, ids, weights), test_case["fp32"]);
        for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(law.sample(streams.proposal(), i), test_case["samples"][i]);
    }
}

TEST(ExactSpeculation, HasTheGoldenAcceptanceAndResidual) {
    for (const Json& test_case : test::read_fixture("exact.json", "pairs")) {
        const Categorical p = *Categorical::dense(rationals(test_case["p"]));
        const Categorical q = *Categorical::dense(rationals(test_case["q"]));
        expect_law(*residual(p, q), test_case["residual"]);
        for (std::size_t i = 0; i < p.vocab_size(); ++i) {
            const auto ratio = acceptance(p, q, static_cast<Token>(i));
            if (ratio) {
                EXPECT_EQ(to_text(*ratio), test_case["acceptance"][i]);
            } else {
                EXPECT_EQ(ratio.error().code, ErrorCode::DRAFT_WITHOUT_MASS);
                EXPECT_EQ(test_case["acceptance"][i], "");
            }
        }
    }
}

TEST(RandomStreams, AreTheGoldenOnes) {
    for (const Json& test_case : test::read_fixture("exact.json", "streams")) {
        const Owner owner{test_case["requestId"].get<std::string>(), test::uint64(test_case["generation"])};
        const RandomStreams streams =
            *RandomStreams::create(test::uint64(test_case["seed"]), owner, test::uint64(test_case["round"]));
        EXPECT_EQ(streams.key(), test::uint64(test_case["key"]));
        EXPECT_EQ(streams.owner(), owner);
        for (const Json& draw : test_case["uniform"]) {
            EXPECT_EQ(RandomStream(streams.key(), draw[0].get<std::uint64_t>()).uniform(draw[1].get<std::uint32_t>()), draw[2]);
        }
        for (const Json& draw : test_case["below"]) {
            const RandomStream stream(streams.key(), draw[0].get<std::uint64_t>());
            EXPECT_EQ(random_below(Integer(draw[2].get<std::string>()), stream, draw[1].get<std::uint32_t>()).str(), draw[3]);
        }
    }
}

TEST(RandomStreams, RefuseARequestWithoutAName) {
    EXPECT_EQ(RandomStreams::create(1, {"", 0}, 0).error().code, ErrorCode::INVALID_OWNER);
}

TEST(ExactCategorical, RefusesWhatIsNoLaw) {
    const auto code = [](std::size_t size, std::vector<Token> ids, std::vector<Rational> weights) {
        return Categorical::create(size, ids, weights).error().code;
    };
    EXPECT_EQ(code(3, {0, 1}, {1}), ErrorCode::WRONG_LENGTH);
    EXPECT_EQ(code(3, {}, {}), ErrorCode::ZERO_TOTAL_WEIGHT);
    EXPECT_EQ(code(3, {0, 1}, {0, 0}), ErrorCode::ZERO_TOTAL_WEIGHT);
    EXPECT_EQ(code(3, {0, 3}, {1, 1}), ErrorCode::INVALID_TOKEN);
    EXPECT_EQ(code(3, {-1}, {1}), ErrorCode::INVALID_TOKEN);
    EXPECT_EQ(code(3, {1, 2, 1}, {1, 1, 0}), ErrorCode::DUPLICATE_TOKEN);
    EXPECT_EQ(code(3, {1, 2}, {1, Rational(-1, 3)}), ErrorCode::INVALID_WEIGHT);
    EXPECT_EQ(Categorical::dense(std::vector<double>{1, std::nan("")}).error().index, 1);
    const Categorical law = *Categorical::dense(std::vector<double>{1, 2, 0});
    EXPECT_EQ(law.prob(3).error().code, ErrorCode::INVALID_TOKEN);
    EXPECT_EQ(law.masked({true, true}).error().code, ErrorCode::WRONG_LENGTH);
    EXPECT_EQ(law.masked({false, false, true}).error().code, ErrorCode::ZERO_TOTAL_WEIGHT);
    EXPECT_EQ(law.sparse_topk(0).error().code, ErrorCode::INVALID_SUPPORT_SIZE);
    EXPECT_EQ(law.sparse_topk(4).error().code, ErrorCode::INVALID_SUPPORT_SIZE);
    EXPECT_EQ(residual(law, law).error().code, ErrorCode::ZERO_TOTAL_WEIGHT);
    const Categorical other = *Categorical::dense(std::vector<double>{1, 2});
    EXPECT_EQ(acceptance(law, other, 0).error().code, ErrorCode::WRONG_LENGTH);
    EXPECT_EQ(residual(law, other).error().code, ErrorCode::WRONG_LENGTH);
    const std::vector<Rational> large{*to_rational(std::string_view("3.5e38"))};
    EXPECT_EQ(fp32_weights(1, std::vector<Token>{0}, large).error().code, ErrorCode::INVALID_WEIGHT);
}

TEST(ExactNumbers, RefuseTextThatIsNoNumber) {
    for (const char* text : {"", "1/0", "/2", "1/", "1.5/2", "0x10", "NaN", "1e", "1e9999", "1 ", "..", "1e+-2", "--1"}) {
        EXPECT_EQ(to_rational(std::string_view(text)).error().code, ErrorCode::INVALID_WEIGHT) << text;
    }
    EXPECT_FALSE(to_rational(std::string_view(std::string(5000, '1'))));
}

}  // namespace
}  // namespace quillmate::exact
