// Where a dimension lies after a reshape of an array in row-major order.
#pragma once

#include <optional>

#include "core/hlo/ir/shape.h"

namespace hilo::algebra {

// The dimension of `to` that dimension `d` of `from` becomes: of the same size, with as many elements before
// it. Null where the reshape splits it or merges it, and for dimensions of size 1, which may lie anywhere.
std::optional<int64_t> placeAfterReshape(Shape from, size_t d, Shape to);

// The dimensions [first, end) of `to` that dimension `d` of `from` is split into; one where it stays whole.
struct DimensionSpan {
  size_t first = 0, end = 0;
};
std::optional<DimensionSpan> partsAfterReshape(Shape from, size_t d, Shape to);

}  // namespace hilo::algebra
