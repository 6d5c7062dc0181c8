#include "core/compiler/codegen/cpu/choices/library_dots.h"

#include <absl/container/flat_hash_set.h>

namespace hilo {

Result<bool> prepareLibraryDots(Module& module, PassContext& context) {
  // What stands in a fusion is part of a kernel.
  absl::flat_hash_set<const Computation*> fused;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::Fusion) continue;
      for (const Computation* called : instruction->calledComputations()) fused.insert(called);
    }
  }
  bool changed = false;
  for (Computation* computation : module.computations()) {
    if (fused.contains(computation)) continue;
    for (Instruction* instruction : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (instruction->has(Attr::ControlPredecessors)) continue;
      if (instruction->opcode() == Opcode::Convolution) changed |= prepareConvolution(*instruction, context);
    }
  }
  return changed;
}

}  // namespace hilo
