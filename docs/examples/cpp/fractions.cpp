// The oracle: the probability that a draft token stands, and the law of what comes instead, as fractions. Wants Boost's headers.
#include <array>
#include <cstdio>
#include <quillmate/exact/categorical.hpp>
#include <quillmate/exact/number.hpp>

int main() {
    using namespace quillmate::exact;
    const std::array p_weights{Rational(34, 100), Rational(33, 100), Rational(33, 100)};
    const std::array q_weights{Rational(80, 100), Rational(15, 100), Rational(5, 100)};
    const auto p = Categorical::dense(p_weights);
    const auto q = Categorical::dense(q_weights);
    if (!p || !q) return 1;
    const auto stands = acceptance(*p, *q, 0);
    const auto instead = residual(*p, *q);
    if (!stands || !instead) return 1;
    std::printf("%s, or token 1 with %s\n", to_text(*stands).c_str(), to_text(instead->prob(1).value()).c_str());
}
