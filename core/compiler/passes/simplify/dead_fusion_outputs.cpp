#include "core/compiler/passes/simplify/dead_fusion_outputs.h"

#include <algorithm>

#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// Which results are taken; empty where the fusion is used as a whole, or all are.
std::vector<bool> takenResults(const Instruction& fusion) {
  const Computation* body = fusion.get<Attr::Calls>();
  if (!fusion.shape().isTuple() || fusion.isRoot() || fusion.users().empty() || body == nullptr ||
      body->root()->opcode() != Opcode::Tuple)
    return {};
  std::vector<bool> taken(body->root()->operandCount());
  for (const Instruction* user : fusion.users()) {
    if (user->opcode() != Opcode::GetTupleElement) return {};
    taken[static_cast<size_t>(user->tupleIndex())] = true;
  }
  for (size_t k = 0; k < taken.size(); ++k) taken[k] = taken[k] || hasSideEffect(*body->root()->operand(k));
  return std::ranges::count(taken, false) == 0 ? std::vector<bool>{} : taken;
}

bool isOnlyCaller(const Module& module, const Instruction& fusion) {
  const Computation* body = fusion.get<Attr::Calls>();
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      const auto called = i->calledComputations();
      if (i != &fusion && std::ranges::find(called, body) != called.end()) return false;
    }
  }
  return true;
}

// What waited for the element waits for the fusion.
void waitForInstead(Instruction& element, Instruction& fusion) {
  if (!element.wasControlPredecessor()) return;
  for (Instruction* i : fusion.parent().instructions()) {
    const auto before = i->get<Attr::ControlPredecessors>();
    if (std::ranges::find(before, &element) == before.end()) continue;
    std::vector<Instruction*> changed(before.begin(), before.end());
    std::ranges::replace(changed, &element, &fusion);
    i->set<Attr::ControlPredecessors>(std::span<Instruction* const>(changed));
  }
}

// The body gives the taken results alone, and the fusion with it.
void keepResults(Instruction& fusion, const std::vector<bool>& taken) {
  Computation& body = *fusion.get<Attr::Calls>();
  Instruction* root = body.root();
  std::vector<Instruction*> kept;
  std::vector<Shape> shapes;
  std::vector<int64_t> places(taken.size());
  for (size_t k = 0; k < taken.size(); ++k) {
    places[k] = static_cast<int64_t>(kept.size());
    if (!taken[k]) continue;
    kept.push_back(root->operand(k));
    shapes.push_back(root->operand(k)->shape());
  }
  const bool isOne = kept.size() == 1;
  Instruction* result = isOne ? kept[0] : body.create(Opcode::Tuple, Shape::tuple(shapes), kept, {}, root);
  body.setRoot(result);
  body.remove(root);
  fusion.setShape(result->shape());
  fusion.erase(Attr::Origin);
  const std::vector<Instruction*> users(fusion.users().begin(), fusion.users().end());
  for (Instruction* user : users) {
    if (!isOne) {
      user->set<Attr::Index>(places[static_cast<size_t>(user->tupleIndex())]);
      continue;
    }
    waitForInstead(*user, fusion);
    fusion.parent().replaceAllUses(user, &fusion);
    fusion.parent().remove(user);
  }
}

void sweep(Computation& body) {
  for (Instruction* i = body.last(); i != nullptr;) {
    Instruction* previous = i->previous();
    if (i->users().empty() && !i->isRoot() && i->opcode() != Opcode::Parameter && !hasSideEffect(*i))
      body.remove(i);
    i = previous;
  }
}

}  // namespace

Instruction* withoutUnusedOperands(Instruction& fusion) {
  Computation& body = *fusion.get<Attr::Calls>();
  std::vector<Instruction*> operands;
  const std::vector<Instruction*> parameters(body.parameters().begin(), body.parameters().end());
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (!parameters[k]->users().empty() || parameters[k]->isRoot()) operands.push_back(fusion.operand(k));
  }
  if (operands.size() == fusion.operandCount()) return &fusion;
  Module& module = fusion.module();
  Computation* fewer = module.createComputation(module.uniqueName(body.name()), &body);
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  int64_t number = 0;
  for (const Instruction* parameter : parameters) {
    if (parameter->users().empty() && !parameter->isRoot()) continue;
    copies[parameter] = fewer->createParameter(number++, parameter->shape(), parameter->name());
  }
  for (const Instruction* i : body.instructions()) {
    if (i->opcode() == Opcode::Parameter) continue;
    std::vector<Instruction*> inner;
    for (const Instruction* operand : i->operands()) inner.push_back(copies.at(operand));
    copies[i] = fewer->createLike(*i, inner);
  }
  fewer->setRoot(copies.at(body.root()));
  Instruction* made = fusion.parent().createLike(fusion, operands, &fusion);
  made->set<Attr::Calls>(fewer);
  fusion.parent().replaceAllUses(&fusion, made);
  fusion.parent().remove(&fusion);
  return made;
}

bool removeDeadFusionOutputs(Module& module, PassContext& context) {
  bool changed = false;
  // Bodies are made on the way.
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  for (Computation* computation : computations) {
    for (Instruction* i : computation->instructions()) {
      if (i->opcode() != Opcode::Fusion || i->has(Attr::OutputToOperandAliasing) ||
          i->get<Attr::FusionKindKind>() == FusionKind::Custom)
        continue;
      const std::vector<bool> taken = takenResults(*i);
      if (taken.empty() || std::ranges::count(taken, true) == 0 || !isOnlyCaller(module, *i)) continue;
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "removed", "results that nothing takes");
      keepResults(*i, taken);
      sweep(*i->get<Attr::Calls>());
      const bool isWaited =
          i->has(Attr::ControlPredecessors) || i->wasControlPredecessor() ||
          std::ranges::any_of(i->users(), [](const Instruction* u) { return u->wasControlPredecessor(); });
      if (!isWaited) withoutUnusedOperands(*i);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
