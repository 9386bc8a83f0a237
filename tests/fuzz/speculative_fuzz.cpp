// Two lists of weights: speculative_step and emitted_distribution, against the rules in whole numbers of any size.
//
// Input: the draft token (4 bytes), u_accept (8), u_resample (8), where they are to lie (2, see aim()), how much longer the
// target is than the draft (1); then pairs of a target's and a draft's weight (8 bytes each).

#include "fuzz.hpp"

#include <numeric>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "quillmate/speculative.hpp"

namespace quillmate::fuzz {
namespace {

using Integer = boost::multiprecision::cpp_int;

struct Input {
    Token draft;
    double u_accept;
    double u_resample;
    std::vector<double> target;
    std::vector<double> proposal;
};

// A finite double >= 0 in units of 2^-1074, the smallest there is.
Integer whole(double value) {
    int exponent = 0;
    const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
    const int shift = exponent - 53 + 1074;
    return shift >= 0 ? Integer(mantissa) << shift : Integer(mantissa) >> -shift;  // what is shifted out is zeros
}

// p_i and q_i times the product of both totals.
class Oracle {
public:
    Oracle(std::span<const double> target, std::span<const double> proposal) {
        Integer target_total = 0;
        Integer proposal_total = 0;
        for (const double weight : target) target_total += whole(weight);
        for (const double weight : proposal) proposal_total += whole(weight);
        for (const double weight : target) p_.push_back(whole(weight) * proposal_total);
        for (const double weight : proposal) q_.push_back(whole(weight) * target_total);
        one_ = target_total * proposal_total;
    }
    [[nodiscard]] Speculation step(const Input& input) const {
        const auto draft = static_cast<std::size_t>(input.draft);
        if (whole(input.u_accept) * q_[draft] < (p_[draft] << 1074)) return {input.draft, true};
        const Integer target = whole(input.u_resample) * residual_total();
        Integer running = 0;
        for (std::size_t i = 0;; ++i) {
            running += residual(i);
            if ((running << 1074) > target) return {static_cast<Token>(i), false};
        }
    }
    [[nodiscard]] double p(std::size_t i) const { return ratio(p_[i], one_); }
    [[nodiscard]] double alpha() const { return ratio(one_ - residual_total(), one_); }
    [[nodiscard]] double ratio_of_draft(std::size_t i) const { return q_[i] == 0 ? 1 : ratio(p_[i], q_[i]); }
    // The share of the residual that tokens up to i have.
    [[nodiscard]] double residual_share(std::size_t i) const {
        Integer running = 0;
        for (std::size_t j = 0; j <= i; ++j) running += residual(j);
        return residual_total() == 0 ? 0 : ratio(running, residual_total());
    }

private:
    [[nodiscard]] Integer residual(std::size_t i) const { return p_[i] > q_[i] ? Integer(p_[i] - q_[i]) : Integer(0); }
    [[nodiscard]] Integer residual_total() const {
        Integer total = 0;
        for (std::size_t i = 0; i < p_.size(); ++i) total += residual(i);
        return total;
    }
    // At most 2^-62 too small; at most 1.
    static double ratio(const Integer& a, const Integer& b) {
        return a >= b ? 1 : std::ldexp(static_cast<double>(Integer((a << 62) / b)), -62);
    }
    std::vector<Integer> p_, q_;
    Integer one_;
};

// Moves u_accept onto or beside the ratio p / q of the draft, and u_resample onto or beside the end of a token's share.
void aim(Input& input, std::uint8_t accept_aim, std::uint8_t resample_aim) {
    if (!emitted_distribution(input.target, input.proposal)) return;
    const Oracle oracle(input.target, input.proposal);
    const std::size_t n = input.target.size();
    if (accept_aim != 0 && input.draft >= 0 && static_cast<std::size_t>(input.draft) < n) {
        input.u_accept = beside(oracle.ratio_of_draft(static_cast<std::size_t>(input.draft)), accept_aim);
    }
    if (resample_aim != 0) input.u_resample = beside(oracle.residual_share(resample_aim / 3 % n), resample_aim);
}

void check_emitted(const EmittedDistribution& emitted, const Oracle& oracle) {
    const std::vector<double>& law = emitted.distribution;
    const double n = static_cast<double>(law.size());
    check(std::abs(std::accumulate(law.begin(), law.end(), 0.0) - 1) <= (n + 2) * 0x1p-50, "the emitted law sums to 1");
    for (std::size_t i = 0; i < law.size(); ++i) {
        check(std::abs(law[i] - oracle.p(i)) <= 1e-12, "the emitted law is the target's");
    }
    check(emitted.alpha >= 0 && emitted.alpha <= 1, "the chance of acceptance is a probability");
    check(std::abs(emitted.alpha - oracle.alpha()) <= (n + 2) * 0x1p-50, "and is 1 - TV(p, q)");
}

void run(Bytes bytes) {
    Input input{};
    input.draft = bytes.take<std::int32_t>();
    input.u_accept = bytes.take<double>();
    input.u_resample = bytes.take<double>();
    const auto accept_aim = bytes.take<std::uint8_t>();
    const auto resample_aim = bytes.take<std::uint8_t>();
    const std::size_t longer = bytes.take<std::uint8_t>() % 4;
    constexpr std::size_t most = 64;
    while (!bytes.rest().empty() && input.target.size() < most) {
        input.target.push_back(bytes.take<double>());
        input.proposal.push_back(bytes.take<double>());
    }
    if (longer == 3) input.target.push_back(1);
    const std::size_t n = input.target.size();
    aim(input, accept_aim, resample_aim);

    const auto step = speculative_step(input.target, input.proposal, input.draft, input.u_accept, input.u_resample);
    const auto emitted = emitted_distribution(input.target, input.proposal);
    if (!emitted) {
        check_error(emitted.error(), n);
        return check(!step && same_error(step.error(), emitted.error()), "bad weights are refused by both");
    }
    const Oracle oracle(input.target, input.proposal);
    check_emitted(*emitted, oracle);
    if (!step) {
        check_error(step.error(), n);
        const bool in_range = input.draft >= 0 && static_cast<std::size_t>(input.draft) < n;
        const bool usable = in_range && input.proposal[static_cast<std::size_t>(input.draft)] > 0;
        return check(!usable || !validate_u(input.u_accept) || !validate_u(input.u_resample), "good input is not refused");
    }
    const Speculation expected = oracle.step(input);
    check(step->accepted == expected.accepted, "a draft is accepted when u q < p");
    check(step->token == expected.token, "the token is the draft, or the residual's");
}

}  // namespace
}  // namespace quillmate::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    quillmate::fuzz::run({data, size});
    return 0;
}
