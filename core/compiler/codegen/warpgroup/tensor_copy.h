// An asynchronous copy between global and shared memory as TMA does it: a box of the array in global memory,
// whose dimensions are those of the array in shared memory as they lie there, tiles and all.
#pragma once

#include "core/compiler/codegen/warpgroup/launch_form.h"

namespace hilo::warpgroup {

struct TensorCopy {
  bool isLoad = true;
  inference::ValueId global = 0, shared = 0;
  size_t sharedOperand = 0, firstIndex = 0;
  std::optional<size_t> predicate;  // the operand

  // From the fastest on. The coordinate of a dimension is the index `index` of the operation divided by
  // `divisor`; of inner pieces of a dimension it is 0.
  struct Coordinate {
    std::optional<size_t> index;
    int64_t divisor = 1;
  };
  std::vector<Coordinate> coordinates;
  TensorBox box;
};

bool isTensorCopy(const inference::KernelOp& op);
// "kernel-lowering" of what TMA does not do so: gathers, several blocks or devices at once, reductions, more
// than five dimensions, strides that are no multiples of 16 bytes.
Result<TensorCopy> tensorCopyOf(const inference::KernelDescription& kernel, const inference::KernelOp& op,
                                const inference::SharedTransforms& transforms);

}  // namespace hilo::warpgroup
