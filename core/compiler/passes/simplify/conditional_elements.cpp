#include "core/compiler/passes/simplify/conditional_elements.h"

#include <algorithm>

#include "core/compiler/pass/clone_computation.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool isTaken(const Instruction* user) { return user->opcode() == Opcode::GetTupleElement; }

// Which elements of a tuple are read; all of them where it is used as a whole.
std::vector<bool> readElements(const Instruction& tuple) {
  std::vector<bool> isRead(tuple.shape().tupleShapes().size());
  if (tuple.isRoot() || !std::ranges::all_of(tuple.users(), isTaken)) isRead.assign(isRead.size(), true);
  for (const Instruction* user : tuple.users()) {
    if (isTaken(user)) isRead[static_cast<size_t>(user->tupleIndex())] = true;
  }
  return isRead;
}

bool isAnyUnread(const std::vector<bool>& isRead) { return std::ranges::find(isRead, false) != isRead.end(); }

// The tuple's users take the same values from one that has only the elements that are read.
void narrow(Instruction& tuple, const std::vector<bool>& isRead) {
  std::vector<Shape> shapes;
  std::vector<int64_t> places(isRead.size());
  for (size_t k = 0; k < isRead.size(); ++k) {
    places[k] = static_cast<int64_t>(shapes.size());
    if (isRead[k]) shapes.push_back(tuple.shape().tupleShapes()[k]);
  }
  tuple.setShape(Shape::tuple(shapes));
  tuple.erase(Attr::Origin);  // it tells of all elements
  for (Instruction* user : tuple.users())
    user->set<Attr::Index>(places[static_cast<size_t>(user->tupleIndex())]);
}

Computation* ownBranch(Instruction& conditional, Computation* branch) {
  Computation* own = cloneComputation(*branch, &conditional.parent());
  redirectCall(conditional, branch, own);
  return own;
}

bool mayChange(const Instruction& conditional, PassContext& context, std::string_view what) {
  if (!context.mayChange(conditional)) return false;
  context.remark(conditional, "simplified", std::string(what));
  return true;
}

bool endsInTuple(const Computation* branch) { return branch->root()->opcode() == Opcode::Tuple; }

}  // namespace

bool dropUnreadOperands(Instruction& conditional, PassContext& context) {
  bool changed = false;
  const auto called = conditional.calledComputations();
  const std::vector<Computation*> branches(called.begin(), called.end());
  for (size_t k = 0; k < branches.size(); ++k) {
    const Instruction& parameter = *branches[k]->parameters()[0];
    if (!parameter.shape().isTuple()) continue;
    const std::vector<bool> isRead = readElements(parameter);
    if (!isAnyUnread(isRead) || !mayChange(conditional, context, "elements of operands that nothing reads"))
      continue;
    narrow(*ownBranch(conditional, branches[k])->parameters()[0], isRead);
    Instruction* operand = conditional.operand(k + 1);
    std::vector<Instruction*> kept;
    std::vector<Shape> shapes;
    for (size_t e = 0; e < isRead.size(); ++e) {
      if (!isRead[e]) continue;
      kept.push_back(operand->opcode() == Opcode::Tuple
                         ? operand->operand(e)
                         : elementOfTuple(operand, static_cast<int64_t>(e), conditional));
      shapes.push_back(kept.back()->shape());
    }
    conditional.setOperand(
        k + 1, conditional.parent().create(Opcode::Tuple, Shape::tuple(shapes), kept, {}, &conditional));
    changed = true;
  }
  return changed;
}

bool dropUnreadResults(Instruction& conditional, PassContext& context) {
  if (!conditional.shape().isTuple() || !std::ranges::all_of(conditional.calledComputations(), endsInTuple))
    return false;
  const std::vector<bool> isRead = readElements(conditional);
  if (!isAnyUnread(isRead) || !mayChange(conditional, context, "results that nothing reads")) return false;
  const auto called = conditional.calledComputations();
  const std::vector<Computation*> branches(called.begin(), called.end());
  for (Computation* branch : branches) {
    Computation* own = ownBranch(conditional, branch);
    std::vector<Instruction*> kept;
    std::vector<Shape> shapes;
    for (size_t k = 0; k < isRead.size(); ++k) {
      if (!isRead[k]) continue;
      kept.push_back(own->root()->operand(k));
      shapes.push_back(kept.back()->shape());
    }
    own->setRoot(own->create(Opcode::Tuple, Shape::tuple(shapes), kept));
  }
  narrow(conditional, isRead);
  return true;
}

bool mergeEqualResults(Instruction& conditional, PassContext& context) {
  const auto branches = conditional.calledComputations();
  if (!conditional.shape().isTuple() || conditional.isRoot() || !std::ranges::all_of(branches, endsInTuple) ||
      !std::ranges::all_of(conditional.users(), isTaken))
    return false;
  const auto areEqual = [&](size_t a, size_t b) {
    return std::ranges::all_of(branches, [&](const Computation* branch) {
      return branch->root()->operand(a) == branch->root()->operand(b);
    });
  };
  bool changed = false;
  for (Instruction* user : conditional.users()) {
    const auto index = static_cast<size_t>(user->tupleIndex());
    size_t first = 0;
    while (!areEqual(first, index)) ++first;
    if (first == index || !mayChange(conditional, context, "results that are equal in every branch"))
      continue;
    user->set<Attr::Index>(static_cast<int64_t>(first));
    changed = true;
  }
  return changed;
}

}  // namespace hilo
