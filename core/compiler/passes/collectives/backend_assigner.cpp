#include "core/compiler/passes/collectives/backend_assigner.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

CollectiveMemory memoryOf(Opcode opcode, const CollectiveModes& modes) {
  const AsyncFacts facts = asyncFacts(opcode);
  if (facts.step != AsyncStep::Whole && facts.step != AsyncStep::Start) return CollectiveMemory::Private;
  if (facts.whole == Opcode::AllGather) return modes.allGather;
  return facts.whole == Opcode::CollectivePermute ? modes.collectivePermute : CollectiveMemory::Private;
}

}  // namespace

Result<bool> assignCollectiveBackends(Module& module, PassContext& context, const CollectiveModes& modes) {
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      const CollectiveMemory memory = memoryOf(i->opcode(), modes);
      if (memory == CollectiveMemory::Private) continue;
      if (!context.mayChange(*i)) return changed;
      const std::string_view name = memory == CollectiveMemory::Symmetric
                                        ? R"("COLLECTIVES_SYMMETRIC_MEMORY")"
                                        : R"("COLLECTIVES_PEER_MEMORY")";
      changed |= setGpuConfig(*i, "collective_backend_config", "collectives_mode", name);
    }
  }
  return changed;
}

}  // namespace hilo
