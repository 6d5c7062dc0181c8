// Whether a module has what analyses reach for without asking: roots, parameters, operands and computations
// where the opcode says they are. A module that was read may lack them; the verifier says all that is wrong,
// this only whether it is safe to go on.
#pragma once

#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

// Whether an instruction has the operands and computations that its opcode says; for what looks at
// instructions of modules that nobody verified.
bool isWhole(const Instruction& instruction);

// Error kind "malformed-module", naming the first instruction or computation that is not whole.
Status requireWellFormed(const Module& module);

}  // namespace hilo
