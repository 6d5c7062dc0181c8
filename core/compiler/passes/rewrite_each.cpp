#include "core/compiler/passes/rewrite_each.h"

#include "core/compiler/pass/main_computations.h"

namespace hilo {

bool rewriteEach(Module& module, PassContext& context, std::string_view kind,
                 absl::FunctionRef<bool(const Instruction&)> applies,
                 absl::FunctionRef<Instruction*(Instruction&)> rewrite) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (i->has(Attr::ControlPredecessors) || (i->users().empty() && !i->isRoot()) || !applies(*i)) continue;
      if (!context.mayChange(*i)) return changed;
      Instruction* instead = rewrite(*i);
      if (instead == nullptr) continue;
      context.remark(*i, kind, fmt::format("now %{}", instead->name()));
      computation->replaceAllUses(i, instead);
      computation->remove(i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
