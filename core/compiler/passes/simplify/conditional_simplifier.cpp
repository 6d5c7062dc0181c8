#include "core/compiler/passes/simplify/conditional_simplifier.h"

#include <algorithm>

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/simplify/algebra/constants.h"
#include "core/compiler/passes/simplify/call_inliner.h"

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

void takeBranch(Instruction& conditional, size_t branch) {
  Computation& computation = conditional.parent();
  Computation* called = conditional.calledComputations()[branch];
  Instruction* call = computation.create(Opcode::Call, conditional.shape(), {conditional.operand(branch + 1)},
                                         {}, &conditional);
  call->set<Attr::ToApply>(called);
  computation.replaceAllUses(&conditional, call);
  computation.remove(&conditional);
  inlineCall(*call);
}

// Which elements of the result are read; empty where they cannot be told apart, or all are.
std::vector<bool> readElements(const Instruction& conditional) {
  if (!conditional.shape().isTuple() || conditional.isRoot()) return {};
  std::vector<bool> isRead(conditional.shape().tupleShapes().size());
  for (const Instruction* user : conditional.users()) {
    if (user->opcode() != Opcode::GetTupleElement) return {};
    isRead[static_cast<size_t>(user->tupleIndex())] = true;
  }
  for (const Computation* branch : conditional.calledComputations()) {
    if (branch->root()->opcode() != Opcode::Tuple) return {};
  }
  return std::ranges::find(isRead, false) == isRead.end() ? std::vector<bool>{} : isRead;
}

void dropUnread(Instruction& conditional, const std::vector<bool>& isRead) {
  std::vector<Shape> shapes;
  std::vector<int64_t> places(isRead.size());
  for (size_t k = 0; k < isRead.size(); ++k) {
    places[k] = static_cast<int64_t>(shapes.size());
    if (isRead[k]) shapes.push_back(conditional.shape().tupleShapes()[k]);
  }
  for (Computation* branch : conditional.calledComputations()) {
    Computation* own = cloneComputation(*branch, &conditional.parent());
    redirectCall(conditional, branch, own);
    std::vector<Instruction*> kept;
    for (size_t k = 0; k < isRead.size(); ++k) {
      if (isRead[k]) kept.push_back(own->root()->operand(k));
    }
    std::vector<Shape> given;
    for (const Instruction* i : kept) given.push_back(i->shape());
    own->setRoot(own->create(Opcode::Tuple, Shape::tuple(given), kept));
  }
  conditional.setShape(Shape::tuple(shapes));
  for (Instruction* user : conditional.users())
    user->set<Attr::Index>(places[static_cast<size_t>(user->tupleIndex())]);
}

}  // namespace

Result<bool> simplifyConditionals(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> conditionals;
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Conditional && !i->has(Attr::ControlPredecessors)) conditionals.push_back(i);
    }
    for (Instruction* conditional : conditionals) {
      if (context.cancelled()) return changed;
      const auto branch = knownBranch(*conditional);
      const std::vector<bool> isRead = readElements(*conditional);
      if (!branch && isRead.empty()) continue;
      if (!context.mayChange(*conditional)) return changed;
      context.remark(*conditional, "simplified",
                     branch ? "its branch is known" : "results that nothing reads");
      if (branch) takeBranch(*conditional, *branch);
      if (!branch) dropUnread(*conditional, isRead);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
