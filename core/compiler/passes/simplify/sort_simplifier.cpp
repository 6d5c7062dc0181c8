#include "core/compiler/passes/simplify/sort_simplifier.h"

#include <absl/container/flat_hash_map.h>
#include <algorithm>

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

// Of each operand: is it compared, or its sorted array read?
std::vector<bool> usedOperands(const Instruction& sort) {
  std::vector<bool> used(sort.operandCount());
  const auto parameters = sort.get<Attr::ToApply>()->parameters();
  for (size_t k = 0; k < used.size(); ++k) {
    const auto isRead = [&](const Instruction* p) { return !p->users().empty() || p->isRoot(); };
    used[k] = isRead(parameters[2 * k]) || isRead(parameters[2 * k + 1]);
  }
  for (const Instruction* user : sort.users()) used[static_cast<size_t>(user->tupleIndex())] = true;
  return used;
}

bool hasUnused(const Instruction& i) {
  if (i.opcode() != Opcode::Sort || i.operandCount() < 2 || i.isRoot() || i.has(Attr::ControlPredecessors))
    return false;
  if (!std::ranges::all_of(i.users(),
                           [](const Instruction* u) { return u->opcode() == Opcode::GetTupleElement; }))
    return false;
  const std::vector<bool> used = usedOperands(i);
  return std::ranges::find(used, false) != used.end() && std::ranges::find(used, true) != used.end();
}

// The comparator without the parameters of what is dropped.
Computation* comparatorOf(const Instruction& sort, const std::vector<bool>& used) {
  const Computation& original = *sort.get<Attr::ToApply>();
  Module& module = sort.module();
  Computation* made = module.createComputation(module.uniqueName(original.name()), &sort.parent());
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  int64_t number = 0;
  for (size_t k = 0; k < original.parameters().size(); ++k) {
    const Instruction* parameter = original.parameters()[k];
    if (used[k / 2]) copies[parameter] = made->createParameter(number++, parameter->shape());
  }
  for (const Instruction* i : original.instructions()) {
    if (i->opcode() == Opcode::Parameter) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : i->operands()) operands.push_back(copies.at(operand));
    copies[i] = made->createLike(*i, operands);
  }
  made->setRoot(copies.at(original.root()));
  return made;
}

void dropUnused(Instruction& sort) {
  const std::vector<bool> used = usedOperands(sort);
  std::vector<Instruction*> operands;
  std::vector<Shape> shapes;
  std::vector<int64_t> places(used.size());
  for (size_t k = 0; k < used.size(); ++k) {
    places[k] = static_cast<int64_t>(operands.size());
    if (!used[k]) continue;
    operands.push_back(sort.operand(k));
    shapes.push_back(sort.shape().tupleShapes()[k]);
  }
  Computation& computation = sort.parent();
  Instruction* made = computation.createLike(sort, operands, &sort);
  made->setShape(shapes.size() == 1 ? shapes[0] : Shape::tuple(shapes));
  made->set<Attr::ToApply>(comparatorOf(sort, used));
  const std::vector<Instruction*> users(sort.users().begin(), sort.users().end());
  for (Instruction* user : users) {
    Instruction* element = shapes.size() == 1
                               ? made
                               : elementOfTuple(made, places[static_cast<size_t>(user->tupleIndex())], *user);
    computation.replaceAllUses(user, element);
    computation.remove(user);
  }
  computation.remove(&sort);
}

}  // namespace

Result<bool> simplifySorts(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    std::vector<Instruction*> sorts;
    for (Instruction* i : computation->instructions()) {
      if (hasUnused(*i)) sorts.push_back(i);
    }
    for (Instruction* sort : sorts) {
      if (context.cancelled() || !context.mayChange(*sort)) return changed;
      context.remark(*sort, "simplified", "arrays that nothing reads are not sorted");
      dropUnused(*sort);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
