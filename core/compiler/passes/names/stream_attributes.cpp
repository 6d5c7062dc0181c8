#include "core/compiler/passes/names/stream_attributes.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/compiler/passes/loops/loop_parts.h"

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

}  // namespace

Result<bool> annotateStreams(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      const std::string stream = wantedStream(*i, module.isScheduled());
      if (stream.empty() || streamOf(*i) != "0") continue;
      if (!context.mayChange(*i)) return changed;
      changed |= setGpuConfig(*i, "", "operation_queue_id", fmt::format("\"{}\"", stream));
    }
  }
  return changed;
}

}  // namespace hilo
