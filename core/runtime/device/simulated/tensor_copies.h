// Private to the room: a box of a tensor (tensor_map.h) as copies between global and shared memory.
#pragma once

#include "core/runtime/device/simulated/grid.h"
#include "core/runtime/device/simulated/tensor_map.h"

namespace hilo {

// Elements beyond the tensor are zeros in shared memory, and are not written in global memory. Pieces are of
// 16 bytes at most. `box` is in shared memory.
std::vector<AsyncCopy> tensorCopies(const Lane& lane, const TensorMap& map, const int32_t* coordinates,
                                    std::byte* box, bool toShared, uint32_t line);

}  // namespace hilo
