// Register and tensor memory layouts to try for one side of a constraint whose other side is known.
#pragma once

#include "core/analysis/kernel_layouts/inference/layout_constraint.h"

namespace hilo::inference {

// Each can be moved from or to the other side.
std::vector<TiledLayout> registersForTensor(const TensorMove& move, const TiledLayout& tensor);
std::vector<TiledLayout> tensorsForRegisters(const TensorMove& move, const TiledLayout& registers);

// What tensor cores of the architecture have; on sm_100 the larger tiles first.
std::vector<TiledLayout> registersForTiledMemory(int64_t smMajor);

// Layouts of arrays of this shape that the reduction makes `small`; that itself last, for axes before a tile.
std::vector<RegisterLayout> layoutsReducedTo(const LayoutConstant& small, const Sizes& shape,
                                             const ReduceStep& reduce);

}  // namespace hilo::inference
