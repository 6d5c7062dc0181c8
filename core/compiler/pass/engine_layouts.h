// What each operation asks of the order its operands and result lie in.
#pragma once

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

enum class LayoutRule : uint8_t {
  Stated,     // operands and result stay in the orders they have in the module
  Same,       // operands of the result's rank lie as the result does; any order will do
  Made,       // the result is made in any order at no cost, whatever the operand's order
  Copy,       // any orders; nothing at all where they are the same
  Transpose,  // any order; the same bytes where the result's is the operand's with its dimensions renamed
  Reshape,    // the same bytes: the orders of operand and result follow from each other
  Reduce,     // any order of the operand; the result is smaller and lies in any order
  Dot,        // orders in which groups of dimensions are one stride each (dotTakesOperand)
};

// What an engine's code takes.
class EngineLayouts {
 public:
  virtual ~EngineLayouts() = default;

  // Of this instruction: Stated also for what has no plain arrays, such as tuples, tiles, dynamic dimensions.
  virtual LayoutRule ruleOf(const Instruction& instruction) const = 0;
  // Of a dot, whether it takes an operand, or gives its result, in this order.
  virtual bool dotTakesOperand(const Instruction& dot, size_t side, const DimensionOrder& order) const = 0;
  virtual bool dotTakesResult(const Instruction& dot, const DimensionOrder& order) const = 0;
  // An order of the operand that it takes: batch, free, contracting dimensions.
  virtual DimensionOrder plainDotOperand(const Instruction& dot, size_t side) const = 0;
};

}  // namespace hilo
