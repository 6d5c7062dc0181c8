// A bitcast on the other side of an operation: how the operation reads, or gives, the same bytes as an array
// of other dimensions. Of elementwise work in any layout, of broadcasts and transposes of arrays with their
// dimensions in any order. XLA's backends/gpu/transforms/hoist_fused_bitcasts.cc.
#pragma once

#include <optional>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// The operation with other shapes. Dimensions are those of its attribute, and empty for elementwise work.
struct MovedOperation {
  std::vector<Shape> operands;
  Shape result;
  std::vector<int64_t> dimensions;
};

// So that its result is of shape `result`, the same bytes. nullopt: it cannot be written so.
std::optional<MovedOperation> movedUp(const Instruction& operation, Shape result);
// So that operand `index` is of shape `operand`, the same bytes.
std::optional<MovedOperation> movedDown(const Instruction& operation, size_t index, Shape operand);

}  // namespace hilo
