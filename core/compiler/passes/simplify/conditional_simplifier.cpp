#include "core/compiler/passes/simplify/conditional_simplifier.h"

#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/constants.h"
#include "core/compiler/passes/simplify/call_inliner.h"
#include "core/compiler/passes/simplify/conditional_elements.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// The branch that a constant chooses: what is out of range chooses the last.
std::optional<size_t> knownBranch(const Instruction& conditional) {
  const Instruction& chooses = *conditional.operand(0);
  const size_t branches = conditional.operandCount() - 1;
  if (branches == 1) return 0;
  if (chooses.opcode() != Opcode::Constant) return std::nullopt;
  if (chooses.shape().elementType() == ElementType::Pred) return chooses.literal().data<bool>()[0] ? 0 : 1;
  const auto index = algebra::scalarInteger(chooses);
  if (!index) return std::nullopt;
  return *index < 0 || *index >= static_cast<int64_t>(branches) ? branches - 1 : static_cast<size_t>(*index);
}

bool mayBeInlined(const Instruction& conditional) {
  const auto& attributes = conditional.get<Attr::FrontendAttributes>();
  return std::ranges::none_of(attributes, [](const auto& attribute) {
    return attribute.name == "inlineable" && attribute.value == "false";
  });
}

// Some other pass has said when it runs, or it does more than give a result.
bool mustStay(const Instruction& conditional) {
  const auto& attributes = conditional.get<Attr::FrontendAttributes>();
  const bool isPlaced = std::ranges::any_of(
      attributes, [](const auto& attribute) { return attribute.name == "_scheduling_group_id"; });
  return isPlaced || conditional.has(Attr::ControlPredecessors) || hasSideEffect(conditional);
}

void takeBranch(Instruction& conditional, size_t branch) {
  Computation& computation = conditional.parent();
  Computation* called = conditional.calledComputations()[branch];
  const bool inlined = mayBeInlined(conditional);
  Instruction* call = computation.create(Opcode::Call, conditional.shape(), {conditional.operand(branch + 1)},
                                         {}, &conditional);
  call->set<Attr::ToApply>(called);
  computation.replaceAllUses(&conditional, call);
  computation.remove(&conditional);
  if (inlined) inlineCall(*call);
}

}  // namespace

Result<bool> simplifyConditionals(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> conditionals;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Conditional) conditionals.push_back(i);
    }
    for (Instruction* conditional : conditionals) {
      if (context.cancelled()) return changed;
      if (const auto branch = knownBranch(*conditional); branch && !mustStay(*conditional)) {
        if (!context.mayChange(*conditional)) return changed;
        context.remark(*conditional, "simplified", "its branch is known");
        takeBranch(*conditional, *branch);
        changed = true;
        continue;
      }
      changed |= mergeEqualResults(*conditional, context);
      changed |= dropUnreadResults(*conditional, context);
      changed |= dropUnreadOperands(*conditional, context);
    }
  }
  return changed;
}

}  // namespace hilo
