// A form of fusion that writes over an operand though the rules for sharing do not say so.
#pragma once

#include "core/analysis/dataflow/shape_index.h"
#include "core/hlo/ir/instruction.h"

namespace hilo {

// XLA's horizontal fusion concatenates what it fuses and gives back slices: one pass over the concatenation,
// in which an element is read and then written. True when output `index` is the slice of just what operand
// `operandNumber` became element by element, and nothing else reads that operand. XLA laid such outputs over
// such operands until 2023.
bool slicesOwnPart(const Instruction& fusion, size_t operandNumber, const ShapeIndex& index);

}  // namespace hilo
