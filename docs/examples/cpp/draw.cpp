// Draws the token of the README's first example, then writes a text, goes on with its state, and says both.
#include <cmath>
#include <cstdio>
#include <quillmate/quillmate.hpp>
#include <span>
#include <vector>

int main() {
    std::vector<float> logits;
    for (const double probability : {0.05, 0.5, 0.15, 0.3}) logits.push_back(static_cast<float>(std::log(probability)));
    const std::span<const float> row(logits);

    const auto token = quillmate::sample_token(row, {.top_p = 0.75}, 0.7);
    if (!token) {
        std::puts(quillmate::error_message(token.error()).c_str());
        return 1;
    }
    std::printf("token %d\n", *token);

    auto generator = quillmate::Generator::create({}, 42, {.temperature = 0.8});
    for (int i = 0; i < 4 && generator; ++i) {
        if (!generator->step(row)) return 1;
    }
    auto later = quillmate::Generator::from_state(generator->state());
    if (!later || !later->step(row)) return 1;
    for (const auto drawn : later->tokens()) std::printf("%d ", drawn);
    std::puts("");
}
