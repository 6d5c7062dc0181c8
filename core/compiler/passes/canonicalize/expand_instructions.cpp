#include "core/compiler/passes/canonicalize/expand_instructions.h"

#include <fmt/format.h>

namespace hilo {
namespace {

// Whether the instruction was replaced.
Result<bool> replace(Instruction& instruction, const InstructionExpansion& expansion, PassContext& context) {
  if (const auto refused = expansion.refusal(instruction)) {
    context.remark(instruction, "missed", refused->message);
    return false;
  }
  if (!context.mayChange(instruction)) return false;
  Module& module = instruction.module();
  const uint32_t first = module.idLimit();
  TRY(Instruction * given, expansion.expand(instruction));
  for (uint32_t made = first; made < module.idLimit(); ++made)
    module.recordProvenance(InstructionId{made}, instruction.id());
  context.remark(instruction, "expanded",
                 fmt::format("{} is %{}", expansion.what(instruction), given->name()));
  instruction.parent().replaceAllUses(&instruction, given);
  instruction.parent().remove(&instruction);
  return true;
}

}  // namespace

Result<bool> expandInstructions(Module& module, const InstructionExpansion& expansion, PassContext& context) {
  bool changed = false;
  // Expansions make computations of their own, in which nothing is left to expand.
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  for (Computation* computation : computations) {
    for (Instruction* instruction : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!expansion.applies(*instruction)) continue;
      TRY(const bool replaced, replace(*instruction, expansion, context));
      changed |= replaced;
    }
  }
  return changed;
}

}  // namespace hilo
