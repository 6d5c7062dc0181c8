// Scales of block-scaled operands as cuDNN's kernel reads them: padded to rows of 128 and 4 blocks, and
// swizzled (core/hlo/expand/block_scaling.h).
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// One of reshapeTo and whatever else keeps the order of elements.
using KeepsOrder = Instruction* (*)(Instruction*, std::span<const int64_t>, Instruction&);

int64_t roundedUp(int64_t size, int64_t multiple);
// The sizes with these of the last two dimensions.
std::vector<int64_t> withRows(Shape shape, int64_t rows, int64_t columns);
// The value followed by `fill` up to `sizes`.
Instruction* paddedWith(Instruction* value, const std::vector<int64_t>& sizes, double fill,
                        Instruction& before);

// Of as many rows, a multiple of 128. Ones stand where there are none: f8e8m0fnu has no zero.
Instruction* scalesForCudnn(Instruction* scales, int64_t rows, KeepsOrder reshape, Instruction& before);
// The way back to scales of these sizes.
Instruction* scalesFromCudnn(Instruction* swizzled, std::span<const int64_t> sizes, KeepsOrder reshape,
                             Instruction& before);

}  // namespace hilo
