#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>

namespace quillmate::statistics {

// The probability, under the hypothesis, of a statistic at least as large. Near 1 is as suspicious as near 0: too even.
inline double chi_square_p(double statistic, double degrees) {
    return cdf(complement(boost::math::chi_squared(degrees), statistic));
}
inline double normal_p(double z) { return cdf(complement(boost::math::normal(), z)); }

// Pearson's statistic of counts against probabilities. Neighbouring bins are merged until at least 25 are expected in each,
// where the chi-square law is a good approximation.
inline double counts_p(std::span<const double> counts, std::span<const double> probabilities, double total) {
    constexpr double least = 25;
    double statistic = 0;
    double degrees = -1;
    double count = 0;
    double expected = 0;
    const auto close = [&] {
        statistic += (count - expected) * (count - expected) / expected;
        ++degrees;
        count = expected = 0;
    };
    double left = total;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        count += counts[i];
        expected += probabilities[i] * total;
        left -= probabilities[i] * total;
        if (expected >= least && left >= least) close();
    }
    close();
    return degrees < 1 ? 0 : chi_square_p(statistic, degrees);
}

struct Finding {
    std::string test;
    std::string of;  // which numbers were tested
    double p;
};
using Findings = std::vector<Finding>;

// Two-sided, for a p-value that is one of `family`: all of them together reject a perfect generator with probability 1 %.
inline bool is_rejected(double p, std::size_t family) {
    const double limit = 0.01 / static_cast<double>(family);
    return !(p >= limit / 2 && p <= 1 - limit / 2);
}

}  // namespace quillmate::statistics
