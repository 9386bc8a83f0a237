#include "quillmate/row_hash.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "row.hpp"

namespace quillmate {
namespace {

std::uint64_t hash_of(const std::vector<float>& row) { return row_hash(std::span<const float>(row)); }

std::vector<float> some_row(std::size_t size) {
    std::vector<float> row(size);
    for (std::size_t i = 0; i < size; ++i) row[i] = static_cast<float>(i * 7919 % 1000) / 64.0F - 8.0F;
    return row;
}

TEST(RowHash, IsTheGoldenOne) {
    for (const test::Json& test_case : test::read_fixture("row_hash.json", "cases")) {
        SCOPED_TRACE(test_case["name"]);
        const test::Row row(test_case);
        EXPECT_EQ(row_hash(row.logits()), std::stoull(test_case["hash"].get<std::string>(), nullptr, 16));
    }
}

TEST(RowHash, OfSixteenBitsIsThatOfTheNumbers) {
    std::vector<float16> halves;
    std::vector<bfloat16> brains;
    std::vector<float> numbers;
    std::vector<float> brain_numbers;
    for (std::uint32_t bits = 0; bits < 1000; ++bits) {
        halves.push_back({static_cast<std::uint16_t>(bits * 31)});
        brains.push_back({static_cast<std::uint16_t>(bits * 31)});
        numbers.push_back(detail::widen(halves.back()));
        brain_numbers.push_back(detail::widen(brains.back()));
        EXPECT_EQ(row_hash(std::span<const float16>(halves)), hash_of(numbers));
        EXPECT_EQ(row_hash(std::span<const bfloat16>(brains)), hash_of(brain_numbers));
    }
}

TEST(RowHash, DoesNotSeeTheSignOfZero) {
    for (const std::size_t place : {0U, 15U, 63U, 64U, 69U}) {
        std::vector<float> row = some_row(70);
        row[place] = 0.0F;
        const auto hash = hash_of(row);
        const auto wide_hash = row_hash(std::span<const double>(std::vector<double>(row.begin(), row.end())));
        row[place] = -0.0F;
        EXPECT_EQ(hash_of(row), hash);
        EXPECT_EQ(row_hash(std::span<const double>(std::vector<double>(row.begin(), row.end()))), wide_hash);
    }
}

TEST(RowHash, SeesEveryBitOfEveryNumber) {
    std::vector<float> row = some_row(150);
    std::set<std::uint64_t> hashes{hash_of(row)};
    std::size_t count = 1;
    for (float& number : row) {
        const float before = number;
        for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
            number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(before) ^ bit);
            if (number == 0 && before == 0) continue;
            hashes.insert(hash_of(row));
            ++count;
        }
        number = before;
    }
    EXPECT_EQ(hashes.size(), count);
}

// The changes that a weaker sum would let cancel.
TEST(RowHash, SeesChangesThatComeInPairs) {
    const std::vector<float> row = some_row(400);
    std::set<std::vector<float>> rows{row};
    for (std::size_t distance = 1; distance < 300; ++distance) {
        std::vector<float> swapped = row;
        std::swap(swapped[7], swapped[7 + distance]);
        std::vector<float> negated = row;
        negated[7] = -negated[7];
        negated[7 + distance] = -negated[7 + distance];
        std::vector<float> nudged = row;
        nudged[7] = std::nextafter(nudged[7], 100.0F);
        nudged[7 + distance] = std::nextafter(nudged[7 + distance], -100.0F);
        rows.insert({swapped, negated, nudged});
    }
    std::vector<float> all = row;
    for (float& number : all) number = -number;
    rows.insert(all);
    std::set<std::uint64_t> hashes;
    for (const auto& changed : rows) hashes.insert(hash_of(changed));
    EXPECT_EQ(hashes.size(), rows.size());
    EXPECT_GT(rows.size(), 890U);
}

TEST(RowHash, ChainsDependOnTheOrderOfTheRows) {
    EXPECT_EQ(chained(chained(0, 1), 2), chained(chained(0, 1), 2));
    EXPECT_NE(chained(chained(0, 1), 2), chained(chained(0, 2), 1));
    EXPECT_NE(chained(0, 1), chained(chained(0, 0), 1));
    EXPECT_NE(chained(0, 0), chained(chained(0, 0), 0));
}

}  // namespace
}  // namespace quillmate
