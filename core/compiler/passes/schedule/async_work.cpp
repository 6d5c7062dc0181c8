#include "core/compiler/passes/schedule/async_work.h"

#include "core/analysis/call_graph.h"
#include "core/analysis/memory/memory_space.h"
#include "core/analysis/tiling/fusion_config.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/async_pair_maker.h"
#include "core/compiler/passes/gpu_config.h"
#include "core/hlo/ir/op_facts.h"

namespace hilo {
namespace {

const Shape kContext[] = {Shape::scalar(ElementType::U32)};

bool isTileKernel(const Instruction& i) {
  if (i.opcode() != Opcode::Fusion) return false;
  const auto config = fusionConfig(i);
  return config && *config && (*config)->kind.starts_with("__triton");
}

bool isWrapped(const Instruction& i, const AsyncWork& which) {
  const bool isCall = i.opcode() == Opcode::CustomCall;
  if ((which.fusions && i.opcode() == Opcode::Fusion) || (which.customCalls && isCall)) return true;
  return which.gemms &&
         (isTileKernel(i) || (isCall && i.get<Attr::CustomCallTarget>().starts_with("__cublas$lt$matmul")));
}

bool keepsLayout(const Instruction& copy) {
  const Layout *from = copy.operand(0)->shape().layout(), *to = copy.shape().layout();
  return from == nullptr || to == nullptr ? from == to : from->minorToMajor == to->minorToMajor;
}

bool isPlainCopy(const Instruction& i, int64_t leastBytes) {
  return i.opcode() == Opcode::Copy && i.shape().isArray() && !isOnHost(i.shape()) &&
         !isOnHost(i.operand(0)->shape()) && keepsLayout(i) && i.shape().byteSize() >= leastBytes;
}

// "" for the default one.
std::string otherStream(const Instruction& i) {
  if (asyncFacts(i.opcode()).step != AsyncStep::Whole) return "";
  std::string stream = gpuConfig(i, "", "operation_queue_id");
  return stream == "0" ? "" : stream;
}

void startAndAwait(Instruction& i, PassContext& context) {
  context.remark(i, "wrapped", "starts, and is waited for where its value is used");
  makeAsync(i, kContext);
}

void runOnItsStream(Instruction& i, PassContext& context) {
  context.remark(i, "wrapped", fmt::format("runs on stream {}", otherStream(i)));
  const AsyncPair pair = makeAsync(i);
  if (pair.start->opcode() == Opcode::AsyncStart) runOnThread(pair, "parallel");
  // It may be far from its start.
  setGpuConfig(*pair.done, "", "force_earliest_schedule", "false");
}

// What applies, where instructions run one by one: not in fusions, nor what is asynchronous already.
template <typename Applies, typename Wrap>
Result<bool> wrapWhere(Module& module, PassContext& context, const Applies& applies, const Wrap& wrap) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!applies(*i)) continue;
      if (!context.mayChange(*i)) return changed;
      wrap(*i, context);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

Result<bool> wrapWorkAsync(Module& module, PassContext& context, const AsyncWork& which) {
  return wrapWhere(module, context, [&](const Instruction& i) { return isWrapped(i, which); }, startAndAwait);
}

Result<bool> makeCopiesAsync(Module& module, PassContext& context, const AsyncCopies& which) {
  if (which.leastBytes < 0) return false;
  return wrapWhere(
      module, context, [&](const Instruction& i) { return isPlainCopy(i, which.leastBytes); }, startAndAwait);
}

Result<bool> wrapStreamAttributes(Module& module, PassContext& context) {
  return wrapWhere(
      module, context, [](const Instruction& i) { return !otherStream(i).empty(); }, runOnItsStream);
}

}  // namespace hilo
