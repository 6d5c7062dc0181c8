#include "core/compiler/passes/schedule/stream_attributes.h"

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/pass/next_channel.h"
#include "core/compiler/passes/fusion/make_fusion.h"
#include "core/compiler/passes/gpu_config.h"

namespace hilo {
namespace {

std::string streamOf(const Instruction& i) {
  const std::string stream = gpuConfig(i, "", "operation_queue_id");
  return stream.empty() ? "0" : stream;
}

// The stream of the root where it is no default and nothing else names a third; "" otherwise.
std::string streamWithin(const Computation& fused) {
  const Instruction& root = *fused.root();
  if (root.opcode() == Opcode::Tuple) return "";
  const std::string stream = streamOf(root);
  const bool isOne = std::ranges::all_of(fused.instructions(), [&](const Instruction* i) {
    const std::string own = streamOf(*i);
    return own == "0" || own == stream;
  });
  return stream == "0" || !isOne ? "" : stream;
}

// The stream to give; "" for none.
std::string wantedStream(const Instruction& i, bool isScheduled) {
  if (i.opcode() == Opcode::Fusion) return streamWithin(*i.get<Attr::Calls>());
  if (i.opcode() == Opcode::CopyStart && isScheduled) return std::to_string(nextChannel(i.module()));
  return "";
}

bool runsAsynchronously(const CallGraph& graph, const Computation& computation) {
  return std::ranges::any_of(graph.node(computation).callers,
                             [](const Instruction* i) { return i->opcode() == Opcode::AsyncStart; });
}

bool isPartOfArray(const Instruction& i) {
  return i.opcode() == Opcode::DynamicSlice || i.opcode() == Opcode::DynamicUpdateSlice;
}

// What a schedule calls an instruction is its name.
void nameInSchedule(Instruction& i) {
  const OpMetadata* old = i.get<Attr::Metadata>();
  OpMetadata metadata = old == nullptr ? OpMetadata{} : *old;
  metadata.schedulingName = i.name();
  i.set<Attr::Metadata>(&metadata);
}

void wrap(Instruction& part) {
  Module& module = part.module();
  const std::string name = fmt::format("wrapped_{}", part.opcodeText());
  FusedRoots roots;
  Instruction* members[] = {&part};
  Instruction* fusion = makeFusion(members, roots);
  fusion->setName(module.uniqueName(name));
  fusion->get<Attr::Calls>()->setName(module.uniqueName(name + "_computation"));
  part.parent().remove(&part);
  nameInSchedule(*fusion);
  nameInSchedule(*fusion->get<Attr::Calls>()->root());
  setGpuConfig(*fusion, "", "operation_queue_id", fmt::format("\"{}\"", nextChannel(module)));
}

}  // namespace

Result<bool> annotateStreams(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    const bool isWrapped = module.isScheduled() && runsAsynchronously(graph, *computation);
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (isWrapped && isPartOfArray(*i)) {
        if (!context.mayChange(*i)) return changed;
        wrap(*i);
        changed = true;
        continue;
      }
      const std::string stream = wantedStream(*i, module.isScheduled());
      if (stream.empty() || streamOf(*i) != "0") continue;
      if (!context.mayChange(*i)) return changed;
      changed |= setGpuConfig(*i, "", "operation_queue_id", fmt::format("\"{}\"", stream));
    }
  }
  return changed;
}

}  // namespace hilo
