// The single steps of a resharding (reshard.h).
#pragma once

#include "core/compiler/spmd/reshard.h"

namespace hilo {

// The minor `size` tiles of a dimension become copies.
Part gatherDimension(LocalBuilder& builder, Part part, size_t dimension, int64_t size);
// The minor `size` tiles of dimension `from` become minor tiles of `to`.
Tiling exchangedTiling(const Tiling& tiling, size_t from, size_t to, int64_t size);
Part exchange(LocalBuilder& builder, Part part, size_t from, size_t to, int64_t size);
// Each device cuts its part out of what it has: isInside(part.global, target, part.tiling) must hold.
Part cutOut(LocalBuilder& builder, const Part& part, const Tiling& target);
// Copies of a part become its tiles along a dimension, in the order of devices.
Tiling splitTiling(const Tiling& tiling, size_t dimension, int64_t size);
Part splitDimension(LocalBuilder& builder, Part part, size_t dimension, int64_t size);
// The same tiles on other devices.
Part permuteParts(LocalBuilder& builder, const Part& part, const Tiling& target);

}  // namespace hilo
