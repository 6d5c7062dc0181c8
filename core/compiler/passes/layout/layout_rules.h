// What each operation asks of the order its operands and result lie in.
#pragma once

#include "core/analysis/dimension_order.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// layout_rules.def says which operation has which.
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

// Of this instruction: Stated also for what has no plain arrays, such as tuples, tiles, dynamic dimensions.
LayoutRule layoutRuleOf(const Instruction& instruction);

// The product a library does (core/analysis/matrix_product.h): on each side the free and the summed
// dimensions must each be one stride, and one of them dense; in the result the free dimensions of the right
// side are.
bool dotTakesOperand(const Instruction& dot, size_t side, const DimensionOrder& order);
bool dotTakesResult(const Instruction& dot, const DimensionOrder& order);
// An order of the operand that it takes: batch, free, summed dimensions.
DimensionOrder plainDotOperand(const Instruction& dot, size_t side);

}  // namespace hilo
