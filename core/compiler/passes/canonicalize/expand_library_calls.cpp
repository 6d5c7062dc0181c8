#include "core/compiler/passes/canonicalize/expand_library_calls.h"

#include "core/hlo/library_calls/library_calls.h"

namespace hilo {
namespace {

// Whether the call was replaced.
Result<bool> expand(Instruction& call, PassContext& context) {
  if (const auto refused = libraryCallRefusal(call)) {
    context.remark(call, "missed", refused->message);
    return false;
  }
  Module& module = call.module();
  const uint32_t first = module.idLimit();
  TRY(Instruction * given, expandLibraryCall(call));
  for (uint32_t made = first; made < module.idLimit(); ++made)
    module.recordProvenance(InstructionId{made}, call.id());
  context.remark(call, "expanded",
                 fmt::format("{} is %{}", call.get<Attr::CustomCallTarget>(), given->name()));
  call.parent().replaceAllUses(&call, given);
  call.parent().remove(&call);
  return true;
}

}  // namespace

Result<bool> expandLibraryCalls(Module& module, PassContext& context) {
  bool changed = false;
  // Expansions make computations of their own, which hold no library calls.
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  for (Computation* computation : computations) {
    for (Instruction* instruction : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (instruction->opcode() != Opcode::CustomCall) continue;
      TRY(const bool expanded, expand(*instruction, context));
      changed |= expanded;
    }
  }
  return changed;
}

}  // namespace hilo
