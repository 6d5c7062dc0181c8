// Tiles and swizzles of shared memory to try.
#pragma once

#include "core/analysis/kernel_layouts/inference/constraint_system.h"

namespace hilo::inference {

// 8 rows by the swizzle's width, in the order of the memory's strides, from wide to narrow; cut to what
// `divides` (may be null) allows. Empty where the last two dimensions are not those of the smallest strides.
std::vector<SharedTransforms> transformsForRegisters(const LayoutVariable& variable, const Divides* divides);

// What a matrix product reads; of a transposed operand the tile is transposed.
std::vector<SharedTransforms> transformsForMma(const Sizes& shape, int64_t elementBits, bool isTransposed);

}  // namespace hilo::inference
