// In which order the dimensions of an array lie in memory, and how orders go through operations that
// only rename elements. An array without a layout lies in the order of its dimensions. Tiles are not
// looked at (physical_layout.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/hlo/ir/shape.h"

namespace hilo {

// Logical dimensions from the slowest to the fastest varying.
using DimensionOrder = std::vector<int64_t>;
DimensionOrder majorToMinor(Shape shape);
// Elements from one index to the next of each logical dimension.
std::vector<int64_t> layoutStrides(Shape shape);
// The same dimensions in the same order in memory; where dimensions of size one stand does not matter.
bool sameMemoryOrder(Shape a, Shape b);

// The array in that order: without a layout when it is the one of its dimensions and the shape had none.
Shape inDimensionOrder(Shape shape, const DimensionOrder& order);
// "{0,1}", from minor to major, as layouts are written.
std::string layoutText(const DimensionOrder& order);

// The order in which the result of a transpose is the bytes of its operand, and the other way round.
// `permutation` is the transpose's `dimensions`.
DimensionOrder throughTranspose(const DimensionOrder& operand, std::span<const int64_t> permutation);
DimensionOrder backThroughTranspose(const DimensionOrder& result, std::span<const int64_t> permutation);
// The order without the dimensions that a reduction folds, the rest renumbered.
DimensionOrder throughReduction(const DimensionOrder& operand, std::span<const int64_t> folded);
// The order in which `to`, of as many elements as `from`, is the bytes of `from` in its order: XLA's
// ShapeUtil::AlignLayouts. Nothing where no order is.
std::optional<DimensionOrder> throughReshape(Shape from, const DimensionOrder& order, Shape to);

}  // namespace hilo
