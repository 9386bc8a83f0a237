// fuzz_seeds FOLDER: writes the golden fixtures as inputs of the targets, one folder a target, each as its head describes.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "fixtures.hpp"
#include "quillmate/sampling.hpp"

namespace quillmate::test {
namespace {

class Folder {
public:
    explicit Folder(std::filesystem::path path) : path_(std::move(path)) { std::filesystem::create_directories(path_); }

    void add(const std::string& bytes) {
        std::ofstream(path_ / std::to_string(count_++), std::ios::binary).write(bytes.data(), std::ssize(bytes));
    }
    [[nodiscard]] int count() const { return count_; }

private:
    std::filesystem::path path_;
    int count_ = 0;
};

template <class T>
void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

constexpr std::size_t longest = 600;  // tokens: libFuzzer is at its best with small inputs, and makes long rows itself

void add_row(Folder& folder, const Row& row, Dtype dtype, const Settings& settings, double u) {
    if (row.size() > longest) return;
    std::string bytes;
    append(bytes, dtype);
    append(bytes, settings.temperature);
    append(bytes, settings.top_k);
    append(bytes, settings.top_p);
    append(bytes, u);
    const bool again = folder.count() % 16 == 0;  // some of them as the beginning of a long row
    append(bytes, static_cast<std::uint8_t>(folder.count() % 5));
    append(bytes, static_cast<std::uint8_t>(folder.count() % 7));
    append(bytes, static_cast<std::uint16_t>(again ? 2048 + folder.count() : 0));
    append(bytes, static_cast<std::uint8_t>(folder.count() % 24));
    bytes.append(static_cast<const char*>(row.logits().data()), row.size() * size_of(dtype));
    folder.add(bytes);
}

void write_sampling(Folder folder) {
    for (const char* file : {"sampling.json", "boundaries.json"}) {
        for (const Json& test_case : read_fixture(file, "cases")) {
            const Json& draws = test_case["draws"];
            const double u = draws.empty() ? 0.5 : number(draws[0][0]);
            add_row(folder, Row(test_case), dtype_of(test_case), settings_of(test_case), u);
        }
    }
    // Rows that are refused, and the 16-bit types: two elements for each of a float32.
    for (const double bad : {-HUGE_VAL, HUGE_VAL, std::nan("")}) {
        add_row(folder, Row({1, bad, 3}, Dtype::float64), Dtype::float64, {}, 0.5);
    }
    const Row row({0.5, -1.25, 3, 2.75, -8, 1}, Dtype::float32);
    for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16}) add_row(folder, row, dtype, {0.7, 4, 0.9}, 0.25);
}

void write_states(Folder folder) {
    for (const Json& run : read_fixture("generator.json", "runs")) {
        folder.add(run["freshState"].dump());
        folder.add(run["stateAfter7"].dump());
    }
    for (const Json& refused : read_fixture("generator.json", "refusedStates")) folder.add(refused["state"].dump());
    for (const Json& refused : read_fixture("generator.json", "refusedTexts")) folder.add(refused["text"].get<std::string>());
}

void write_speculations(Folder folder) {
    for (const Json& test_case : read_fixture("speculative.json", "cases")) {
        const std::vector<double> target = numbers(test_case["p"]);
        const std::vector<double> proposal = numbers(test_case["q"]);
        for (const Json& draw : test_case["draws"]) {
            std::string bytes;
            append(bytes, test_case["draft"].get<Token>());
            append(bytes, number(draw[0]));
            append(bytes, number(draw[1]));
            append(bytes, static_cast<std::uint8_t>(folder.count() % 5));
            append(bytes, static_cast<std::uint16_t>(folder.count() % 7));
            for (std::size_t i = 0; i < std::min<std::size_t>(target.size(), 64); ++i) {
                append(bytes, target[i]);
                append(bytes, proposal[i]);
            }
            folder.add(bytes);
        }
    }
}

}  // namespace
}  // namespace quillmate::test

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    quillmate::test::write_sampling(quillmate::test::Folder(folder / "sampling"));
    quillmate::test::write_states(quillmate::test::Folder(folder / "state"));
    quillmate::test::write_speculations(quillmate::test::Folder(folder / "speculative"));
    return 0;
}
