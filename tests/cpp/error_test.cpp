#include "quillmate/error.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "quillmate/generator.hpp"
#include "quillmate/sampling.hpp"
#include "quillmate/speculative.hpp"

namespace quillmate {
namespace {

using test::Json;
using test::number;

constexpr int code_count = 0
#define QUILLMATE_ERROR(code, message) +1
#include "quillmate/error_codes.def"
#undef QUILLMATE_ERROR
    ;

TEST(ErrorCodes, HaveDistinctNamesAndMessages) {
    std::set<std::string> names;
    std::set<std::string> messages;
    for (int number = 1; number <= code_count; ++number) {
        const auto code = static_cast<ErrorCode>(number);
        const std::string name(error_name(code));
        EXPECT_EQ(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string::npos) << name;
        EXPECT_TRUE(!name.empty() && names.insert(name).second) << number;
        EXPECT_TRUE(messages.insert(error_message({.code = code})).second) << name;
    }
}

TEST(ErrorCodes, HaveMessagesThatAreFilledIn) {
    for (int number = 1; number <= code_count; ++number) {
        const std::string message =
            error_message({.code = static_cast<ErrorCode>(number), .index = 7, .value = "a value", .detail = "a detail"});
        EXPECT_EQ(message.find_first_of("{}"), std::string::npos) << message;
        EXPECT_GT(message.size(), 20U) << message;
    }
}

TEST(ErrorCodes, ThatDoNotExistHaveNoName) {
    EXPECT_EQ(error_name(ErrorCode::none), "");
    EXPECT_EQ(error_name(static_cast<ErrorCode>(code_count + 1)), "");
    EXPECT_EQ(error_name(static_cast<ErrorCode>(-1)), "");
}

TEST(ErrorMessage, NamesTheElementTheValueAndTheRow) {
    EXPECT_NE(error_message({.code = ErrorCode::NAN_LOGIT, .index = 12}).find("token 12 "), std::string::npos);
    EXPECT_NE(error_message({.code = ErrorCode::INVALID_TOP_P, .value = "1.5"}).find("1.5"), std::string::npos);
    EXPECT_NE(error_message({.code = ErrorCode::ALL_BANNED, .row = 3}).find("row 3"), std::string::npos);
}

TEST(ErrorText, WritesNumbersAsPeopleDo) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(to_text(0.7), "0.7");
    EXPECT_EQ(to_text(-1), "-1");
    EXPECT_EQ(to_text(5e-324), "5e-324");
    EXPECT_EQ(to_text(1e21), "1e+21");
    EXPECT_EQ(to_text(123456789012345680000.0), "123456789012345680000");
    EXPECT_EQ(to_text(0.000001), "0.000001");
    EXPECT_EQ(to_text(1e-7), "1e-7");
    EXPECT_EQ(to_text(std::nan("")), "NaN");
    EXPECT_EQ(to_text(infinity), "Infinity");
    EXPECT_EQ(to_text(-infinity), "-Infinity");
}

template <class T>
std::optional<Error> error_of(const Result<T>& result) {
    return result ? std::nullopt : std::optional(result.error());
}

std::optional<Error> call(const Json& test_case) {
    const auto name = test_case["call"].get<std::string>();
    if (name == "sampleToken") {
        return error_of(sample_token(test::Row(test_case).logits(), test::settings_of(test_case), number(test_case["u"])));
    }
    if (name == "distribution") {
        return error_of(distribution(test::Row(test_case).logits(), test::settings_of(test_case)));
    }
    if (name == "sampleBatch") {
        std::vector<Draw> draws;
        for (const Json& row : test_case["settings"]) draws.push_back({test::settings_of(row), number(row["u"])});
        std::vector<Token> tokens(draws.size(), -7);
        const auto result = sample_batch(test::Row(test_case).logits(), draws, tokens);
        EXPECT_EQ(tokens, std::vector<Token>(draws.size(), -7)) << "an error must leave the output alone";
        return error_of(result);
    }
    if (name == "generator") {
        return error_of(Generator::create(test_case["prompt"].get<std::vector<Token>>(), test::uint64(test_case["seed"]),
                                          test::settings_of(test_case)));
    }
    const auto p = test::numbers(test_case["p"]);
    const auto q = test::numbers(test_case["q"]);
    if (name == "emittedDistribution") return error_of(emitted_distribution(p, q));
    return error_of(
        speculative_step(p, q, test_case["draft"].get<Token>(), number(test_case["uAccept"]), number(test_case["uResample"])));
}

TEST(Errors, AreTheGoldenOnes) {
    for (const Json& test_case : test::read_fixture("errors.json", "cases")) {
        SCOPED_TRACE(test_case["call"].get<std::string>() + ": " + test_case["name"].get<std::string>());
        const auto error = call(test_case);
        ASSERT_TRUE(error.has_value());
        EXPECT_EQ(error_name(error->code), test_case["code"]);
        EXPECT_EQ(error->index, test_case.value("index", error->index));
        EXPECT_EQ(error->row, test_case.value("row", std::int64_t{-1}));
        EXPECT_EQ(error->value, test_case.value("value", error->value));
        if (test_case.contains("value")) {
            EXPECT_NE(error_message(*error).find(error->value), std::string::npos) << error_message(*error);
        }
    }
}

}  // namespace
}  // namespace quillmate
