// The rules that rules.def names; each is in the file of its topic.
#pragma once

#include "core/analysis/kernel_layouts/inference/derivation.h"

namespace hilo::inference {

#define RULE(opcode, function) Status function(Derivation& derivation, OpId op);
#include "core/analysis/kernel_layouts/inference/rules.def"
#undef RULE

// "kernel-inference" when the op has fewer operands or results.
Status checkCounts(const KernelOp& op, size_t operands, size_t results);
std::unexpected<Diagnostic> unsupported(const KernelOp& op, const std::string& what);
// An attribute of sizes that the op must have.
Result<Sizes> sizesOf(const KernelOp& op, const std::string& name);

// The variable of an operand: of its own in registers, its producer's in memory. Joined to the operand.
Result<VariableId> operandVariable(Derivation& derivation, OpId op, uint32_t index);

// Whether the operand lies there and has a layout.
bool isIn(const Derivation& derivation, OpId op, uint32_t operand, MemorySpace space);

// Neither a splat nor a strided layout.
void demandTiled(Derivation& derivation, OpId op, VariableId variable);

}  // namespace hilo::inference
