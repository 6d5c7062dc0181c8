#include "core/compiler/passes/schedule/scheduling_names.h"

#include "core/compiler/pass/main_computations.h"

namespace hilo {
namespace {

bool wantsName(const Instruction& i) {
  const OpMetadata* metadata = i.get<Attr::Metadata>();
  return i.opcode() != Opcode::Constant && (metadata == nullptr || metadata->schedulingName.empty());
}

}  // namespace

Result<bool> annotateSchedulingNames(Module& module, PassContext& context) {
  if (!module.isScheduled()) return fail("not-scheduled", "names are noted of scheduled modules");
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!wantsName(*i)) continue;
      if (!context.mayChange(*i)) return changed;
      const OpMetadata* stated = i->get<Attr::Metadata>();
      OpMetadata metadata = stated == nullptr ? OpMetadata{} : *stated;
      metadata.schedulingName = i->name();
      i->set<Attr::Metadata>(&metadata);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
