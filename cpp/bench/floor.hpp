#pragma once

#include <cstddef>

// What reading a row costs: the floors beside which the sampler's times are put. The row has whole blocks or is read up to its
// last whole block. C names, for the WebAssembly build that has nothing else.
extern "C" {

// The largest of the maxima of the blocks, which are kept: the pass that every setting needs.
float quillmate_block_maxima(const float* row, std::size_t size);

// The maximum, then the sum of a float exponential of every logit: what a softmax needs at the least.
float quillmate_softmax_sum(const float* row, std::size_t size);
}
