#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "quillmate/generator.hpp"
#include "quillmate/logits.hpp"
#include "quillmate/sampling.hpp"
#include "quillmate/settings.hpp"

// Reads the golden fixtures; tests/fixtures/README.md describes the files.
namespace quillmate::test {

using Json = nlohmann::ordered_json;

inline constexpr double below_one = 1 - 0x1p-53;  // the largest double below 1

// One of the lists of cases in a file.
[[nodiscard]] Json read_fixture(std::string_view file, std::string_view list);

// A number, or one that JSON lacks, as text: "NaN", "Infinity", "-Infinity".
[[nodiscard]] double number(const Json& value);
[[nodiscard]] std::uint64_t uint64(const Json& decimal_text);

// A list of numbers, repeats and noise, written out.
[[nodiscard]] std::vector<double> numbers(const Json& items);

// The fields temperature, topK and topP.
[[nodiscard]] Settings settings_of(const Json& fields);

// The field audit, where there is one.
[[nodiscard]] AuditMode audit_of(const Json& run);

// A row of logits that owns its memory.
class Row {
public:
    Row(const std::vector<double>& values, Dtype dtype);
    explicit Row(const Json& test_case);  // its fields logits and dtype

    [[nodiscard]] Logits logits() const;
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] std::vector<double> numbers() const;
    void append(const Row& other);
    [[nodiscard]] bool same_bits(const Row& other) const;

private:
    Dtype dtype_;
    std::vector<float> floats_;  // one of the two is in use
    std::vector<double> doubles_;
};

[[nodiscard]] Dtype dtype_of(const Json& test_case);

// The model of generator.json: each logit depends on every token of the text.
[[nodiscard]] Row toy_row(std::span<const Token> text, std::uint64_t seed, std::size_t vocab_size, Dtype dtype);

// The statistic of Pearson's chi-square test.
[[nodiscard]] double chi_square(const std::vector<std::int64_t>& counts, const std::vector<double>& probabilities);

}  // namespace quillmate::test
