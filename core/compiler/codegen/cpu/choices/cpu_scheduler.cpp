#include "core/compiler/codegen/cpu/choices/cpu_scheduler.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "core/analysis/backend.h"
#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/schedule/memory_usage.h"
#include "core/compiler/schedule/memory_scheduler.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

using Order = std::vector<Instruction*>;

Order orderOf(const Computation& computation) {
  const auto now = computation.instructions();
  return {now.begin(), now.end()};
}

// The value that code generation writes over where nobody needs it any more; null: none.
const Instruction* writtenOperand(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::DynamicUpdateSlice:
    case Opcode::Scatter:
    case Opcode::While:
      return instruction.operand(0);
    case Opcode::Fusion: {
      const Instruction* root = instruction.calledComputations()[0]->root();
      const Instruction* written = root->opcode() == Opcode::Fusion ? nullptr : writtenOperand(*root);
      return written == nullptr || written->opcode() != Opcode::Parameter
                 ? nullptr
                 : instruction.operand(static_cast<size_t>(written->parameterNumber()));
    }
    default:
      return nullptr;
  }
}

// Why the order the computation has now may not stand in for the one before; "" when it may.
std::string whyNot(const Order& before, const Computation& computation) {
  absl::flat_hash_map<const Instruction*, size_t> was, is;
  for (size_t i = 0; i < before.size(); ++i) was[before[i]] = i;
  size_t place = 0;
  const Instruction* effect = nullptr;
  for (const Instruction* instruction : computation.instructions()) {
    is[instruction] = place++;
    if (!hasSideEffect(*instruction)) continue;
    if (effect != nullptr && was.at(effect) > was.at(instruction))
      return fmt::format("%{} would come after %{}", instruction->name(), effect->name());
    effect = instruction;
  }
  for (const Instruction* writer : computation.instructions()) {
    const Instruction* written = writtenOperand(*writer);
    if (written == nullptr) continue;
    for (const Instruction* reader : written->users()) {
      if (was.at(reader) < was.at(writer) && is.at(reader) > is.at(writer))
        return fmt::format("%{} would read %{} after %{} may have written over it", reader->name(),
                           written->name(), writer->name());
    }
  }
  return "";
}

Result<int64_t> peakBytes(const Module& module) {
  TRY(const AliasAnalysis alias, AliasAnalysis::run(module, backendOf(module)));
  return memoryUsage(ValueLiveRanges(alias)).peakBytes;
}

}  // namespace

Result<bool> runCpuScheduler(Module& module, PassContext& context) {
  if (module.isScheduled() || module.entry() == nullptr) return false;
  TRY(const CallGraph graph, CallGraph::build(module));
  if (!graph.isFlat()) {
    context.remark(*module.entry()->root(), "kept", "the order of all: two callers share a computation");
    return false;
  }
  absl::flat_hash_map<Computation*, Order> before;
  for (Computation* computation : module.computations()) before[computation] = orderOf(*computation);
  TRY(const int64_t peakBefore, peakBytes(module));
  TRY(const MemoryScheduleResult scheduled, scheduleForMemory(module, MemorySchedulerKind::Best));
  for (Computation* computation : module.computations()) {
    const Order& order = before.at(computation);
    std::string why = scheduled.peakBytes < peakBefore ? whyNot(order, *computation) : "no less memory";
    if (why.empty() && order != orderOf(*computation) && !context.mayChange(*computation->root()))
      why = "no fuel is left";
    if (why.empty()) continue;
    computation->reorder(order);
    if (computation->root() != nullptr && scheduled.peakBytes < peakBefore)
      context.remark(*computation->root(), "kept",
                     fmt::format("the order of {}: {}", computation->name(), why));
  }
  if (context.fuel().isSpent() && context.fuel().taken() == 0) {
    module.attributes().erase(Attr::IsScheduled);
    return false;
  }
  TRY(const int64_t peakAfter, peakBytes(module));
  context.remark(
      *module.entry()->root(), "scheduled",
      fmt::format("peak {} bytes, before {} ({} order)", peakAfter, peakBefore,
                  peakAfter < peakBefore ? memorySchedulerName(scheduled.chosen) : "the module's"));
  return true;
}

}  // namespace hilo
