#include "core/compiler/passes/fusion/horizontal_input_fusion.h"

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/analysis/fusion_hero.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/fusion/kernel_space.h"
#include "core/compiler/passes/fusion/merge_fusions.h"

namespace hilo {
namespace {

constexpr size_t kMostOperands = 64;

bool isReduction(const Instruction& kernel) {
  return kernel.opcode() == Opcode::Fusion && kernel.get<Attr::FusionKindKind>() == FusionKind::Input &&
         !kernel.has(Attr::ControlPredecessors) && kernelSpace(kernel) &&
         fusionHero(*kernel.get<Attr::Calls>())->opcode() == Opcode::Reduce;
}

bool isReadByNoOther(const Instruction& value, const Instruction& consumer) {
  return std::ranges::all_of(value.users(), [&](const Instruction* user) {
    if (user->opcode() == Opcode::GetTupleElement) return isReadByNoOther(*user, consumer);
    return user == &consumer || user->isRoot();
  });
}

// Those of one shape beside each other, the shorter first.
std::vector<Instruction*> reductionsOf(const Instruction& consumer) {
  std::vector<Instruction*> found;
  for (Instruction* operand : consumer.operands()) {
    while (operand->opcode() == Opcode::GetTupleElement) operand = operand->operand(0);
    if (isReduction(*operand) && mayBeMerged(*operand) && isReadByNoOther(*operand, consumer) &&
        std::ranges::find(found, operand) == found.end())
      found.push_back(operand);
  }
  std::ranges::sort(found, {}, [](const Instruction* kernel) {
    return std::tuple(kernelSpace(*kernel)->sizes, kernel->get<Attr::Calls>()->instructionCount(),
                      kernel->id().value);
  });
  return found;
}

bool fuseOperands(const Instruction& consumer, PassContext& context) {
  bool changed = false;
  Instruction* anchor = nullptr;
  for (Instruction* kernel : reductionsOf(consumer)) {
    const bool fits = anchor != nullptr && kernelSpace(*anchor) == kernelSpace(*kernel) &&
                      anchor->operandCount() + kernel->operandCount() <= kMostOperands;
    if (!fits) {
      anchor = kernel;
      continue;
    }
    if (!context.mayChange(*kernel)) return changed;
    context.remark(*kernel, "fused", fmt::format("with %{}, which the same reads", anchor->name()));
    anchor = mergeFusions(std::vector<Instruction*>{anchor, kernel});
    changed = true;
  }
  return changed;
}

}  // namespace

Result<bool> fuseReductionsHorizontally(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (!graph.runsInstructions(*computation)) continue;
    std::vector<InstructionId> ids;
    for (const Instruction* i : computation->instructions()) ids.push_back(i->id());
    bool here = false;
    for (const InstructionId id : ids) {
      if (context.cancelled() || context.fuel().isSpent()) break;
      if (const Instruction* consumer = module.instruction(id)) here |= fuseOperands(*consumer, context);
    }
    if (here) orderByOperands(*computation);
    changed |= here;
  }
  return changed;
}

}  // namespace hilo
