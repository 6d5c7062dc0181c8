#include "core/compiler/passes/simplify/dead_code_elimination.h"

#include "core/compiler/passes/simplify/dead_fusion_outputs.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// A sharding that was put on a value besides, as XLA keeps it: as long as something else needs the value.
bool isShardingOfLive(const Instruction& i) {
  if (i.opcode() != Opcode::CustomCall || i.get<Attr::CustomCallTarget>() != "Sharding") return false;
  const Instruction& value = *i.operand(0);
  return value.isRoot() || value.opcode() == Opcode::Parameter || value.users().size() > 1;
}

// Every user stands after its operands, so one walk from the end finds all that is dead.
bool removeDeadInstructions(Computation& computation, PassContext& context) {
  absl::flat_hash_set<const Instruction*> dead;
  std::vector<Instruction*> order;
  const auto isDead = [&](const Instruction* user) { return dead.contains(user); };
  for (Instruction* i = computation.last(); i != nullptr; i = i->previous()) {
    if (i->isRoot() || i->opcode() == Opcode::Parameter || !std::ranges::all_of(i->users(), isDead)) continue;
    if (hasSideEffect(*i) || isShardingOfLive(*i) || !context.mayChange(*i)) continue;
    dead.insert(i);
    order.push_back(i);
    context.remark(*i, "removed", "nothing uses it");
  }
  if (!order.empty()) computation.removeAll(order);
  return !order.empty();
}

// A caller stands after what it calls in a module that was printed by XLA, but that is not promised: repeat
// until nothing is left to remove.
bool removeDeadComputations(Module& module) {
  bool changed = false;
  for (;;) {
    absl::flat_hash_set<const Computation*> called = {module.entry()};
    for (const Computation* computation : module.computations()) {
      for (const Instruction* instruction : computation->instructions()) {
        for (const Computation* callee : instruction->calledComputations()) called.insert(callee);
      }
    }
    std::vector<Computation*> dead;
    for (Computation* computation : module.computations()) {
      if (!called.contains(computation)) dead.push_back(computation);
    }
    if (dead.empty()) return changed;
    for (Computation* computation : dead) module.removeComputation(computation);
    changed = true;
  }
}

}  // namespace

Result<bool> eliminateDeadCode(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : module.computations()) {
    if (context.cancelled()) return changed;
    changed |= removeDeadInstructions(*computation, context);
  }
  changed |= removeDeadFusionOutputs(module, context);
  if (!context.fuel().isSpent()) changed |= removeDeadComputations(module);
  return changed;
}

}  // namespace hilo
