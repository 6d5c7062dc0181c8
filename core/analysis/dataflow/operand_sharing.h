// Whether an instruction may write a part of its result over an operand that nobody needs afterwards. The
// caller makes sure of the last: live ranges are not looked at here. Matches CanShareOperandBufferWithUser of
// XLA's hlo_dataflow_analysis.cc.
#pragma once

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/dataflow_analysis.h"

namespace hilo {

// `operand` must be an operand of `user`.
bool canShareOperandBuffer(const DataflowAnalysis& dataflow, const Instruction& operand,
                           const ShapeIndex& operandIndex, const Instruction& user,
                           const ShapeIndex& userIndex, Backend backend);

}  // namespace hilo
