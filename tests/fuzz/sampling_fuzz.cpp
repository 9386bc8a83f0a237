// A row, settings and u: sample_token, sample_batch and distribution, and every level behind them.
//
// Input: the element type (1 byte), temperature (8), top_k (8), top_p (8), u (8); where u and top_p are to lie (2 bytes, see
// aim()); the size of the row (2) and the bits that vary (1, see row_of()); then the first elements of the row, as they lie in
// memory.

#include "fuzz.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "level.hpp"
#include "quillmate/sampling.hpp"
#include "quillmate/uniform.hpp"

namespace quillmate::fuzz {
namespace {

using detail::Level;

constexpr std::size_t longest = 4096;  // bounds on blocks are tried from 2048 on

// Long rows from few bytes: the given elements again and again, from the second time on with the lowest bits replaced by noise.
std::vector<std::byte> row_of(std::span<const std::uint8_t> given, std::size_t element, std::size_t size, unsigned noisy_bits) {
    const std::size_t count = given.size() / element;
    std::vector<std::byte> row(std::max(size, count) * element * (count > 0));
    if (count == 0) return row;
    std::memcpy(row.data(), given.data(), count * element);
    const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << noisy_bits % 32) - 1);
    for (std::size_t i = count; i < row.size() / element; ++i) {
        std::byte* place = row.data() + i * element;
        std::memcpy(place, given.data() + i % count * element, element);
        std::uint32_t bits = 0;
        std::memcpy(&bits, place, std::min(element, sizeof bits));
        bits ^= philox4x32({static_cast<std::uint32_t>(i)}, {})[0] & mask;
        std::memcpy(place, &bits, std::min(element, sizeof bits));
    }
    return row;
}

// The row in binary64. The 16-bit types by arithmetic, which the library does with bits.
std::vector<double> widened(Logits row) {
    std::vector<double> wide(row.size());
    for (std::size_t i = 0; i < wide.size(); ++i) {
        const auto as = [&]<class T>(T value) {
            std::memcpy(&value, static_cast<const std::byte*>(row.data()) + i * sizeof value, sizeof value);
            return value;
        };
        const auto half = [&](int fraction_bits, int bias) {
            const std::uint16_t bits = as(std::uint16_t{});
            const int exponent = (bits & 0x7fff) >> fraction_bits;
            const int fraction = bits & ((1 << fraction_bits) - 1);
            const bool last = exponent == 0x7fff >> fraction_bits;
            const double size = last && fraction > 0 ? NAN
                                : last               ? INFINITY
                                : exponent == 0      ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                                : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
            return (bits & 0x8000) != 0 ? -size : size;
        };
        switch (row.dtype()) {
            case Dtype::float32: wide[i] = static_cast<double>(as(float{})); break;
            case Dtype::float64: wide[i] = as(double{}); break;
            case Dtype::float16: wide[i] = half(10, 15); break;
            case Dtype::bfloat16: wide[i] = half(7, 127); break;
        }
    }
    return wide;
}

// The error of the row itself, by the words of the rules.
std::optional<Error> fault_of(std::span<const double> row) {
    if (row.empty()) return Error{.code = ErrorCode::EMPTY_ROW};
    bool banned = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        if (std::isnan(row[i])) return Error{.code = ErrorCode::NAN_LOGIT, .index = index};
        if (row[i] == INFINITY) return Error{.code = ErrorCode::INFINITE_LOGIT, .index = index};
        banned = banned && row[i] == -INFINITY;
    }
    if (banned) return Error{.code = ErrorCode::ALL_BANNED};
    return std::nullopt;
}

// The token from every level, which must be one.
Result<Token> sample(Logits row, const Settings& settings, double u) {
    const auto token = sample_token(row, settings, u);
    for (const Level first : {Level::blocks, Level::float32, Level::binary64, Level::exact}) {
        const auto decision = detail::decide(first, row, settings, u);
        check(decision.has_value() == token.has_value(), "all levels refuse or none");
        if (token) {
            check(decision->token == *token, "every level decides on the same token");
        } else {
            check(same_error(decision.error(), token.error()), "every level refuses with the same error");
        }
    }
    return token;
}

// Errors come in this order: settings, u, row.
void check_refusal(const Error& error, std::span<const double> row, const Settings& settings, double u) {
    check_error(error, row.size());
    if (const auto valid = validate(settings); !valid) return check(same_error(error, valid.error()), "bad settings are named");
    if (const auto valid = validate_u(u); !valid) return check(same_error(error, valid.error()), "a bad u is named");
    const auto fault = fault_of(row);
    check(fault && fault->code == error.code && fault->index == error.index, "a bad row's first fault is named");
}

// What is kept, as rules 1 to 6 have it. `all`: the row with temperature and top_k alone.
void check_distribution(const Distribution& kept, const Distribution& all, std::span<const double> row,
                        const Settings& settings) {
    const std::size_t n = kept.ids.size();
    check(n > 0 && kept.probabilities.size() == n && n <= row.size(), "something is kept, with a probability each");
    const double sum = std::accumulate(kept.probabilities.begin(), kept.probabilities.end(), 0.0);
    check(std::abs(sum - 1) <= static_cast<double>(n + 1) * 0x1p-52, "probabilities sum to 1");
    double lowest = INFINITY;
    for (std::size_t i = 0; i < n; ++i) {
        check(kept.ids[i] >= 0 && static_cast<std::size_t>(kept.ids[i]) < row.size(), "ids are in range");
        check(i == 0 || kept.ids[i - 1] < kept.ids[i], "ids ascend");
        const double logit = row[static_cast<std::size_t>(kept.ids[i])];
        check(logit != -INFINITY, "a banned token is not kept");
        check(kept.probabilities[i] >= 0 && kept.probabilities[i] <= 1, "a probability is one");
        lowest = std::min(lowest, logit);
    }
    if (settings.temperature == 0) {
        const auto best = std::ranges::max_element(row) - row.begin();
        return check(n == 1 && kept.ids[0] == best, "temperature 0 keeps the first of the largest");
    }

    const auto allowed = static_cast<std::uint64_t>(std::ranges::count_if(row, [](double x) { return x != -INFINITY; }));
    const auto k = settings.top_k == 0 ? allowed : std::min(allowed, static_cast<std::uint64_t>(settings.top_k));
    check(all.ids.size() == k, "top-k keeps exactly k");
    std::vector<bool> is_kept(row.size());
    for (const Token id : kept.ids) is_kept[static_cast<std::size_t>(id)] = true;
    bool dropped_tie = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        check(is_kept[i] || row[i] <= lowest, "a larger logit is kept before a smaller one");
        check(!(is_kept[i] && row[i] == lowest && dropped_tie), "of equal logits the lower ids are kept");
        dropped_tie = dropped_tie || (row[i] == lowest && !is_kept[i]);
    }
    double share = 0;
    double least = INFINITY;
    for (std::size_t i = 0; i < all.ids.size(); ++i) {
        if (!is_kept[static_cast<std::size_t>(all.ids[i])]) continue;
        share += all.probabilities[i];
        least = std::min(least, all.probabilities[i]);
    }
    const double doubt = static_cast<double>(row.size()) * 0x1p-52;
    check(share >= settings.top_p - 0x1p-40 - doubt, "what is kept has the share top-p");
    check(n == 1 || settings.top_p == 1 || share - least < settings.top_p - 0x1p-40 + doubt, "no shorter prefix has it");
}

// Rule 7, as far as rounded probabilities tell.
void check_walk(Token token, const Distribution& kept, double u) {
    const auto place = std::ranges::lower_bound(kept.ids, token);
    check(place != kept.ids.end() && *place == token, "the token is one of those kept");
    const auto at = kept.probabilities.begin() + (place - kept.ids.begin());
    const double before = std::accumulate(kept.probabilities.begin(), at, 0.0);
    const double doubt = static_cast<double>(kept.ids.size() + 1) * 0x1p-52;
    check(before <= u + doubt && before + *at >= u - doubt, "u lies in the token's share of [0, 1)");
}

// Moves u or top_p onto or beside the end of some prefix of what is kept, where only exact comparisons tell right from wrong.
void aim(Logits row, Settings& settings, double& u, std::uint8_t top_p_aim, std::uint8_t u_aim) {
    if (top_p_aim != 0) {
        Settings unfiltered = settings;
        unfiltered.top_p = 1;
        if (const auto all = distribution(row, unfiltered)) {
            std::vector<double> descending = all->probabilities;
            std::ranges::sort(descending, std::greater{});
            const auto end = descending.begin() + 1 + static_cast<std::ptrdiff_t>(top_p_aim / 3 % descending.size());
            settings.top_p = beside(std::accumulate(descending.begin(), end, 0x1p-40), top_p_aim);
        }
    }
    if (u_aim != 0) {
        if (const auto kept = distribution(row, settings)) {
            const auto& p = kept->probabilities;
            u = beside(std::accumulate(p.begin(), p.begin() + 1 + static_cast<std::ptrdiff_t>(u_aim / 3 % p.size()), 0.0),
                       u_aim);
        }
    }
}

// The row as two rows where it has an even length, otherwise as one, with other settings for each.
void check_batch(Logits row, const Settings& settings, double u) {
    const std::size_t rows = row.size() % 2 == 0 && row.size() > 0 ? 2 : 1;
    const std::array draws{Draw{settings, u}, Draw{{.temperature = 0.5, .top_k = 3, .top_p = settings.top_p}, 0.25}};
    constexpr Token untouched = -7;
    std::array out{untouched, untouched, untouched};
    const auto batch = sample_batch(row, std::span(draws).first(rows), std::span(out).first(rows));
    for (std::size_t i = 0; i < rows; ++i) {
        const std::size_t size = row.size() / rows;
        const auto single = sample_token(row.subrow(i * size, size), draws[i].settings, draws[i].u);
        if (!single) {
            check(!batch && batch.error().row == static_cast<std::int64_t>(i), "the first bad row of a batch is named");
            check(same_error(batch.error(), single.error()), "a batch refuses as a single call does");
            break;
        }
        if (batch) check(out[i] == *single, "a batch gives each row its own token");
        check(batch.has_value() || batch.error().row != static_cast<std::int64_t>(i), "a good row is not blamed");
    }
    for (std::size_t i = batch ? rows : 0; i < out.size(); ++i) check(out[i] == untouched, "nothing else is written");
    check(!sample_batch(row, draws, std::span(out).first(1)), "a batch with too few places is refused");
}

void run(Bytes bytes) {
    const auto dtype = static_cast<Dtype>(bytes.take<std::uint8_t>() % 4);
    Settings settings;
    settings.temperature = bytes.take<double>();
    settings.top_k = bytes.take<std::int64_t>();
    settings.top_p = bytes.take<double>();
    auto u = bytes.take<double>();
    const auto u_aim = bytes.take<std::uint8_t>();
    const auto top_p_aim = bytes.take<std::uint8_t>();
    auto size = bytes.take<std::uint16_t>();
    if (size > longest) size = 0;  // most inputs are short rows: fast
    const auto noisy_bits = bytes.take<std::uint8_t>();
    const std::vector<std::byte> data = row_of(bytes.rest(), size_of(dtype), size, noisy_bits);
    const std::vector<std::byte> before = data;
    const Logits row(data.data(), data.size() / size_of(dtype), dtype);
    const std::vector<double> wide = widened(row);
    aim(row, settings, u, top_p_aim, u_aim);

    const auto token = sample(row, settings, u);
    const auto kept = distribution(row, settings);
    check_batch(row, settings, u);
    if (token) {
        check(!fault_of(wide), "a bad row is refused");
        check(kept.has_value(), "what can be sampled has a distribution");
        const auto all = distribution(row, {.temperature = settings.temperature, .top_k = settings.top_k});
        check_distribution(*kept, *all, wide, settings);
        check_walk(*token, *kept, u);
    } else {
        check_refusal(token.error(), wide, settings, u);
        if (!kept) check_refusal(kept.error(), wide, settings, 0);
        check(!kept || token.error().code == ErrorCode::INVALID_U, "distribution refuses what sampling refuses, but for u");
    }
    const auto wide_token = sample(std::span<const double>(wide), settings, u);
    check(wide_token.has_value() == token.has_value() && (!token || *wide_token == *token), "binary64 gives the same token");
    check(data == before, "the row is read only");
}

}  // namespace
}  // namespace quillmate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    quillmate::fuzz::run({data, size});
    return 0;
}
