// Operations that read arrays with fewer elements than their bounds and would take what lies beyond, padding,
// for data, written as HLO that does not: padding becomes what changes nothing, or goes behind what is real,
// and the result is told its sizes. What is real in it is what the operation gives for arrays of just the
// real sizes. As XLA's DynamicPadder (service/dynamic_padder.cc), which finds sizes by an analysis; here each
// array knows its own. dynamic_padding.def has the operations.
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Whether it is one of them, and the shape of an operand calls a dimension dynamic ("<="); of an elementwise
// operation those of several operands, whose sizes may differ.
bool takesPadding(const Instruction& instruction);

// Writes what `instruction`, which takes padding, gives in front of it and returns that; `instruction` stays,
// with its users. Kind "unsupported-dynamic-shape" for a form in which its real sizes mean nothing.
Result<Instruction*> expandDynamicPadding(Instruction& instruction);

}  // namespace hilo
