#include "quillmate/exact/exact_laws.hpp"

#include <array>

namespace quillmate::exact {
namespace {

Integer sum_of(std::span<const Integer> tickets) {
    Integer sum = 0;
    for (const Integer& count : tickets) sum += count;
    return sum;
}

std::size_t holder_of(std::span<const Integer> tickets, Integer ticket) {
    std::size_t i = 0;
    for (; ticket >= tickets[i]; ++i) ticket -= tickets[i];
    return i;
}

}  // namespace

std::size_t choose_by_rejection(std::span<const Integer> tickets, const RandomStream& stream, std::uint32_t position) {
    return holder_of(tickets, random_below(sum_of(tickets), stream, position));
}

std::size_t choose_by_uniform(std::span<const Integer> tickets, const RandomStream& stream, std::uint32_t position) {
    const auto multiple = static_cast<std::uint64_t>(stream.uniform(position) * 0x1p53);
    // Whole numbers exceed a number when they exceed its floor.
    return holder_of(tickets, (sum_of(tickets) * multiple) >> 53);
}

Result<Speculation> ExactLaws::speculate(const Law& p, const Law& q, Token token, const RandomStreams& streams,
                                         std::uint32_t position) const {
    const auto ratio = acceptance(p, q, token);
    if (!ratio) return std::unexpected(ratio.error());
    const Integer taken = boost::multiprecision::numerator(*ratio);
    const std::array<Integer, 2> tickets{taken, Integer(boost::multiprecision::denominator(*ratio) - taken)};
    if (choose(tickets, streams.acceptance(), position) == 0) return Speculation{token, true};
    const auto rest = residual(p, q);
    if (!rest) return std::unexpected(rest.error());
    const auto correction = draw(*rest, streams.correction(), position);
    if (!correction) return std::unexpected(correction.error());
    return Speculation{*correction, false};
}

}  // namespace quillmate::exact
