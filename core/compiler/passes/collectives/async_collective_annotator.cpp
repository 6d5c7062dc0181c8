#include "core/compiler/passes/collectives/async_collective_annotator.h"

#include "core/analysis/async_op.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

bool runsBeside(Opcode opcode, const AsyncKinds& kinds) {
  switch (opcode) {
    case Opcode::AllReduce:
      return kinds.allReduce;
    case Opcode::AllGather:
      return kinds.allGather;
    case Opcode::ReduceScatter:
      return kinds.reduceScatter;
    case Opcode::CollectiveBroadcast:
      return kinds.collectiveBroadcast;
    case Opcode::AllToAll:
      return kinds.allToAll;
    case Opcode::CollectivePermute:
      return kinds.collectivePermute;
    case Opcode::RaggedAllToAll:
      return kinds.raggedAllToAll;
    default:
      return true;
  }
}

}  // namespace

Result<bool> annotateAsyncCollectives(Module& module, PassContext& context, const AsyncKinds& kinds) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (Instruction* start : computation->instructions()) {
      if (context.cancelled()) return changed;
      const CanonicalAsyncOp op = canonicalAsyncOp(*start, /*p2pIsAsync=*/false);
      if (op.role != AsyncRole::Start || !isCollectiveCommunication(op.inner)) continue;
      const std::string_view isSync = runsBeside(op.inner, kinds) ? "false" : "true";
      if (gpuConfig(*start, "collective_backend_config", "is_sync") == isSync) continue;
      if (!context.mayChange(*start)) return changed;
      changed |= setGpuConfig(*start, "collective_backend_config", "is_sync", isSync);
    }
  }
  return changed;
}

}  // namespace hilo
