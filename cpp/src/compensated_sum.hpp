#pragma once

#include <cmath>

namespace quillmate::detail {

// Neumaier's compensated sum ("Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 1974). The sum of
// n numbers of one sign, n below 2^26, is off by less than 2^-52 of it: 2^-53 for the last rounding, n^2 2^-106 for the rest.
class CompensatedSum {
public:
    void add(double term) {
        const double sum = sum_ + term;
        rest_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
        sum_ = sum;
    }
    [[nodiscard]] double value() const { return sum_ + rest_; }

private:
    double sum_ = 0;
    double rest_ = 0;
};

}  // namespace quillmate::detail
