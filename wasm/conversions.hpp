#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <emscripten/val.h>

#include "quillmate/quillmate.hpp"

// What lies between JavaScript's numbers and the core's types and is not a row of the table in bindings.cpp.
// Functions that can fail return a number of 0 or more, or minus the code of the error; the error_ functions then have the rest,
// until the next failure.
namespace quillmate::wasm {

// A place in the module's memory; a number in JavaScript. Callers lay their rows there first, see Buffer.
using Address = std::uintptr_t;

// A list of strings.
EMSCRIPTEN_DECLARE_VAL_TYPE(StringList)

[[nodiscard]] int error_code();
[[nodiscard]] double error_index();
[[nodiscard]] std::string error_value();
[[nodiscard]] std::string error_detail();

// Memory for rows and settings that lives as long as the JavaScript object that owns it.
class Buffer {
public:
    // The address of at least that many bytes, or 0 when there is no memory for them; earlier contents and addresses are gone
    // when it has to grow.
    [[nodiscard]] Address reserve(std::size_t bytes);

private:
    std::unique_ptr<std::byte[]> data_;
    std::size_t size_ = 0;
};

// The token. top_k comes as a double, as everything does, and must be whole.
[[nodiscard]] int sample_token(Address logits, std::size_t size, int dtype, double temperature, double top_k, double top_p,
                               double u);

// Writes up to size ids (int32) and probabilities (double) and returns how many.
[[nodiscard]] int distribution(Address logits, std::size_t size, int dtype, double temperature, double top_k, double top_p,
                               Address ids, Address probabilities);

struct SpeculationReport {
    int token = 0;  // or minus the code of the error
    bool accepted = false;
};
// p and q are doubles.
[[nodiscard]] SpeculationReport speculative_step(Address p, std::size_t p_size, Address q, std::size_t q_size,
                                                 double draft_token, double u_accept, double u_resample);

// Writes the law of the emitted token, p_size doubles, to out and returns alpha.
[[nodiscard]] double emitted_distribution(Address p, std::size_t p_size, Address q, std::size_t q_size, Address out);

// Null on an error, else the caller's. The prompt's tokens are doubles; identity lists names and values in turn.
[[nodiscard]] Generator* create_generator(Address prompt, std::size_t size, std::uint64_t seed, double temperature,
                                          double top_k, double top_p, const StringList& identity, int audit);
[[nodiscard]] Generator* generator_from_state(const std::string& json);
[[nodiscard]] Generator* replay_generator(const std::string& json, const StringList& identity);
[[nodiscard]] Generator* branch_generator(const Generator& generator, double position, std::uint64_t seed);

// The token.
[[nodiscard]] int generator_step(Generator& generator, Address logits, std::size_t size, int dtype);

// Positions in the text, or -1 each where no mismatch is known.
struct MismatchReport {
    double first = -1;
    double last = -1;
};
[[nodiscard]] MismatchReport generator_mismatch(const Generator& generator);

}  // namespace quillmate::wasm
