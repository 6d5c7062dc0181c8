// What divides a number that a kernel computes, as far as its operations say.
#pragma once

#include "core/analysis/kernel_layouts/inference/kernel_description.h"

namespace hilo::inference {

// A divisor of `size` (positive) that is known to divide the value too: gcd with a constant; of other values
// the product of as many prime factors of `size` as are seen to divide it. 1 of vectors.
int64_t commonDivisor(const KernelDescription& kernel, int64_t size, ValueId value);

}  // namespace hilo::inference
