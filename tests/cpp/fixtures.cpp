#include "fixtures.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "quillmate/uniform.hpp"

namespace quillmate::test {

Json read_fixture(std::string_view file, std::string_view list) {
    const std::string path = QUILLMATE_FIXTURES + std::string(file);
    std::ifstream stream(path);
    if (!stream) throw std::runtime_error("cannot read " + path);
    return Json::parse(stream).at(std::string(list));
}

double number(const Json& value) {
    if (value.is_number()) return value.get<double>();
    const auto text = value.get<std::string>();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    throw std::runtime_error("not a number: " + text);
}

std::uint64_t uint64(const Json& decimal_text) { return std::stoull(decimal_text.get<std::string>()); }

std::vector<double> numbers(const Json& items) {
    std::vector<double> row;
    for (const Json& item : items) {
        if (!item.is_object()) {
            row.push_back(number(item));
        } else if (item.contains("repeat")) {
            row.insert(row.end(), item["repeat"][1].get<std::size_t>(), number(item["repeat"][0]));
        } else {
            const Json& noise = item["uniform"];
            const auto levels = noise["levels"].get<double>();
            for (std::uint64_t i = 0; i < noise["count"].get<std::uint64_t>(); ++i) {
                const double u = uniform(uint64(noise["seed"]), i);
                row.push_back(std::floor(u * levels) / levels * noise["scale"].get<double>() + noise["offset"].get<double>());
            }
        }
    }
    return row;
}

Settings settings_of(const Json& fields) {
    return {number(fields["temperature"]), fields["topK"].get<std::int64_t>(), number(fields["topP"])};
}

Dtype dtype_of(const Json& test_case) { return test_case["dtype"] == "float64" ? Dtype::float64 : Dtype::float32; }

AuditMode audit_of(const Json& run) {
    const std::string mode = run.value("audit", "off");
    return mode == "full" ? AuditMode::full : mode == "light" ? AuditMode::light : AuditMode::off;
}

Row::Row(const std::vector<double>& values, Dtype dtype) : dtype_(dtype) {
    if (dtype == Dtype::float64) {
        doubles_ = values;
    } else {
        for (const double value : values) floats_.push_back(static_cast<float>(value));
    }
}

Row::Row(const Json& test_case) : Row(test::numbers(test_case["logits"]), dtype_of(test_case)) {}

Logits Row::logits() const { return dtype_ == Dtype::float64 ? Logits(std::span(doubles_)) : Logits(std::span(floats_)); }

std::size_t Row::size() const { return floats_.size() + doubles_.size(); }

std::vector<double> Row::numbers() const {
    std::vector<double> numbers(floats_.begin(), floats_.end());
    numbers.insert(numbers.end(), doubles_.begin(), doubles_.end());
    return numbers;
}

void Row::append(const Row& other) {
    floats_.insert(floats_.end(), other.floats_.begin(), other.floats_.end());
    doubles_.insert(doubles_.end(), other.doubles_.begin(), other.doubles_.end());
}

bool Row::same_bits(const Row& other) const {
    const auto same = [](const auto& a, const auto& b) {
        return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0);
    };
    return same(floats_, other.floats_) && same(doubles_, other.doubles_);
}

Row toy_row(std::span<const Token> tokens, std::uint64_t seed, std::size_t vocab_size, Dtype dtype) {
    std::uint32_t text = 0;
    for (const Token token : tokens) text = 31 * text + static_cast<std::uint32_t>(token) + 1;
    std::vector<double> values;
    for (std::size_t i = 0; i < vocab_size; ++i) values.push_back(uniform(seed, i, text) * 16 - 8);
    return {values, dtype};
}

double chi_square(const std::vector<std::int64_t>& counts, const std::vector<double>& probabilities) {
    const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    double result = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = total * probabilities[i];
        const double difference = static_cast<double>(counts[i]) - expected;
        result += difference * difference / expected;
    }
    return result;
}

}  // namespace quillmate::test
