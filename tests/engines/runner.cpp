// quillmate_engine <vector file>: runs the vectors through the core and prints, as JSON, how many values were hashed and the hash
// after each case; runner.ts does the same, in the same order, with the package. What only the core shows is hashed apart.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "digest.hpp"
#include "exponential.hpp"
#include "fixtures.hpp"
#include "level.hpp"
#include "quillmate/quillmate.hpp"

namespace quillmate::test {
namespace {

// The cases of all documents of a section.
std::vector<Json> cases_of(const Json& vectors, const char* section, const char* list = "cases") {
    std::vector<Json> cases;
    for (const Json& document : vectors.at(section))
        cases.insert(cases.end(), document.at(list).begin(), document.at(list).end());
    return cases;
}

// A row of any element type; of 16 bits the numbers are patterns.
class AnyRow {
public:
    explicit AnyRow(const Json& test_case) : row_({}, Dtype::float32) {
        const std::string dtype = test_case.at("dtype");
        if (dtype != "float16" && dtype != "bfloat16") {
            row_ = Row(test_case);
            return;
        }
        half_ = dtype == "float16" ? Dtype::float16 : Dtype::bfloat16;
        for (const double pattern : numbers(test_case.at("logits"))) patterns_.push_back(static_cast<std::uint16_t>(pattern));
    }

    [[nodiscard]] Logits logits() const {
        return patterns_.empty() ? row_.logits() : Logits(patterns_.data(), patterns_.size(), half_);
    }

private:
    Row row_;
    Dtype half_ = Dtype::float16;
    std::vector<std::uint16_t> patterns_;
};

// A refusal is a result as well.
template <class T>
bool add_refusal(Digest& digest, const Result<T>& result) {
    if (result.has_value()) return false;
    digest.add(error_name(result.error().code));
    digest.add(static_cast<double>(result.error().index));
    return true;
}

// The case's own settings, or its list of some to try one after the other.
std::vector<Settings> settings_list(const Json& test_case) {
    if (!test_case.contains("settings")) return {settings_of(test_case)};
    std::vector<Settings> list;
    for (const Json& settings : test_case["settings"]) list.push_back(settings_of(settings));
    return list;
}

std::vector<double> draws_of(const Json& test_case) {
    std::vector<double> us;
    for (const Json& draw : test_case.value("draws", Json::array())) us.push_back(number(draw[0]));
    return us;
}

void add_draws(Digest& digest, Logits logits, const Settings& settings, const std::vector<double>& us) {
    const auto draw = [&](double u) {
        const auto token = sample_token(logits, settings, u);
        if (!add_refusal(digest, token)) digest.add(*token);
    };
    std::ranges::for_each(us, draw);
    const auto kept = distribution(logits, settings);
    if (add_refusal(digest, kept)) return;
    digest.add(static_cast<double>(kept->ids.size()));
    for (const Token id : kept->ids) digest.add(id);
    for (const double probability : kept->probabilities) digest.add(probability);
    // At about four of the boundaries between tokens, and beside them.
    const std::size_t stride = (kept->ids.size() + 3) / 4;
    double running = 0;
    for (std::size_t i = 0; i < kept->ids.size(); ++i) {
        running += kept->probabilities[i];
        if (i % stride != 0) continue;
        for (const double u : {running, running * (1 - 0x1p-53), running * (1 + 0x1p-52)}) {
            if (u < 1) draw(u);
        }
    }
}

void add_sampling(Digest& digest, const Json& test_case) {
    const AnyRow row(test_case);
    for (const Settings& settings : settings_list(test_case)) add_draws(digest, row.logits(), settings, draws_of(test_case));
}

void add_batch(Digest& digest, const Json& test_case) {
    Row logits({}, dtype_of(test_case));
    for (const Json& row : test_case.at("rows")) logits.append(Row(numbers(row), dtype_of(test_case)));
    std::vector<Draw> draws;
    for (const Json& row : test_case.at("settings")) draws.push_back({settings_of(row), number(row.at("u"))});
    std::vector<Token> tokens(draws.size());
    if (!sample_batch(logits.logits(), draws, tokens)) throw std::runtime_error("a batch was refused");
    for (const Token token : tokens) digest.add(token);
}

void add_speculative(Digest& digest, const Json& test_case) {
    const auto p = numbers(test_case.at("p"));
    const auto q = numbers(test_case.at("q"));
    for (const Json& draw : test_case.at("draws")) {
        const auto [token, accepted] =
            speculative_step(p, q, test_case.at("draft").get<Token>(), number(draw[0]), number(draw[1])).value();
        digest.add(token);
        digest.add(accepted ? 1 : 0);
    }
}

void add_emitted(Digest& digest, const Json& test_case) {
    const auto [distribution, alpha] = emitted_distribution(numbers(test_case.at("p")), numbers(test_case.at("q"))).value();
    for (const double probability : distribution) digest.add(probability);
    digest.add(alpha);
}

void add_run(Digest& digest, const Json& run) {
    ModelIdentity identity;
    if (run.contains("identity")) {
        for (const auto& [name, value] : run["identity"].items()) identity.emplace_back(name, value.get<std::string>());
    }
    const auto prompt = run.at("prompt").get<std::vector<Token>>();
    Generator generator = Generator::create(prompt, uint64(run.at("seed")), settings_of(run), identity, audit_of(run)).value();
    for (int i = 0; i < 15; ++i) {
        const std::string state = generator.state();
        digest.add(state);
        generator = Generator::from_state(state).value();
        const auto vocab_size = run.at("vocabSize").get<std::size_t>();
        const Row row = toy_row(generator.tokens(), uint64(run.at("modelSeed")), vocab_size, dtype_of(run));
        digest.add(generator.step(row.logits()).value());
    }
}

Digest run(const Json& vectors) {
    Digest digest;
    for (const Json& arguments : cases_of(vectors, "uniform", "uniform")) {
        const auto text = [&](const char* name) { return arguments.at(name).get<std::string>(); };
        digest.add(uniform(uint64(arguments["seed"]), uint64(arguments["step"]), uint64(arguments["stream"])));
        digest.mark("uniform(" + text("seed") + ", " + text("step") + ", " + text("stream") + ")");
    }
    const auto section = [&](const char* name, void (*add)(Digest&, const Json&), const char* list = "cases") {
        for (const Json& test_case : cases_of(vectors, name, list)) {
            add(digest, test_case);
            digest.mark(test_case.at("name"));
        }
    };
    section("sampling", add_sampling);
    section("batch", add_batch);
    section("speculative", add_speculative);
    section("emitted", add_emitted);
    section("generator", add_run, "runs");
    return digest;
}

// The weights, bit by bit, and the token that each level draws.
Digest run_core(const Json& vectors) {
    Digest digest;
    for (const Json& test_case : cases_of(vectors, "exponential")) {
        for (const Json& value : test_case.at("values")) digest.add(detail::exp_rounded(number(value[0])));
        digest.mark(test_case.at("name"));
    }
    for (std::uint64_t i = 0; i < 100'000; ++i) digest.add(detail::exp_rounded(-750 * uniform(1, i)));
    digest.mark("100,000 weights");
    for (const Json& test_case : cases_of(vectors, "sampling")) {
        const AnyRow row(test_case);
        const std::vector<double> us = draws_of(test_case);
        const double u = us.empty() ? 0.5 : us[us.size() / 2];
        for (const Settings& settings : settings_list(test_case)) {
            for (int level = 0; level < detail::level_count; ++level) {
                const auto decision = detail::decide(static_cast<detail::Level>(level), row.logits(), settings, u);
                if (!add_refusal(digest, decision)) digest.add(decision->token);
            }
        }
        digest.mark(std::string(test_case.at("name")) + ", at every level");
    }
    return digest;
}

std::string hexadecimal(std::uint64_t number) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
    return text.data();
}

Json to_json(const Digest& digest) {
    Json marks = Json::array();
    for (const auto& [name, hash] : digest.marks()) marks.push_back({{"name", name}, {"hash", hexadecimal(hash)}});
    return {{"values", digest.values()}, {"marks", marks}};
}

}  // namespace
}  // namespace quillmate::test

int main(int count, char** arguments) {
    using namespace quillmate::test;
    std::ifstream file(count == 2 ? arguments[1] : "");
    const Json vectors = Json::parse(file);
    std::cout << Json{{"package", to_json(run(vectors))}, {"core", to_json(run_core(vectors))}} << '\n';
}
