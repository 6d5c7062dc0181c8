#include "core/compiler/passes/simplify/constant_splitter.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/memory/deep_copy.h"

namespace hilo {
namespace {

bool isShared(const Instruction& i) {
  return i.opcode() == Opcode::Constant && i.users().size() + (i.isRoot() ? 1 : 0) > 1;
}

}  // namespace

Result<bool> splitConstants(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* constant : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isShared(*constant)) continue;
      if (!context.mayChange(*constant)) return changed;
      const std::vector<Instruction*> users(constant->users().begin(), constant->users().end());
      for (size_t k = constant->isRoot() ? 0 : 1; k < users.size(); ++k)
        replaceUsesBy(users[k], constant, computation->createLike(*constant, {}, constant));
      context.remark(*constant, "split", fmt::format("a constant for each of {} users", users.size()));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
