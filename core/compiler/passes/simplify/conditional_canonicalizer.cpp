#include "core/compiler/passes/simplify/conditional_canonicalizer.h"

#include <algorithm>

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/pass/replace_uses.h"
#include "core/compiler/passes/rewrite_each.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

Shape tupleOf(Shape shape) {
  const Shape one[] = {shape};
  return Shape::tuple(one);
}

bool givesArray(const Instruction& i) {
  return i.opcode() == Opcode::Conditional && !i.has(Attr::ControlPredecessors) &&
         (!i.shape().isTuple() || std::ranges::any_of(i.operands().subspan(1), [](const Instruction* o) {
           return !o->shape().isTuple();
         }));
}

void takeTuple(Computation& branch) {
  Instruction* parameter = branch.parameters()[0];
  if (parameter->shape().isTuple()) return;
  Instruction* stand =
      branch.create(Opcode::GetTupleElement, parameter->shape(), {parameter}, {}, parameter->next());
  stand->set<Attr::Index>(0);
  const std::vector<Instruction*> users(parameter->users().begin(), parameter->users().end());
  for (Instruction* user : users) {
    if (user != stand) replaceUsesBy(user, parameter, stand);
  }
  if (branch.root() == parameter) branch.setRoot(stand);
  parameter->setShape(tupleOf(parameter->shape()));
}

void giveTuple(Computation& branch) {
  if (branch.root()->shape().isTuple()) return;
  branch.setRoot(branch.create(Opcode::Tuple, tupleOf(branch.root()->shape()), {branch.root()}));
}

Instruction* canonical(Instruction& conditional) {
  std::vector<Instruction*> operands(conditional.operands().begin(), conditional.operands().end());
  for (Instruction*& operand : std::span(operands).subspan(1)) {
    if (!operand->shape().isTuple())
      operand =
          conditional.parent().create(Opcode::Tuple, tupleOf(operand->shape()), {operand}, {}, &conditional);
  }
  const bool givesTuple = conditional.shape().isTuple();
  Instruction* made = conditional.parent().createLike(conditional, operands, &conditional);
  for (Computation* branch : made->calledComputations()) {
    // A branch of its own: another caller may take the array.
    Computation* own = cloneComputation(*branch, &conditional.parent());
    redirectCall(*made, branch, own);
    takeTuple(*own);
    if (!givesTuple) giveTuple(*own);
  }
  if (givesTuple) return made;
  made->setShape(tupleOf(conditional.shape()));
  return elementOfTuple(made, 0, conditional);
}

}  // namespace

Result<bool> canonicalizeConditionals(Module& module, PassContext& context) {
  return rewriteEach(module, context, "canonicalized", givesArray, canonical);
}

}  // namespace hilo
