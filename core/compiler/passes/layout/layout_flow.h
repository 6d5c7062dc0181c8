// How the order in which an array lies in memory goes through an operation of a GPU program, and what some
// operations want. The rules of XLA's service/layout_assignment.cc and
// backends/gpu/transforms/layout_assignment.cc.
#pragma once

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

enum class LayoutFlow : uint8_t {
  Fixed,      // operands and result lie as the module states: what others see (parameters, calls, tuples,
              // libraries)
  Same,       // operands of the result's rank lie as the result does
  Passed,     // of a call that writes over one of its operands: that one as the result
  Transpose,  // any; no work where the result is the operand with its dimensions renamed
  Reshape,    // any; no work where operand and result are the same bytes
  Broadcast,  // operand as the result without its new dimensions
  Reduce,     // any; best where the reduced dimensions are minor
  Resize,  // a bitcast-convert between sizes: the dimension that one side has more is minor there, the others
           // lie the same
  Free,    // operands and result lie in any order, none follows from another
};
LayoutFlow layoutFlow(const Instruction& instruction);

// The order of operand `index` that goes best with the result in `order`; needed, or only liked.
struct FlowingOrder {
  DimensionOrder order;
  bool isNeeded = false;
  bool isUrgent = false;  // goes on before what waits
};
std::optional<FlowingOrder> operandOrderFor(const Instruction& instruction, size_t index,
                                            const DimensionOrder& order);
// The order of the result that goes best with operand `index` in `order`.
std::optional<FlowingOrder> resultOrderFor(const Instruction& instruction, size_t index,
                                           const DimensionOrder& order);

// The order that is possible nearest to `order` for the result, and for operand `index`: of a Resize the
// dimension that the other side lacks is minor.
DimensionOrder possibleResultOrder(const Instruction& instruction, DimensionOrder order);
DimensionOrder possibleOperandOrder(const Instruction& instruction, DimensionOrder order);

DimensionOrder rowMajorOrder(size_t rank);
// A custom call that does nothing but state in which order its operand lies (JAX's with_layout_constraint).
bool isLayoutConstraint(const Instruction& instruction);
// Where a call has its result: the operand it writes over.
std::optional<size_t> operandWrittenOver(const Instruction& call);
// A mark of where an array lives, the host or the device.
bool isMemoryMove(const Instruction& instruction);
inline bool hasLayoutOrder(Shape shape) { return shape.isArray() && shape.rank() > 1; }

}  // namespace hilo
