#include "floor.hpp"

#include <limits>
#include <vector>

#include "kernels.hpp"

namespace {

using quillmate::detail::FloatBatch;
using Kernel = quillmate::detail::Kernels<FloatBatch>;

std::vector<float> maxima;

}  // namespace

float quillmate_block_maxima(const float* row, std::size_t size) {
    maxima.resize(size / Kernel::block_size * Kernel::lanes);
    FloatBatch sum(0);
    FloatBatch largest(-std::numeric_limits<float>::infinity());
    for (std::size_t i = 0; i + Kernel::block_size <= size; i += Kernel::block_size) {
        const FloatBatch block = Kernel::scan(row + i, sum);
        block.store_unaligned(maxima.data() + i / Kernel::block_size * Kernel::lanes);
        largest = Kernel::larger(largest, block);
    }
    const float most = xsimd::reduce_max(largest);
    return xsimd::reduce_add(sum) < std::numeric_limits<float>::infinity() ? most : 0;  // uses the sum
}

float quillmate_softmax_sum(const float* row, std::size_t size) {
    const FloatBatch peak(quillmate_block_maxima(row, size));
    const FloatBatch scale(1.442695F);
    FloatBatch sum(0);
    FloatBatch other(0);  // does not wait for the first
    for (std::size_t i = 0; i < size / Kernel::block_size * Kernel::block_size; i += 2 * Kernel::lanes) {
        sum += Kernel::exp2(Kernel::exponent(FloatBatch::load_unaligned(row + i), peak, scale));
        other += Kernel::exp2(Kernel::exponent(FloatBatch::load_unaligned(row + i + Kernel::lanes), peak, scale));
    }
    return xsimd::reduce_add(sum + other);
}
