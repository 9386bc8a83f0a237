#pragma once

#define XSIMD_WITH_EMULATED 1
#include <xsimd/config/xsimd_config.hpp>

// xsimd takes WebAssembly for vectors even where the build has none, and leaves itself out where it finds no vectors at all.
#if XSIMD_WITH_WASM && !defined(__wasm_simd128__)
#undef XSIMD_WITH_WASM
#define XSIMD_WITH_WASM 0
#define XSIMD_NO_SUPPORTED_ARCHITECTURE
#endif
#ifdef XSIMD_NO_SUPPORTED_ARCHITECTURE
#undef XSIMD_NO_SUPPORTED_ARCHITECTURE
#define QUILLMATE_EMULATED_BATCHES
#endif

#include <xsimd/xsimd.hpp>

namespace quillmate::detail {

// As many floats as the target's vectors hold; four, one after the other, where it has none.
#ifdef QUILLMATE_EMULATED_BATCHES
using FloatBatch = xsimd::batch<float, xsimd::emulated<128>>;
#else
using FloatBatch = xsimd::batch<float>;
#endif

}  // namespace quillmate::detail
