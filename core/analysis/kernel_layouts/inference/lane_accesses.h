// The order in which a warp moves its registers to or from shared memory, so that no two lanes want different
// words of one bank at once. The plans are those of plan_tiled_transfer in
// jax/experimental/mosaic/gpu/fragmented_array.py: every lane moves the same register at a time, or every
// second group of lanes moves one that is a fixed step further.
#pragma once

#include <optional>

#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"

namespace hilo::inference {

struct LaneAccesses {
  std::vector<StridedSize> lanes;  // from major to minor, 32 together; stride 0: they hold the same
  std::vector<StridedSize> warps;
  std::vector<StridedSize> registers;  // what each thread moves one after the other
  int64_t vectorLength = 1;
  int64_t elementBits = 32;
  int64_t swizzleBytes = 16;  // 16: none
};

struct AccessPlan {
  size_t dimension = 0;    // of `registers`
  int64_t stagger = 0;     // 0: all lanes move the same register
  int64_t groupLanes = 0;  // lanes of a group
};

// Nothing where there is no plan without conflicts, vectors may cross the chunks that a swizzle exchanges, or
// the array is larger than shared memory.
std::optional<AccessPlan> planAccesses(const LaneAccesses& accesses);

}  // namespace hilo::inference
