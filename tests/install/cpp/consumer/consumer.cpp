// A user of the library: exits with 0 when it draws the token of the README's example.
#include <cmath>
#include <quillmate/quillmate.hpp>
#include <quillmate/random_streams.hpp>
#include <quillmate/speculative_block.hpp>
#include <span>
#include <vector>

int main() {
    std::vector<float> logits;
    for (const double probability : {0.05, 0.5, 0.15, 0.3}) logits.push_back(static_cast<float>(std::log(probability)));
    const auto token = quillmate::sample_token(std::span<const float>(logits), {.top_p = 0.75}, 0.7);
    const bool same_number = quillmate::uniform(1, 0) == 0.8902591757080309;
    return token && *token == 3 && same_number ? 0 : 1;
}
