#include "core/compiler/passes/schedule/stream_attribute_wrapper.h"

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

bool hasStream(const Instruction& i) {
  if (asyncFacts(i.opcode()).step != AsyncStep::Whole) return false;
  const std::string stream = gpuConfig(i, "", "operation_queue_id");
  return !stream.empty() && stream != "0";
}

}  // namespace

Result<bool> wrapStreamAttributes(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!hasStream(*i)) continue;
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "wrapped",
                     fmt::format("runs on stream {}", gpuConfig(*i, "", "operation_queue_id")));
      const AsyncPair pair = makeAsync(*i);
      if (pair.start->opcode() == Opcode::AsyncStart) runOnThread(pair, "parallel");
      // It may be far from its start.
      setGpuConfig(*pair.done, "", "force_earliest_schedule", "false");
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
