// The arrays of a value while the program is made: where each lies.
#pragma once

#include <algorithm>
#include <vector>

#include "core/compiler/codegen/lower/temporaries.h"

namespace hilo {

struct LeafValue {
  SlabPointer slab;
  bool mayWrite = true;  // false: a view of what belongs to an outer computation
  // Of an array with fewer elements than its bounds: the real size of each dimension, one s32; null: the
  // bound. Empty: all are at their bounds.
  std::vector<SlabPointer> sizes = {};

  bool isDynamic() const {
    return std::ranges::any_of(sizes, [](const SlabPointer& size) { return size != nullptr; });
  }
};
using LeafValues = std::vector<LeafValue>;  // the array leaves of a shape, in order

// The same arrays, which nobody may write over.
LeafValues readOnly(LeafValues values);

}  // namespace hilo
