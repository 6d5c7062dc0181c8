// In which memory a value lies: a number in the layout of each array. 0 is the device's own memory.
#pragma once

#include "core/analysis/dataflow/shape_index.h"

namespace hilo {

// Memory of the host, pinned so that the device copies from and to it: S(5) in layouts, XLA's
// Layout::kHostMemorySpace.
inline constexpr int64_t kHostSpace = 5;
inline constexpr int64_t kDeviceSpace = 0;

// Of an array; false of one without a layout.
bool isOnHost(Shape shape);
// Whether any array of the shape is there.
bool hasPartOnHost(Shape shape);
// Whether all arrays of it are; false where it has none.
bool isAllOnHost(Shape shape);

// `shape` with all arrays of the part at `index` in that memory; an array without a layout gets the default
// one. CHECKs that there is such a part.
Shape withMemorySpace(Shape shape, std::span<const int64_t> index, int64_t space);
inline Shape withMemorySpace(Shape shape, int64_t space) { return withMemorySpace(shape, {}, space); }
// Every array of the host's memory in the device's instead.
Shape withoutHostSpace(Shape shape);
// `shape` with `part` at `index`.
Shape withSubshape(Shape shape, std::span<const int64_t> index, Shape part);

}  // namespace hilo
