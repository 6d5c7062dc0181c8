#include "core/compiler/passes/simplify/algebraic_simplifier.h"

#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo {
namespace {

// A rewrite can make another one possible behind it, never without end; the limit is for a bug in a rule.

// Attributes of the instruction that went that its replacement, if new, should carry on.
void inheritAttributes(const Instruction& from, Instruction& to) {
  if (const OpMetadata* metadata = from.get<Attr::Metadata>();
      metadata != nullptr && !to.has(Attr::Metadata)) {
    to.set<Attr::Metadata>(metadata);
  }
  if (const Sharding* sharding = from.get<Attr::Sharding>(); sharding != nullptr && !to.has(Attr::Sharding)) {
    to.set<Attr::Sharding>(sharding);
  }
}

bool mayRewrite(const Instruction& instruction) {
  if (instruction.has(Attr::ControlPredecessors)) return false;
  return !instruction.users().empty() || instruction.isRoot();
}

// What a rule made before it was refused: nothing uses it, the last one least.
void removeMade(Module& module, uint32_t firstId) {
  for (uint32_t id = module.idLimit(); id > firstId; --id) {
    Instruction* made = module.instruction(InstructionId{id - 1});
    if (made != nullptr && made->users().empty()) made->parent().remove(made);
  }
}

// Applies the first rule that does; true when one did.
bool rewrite(Instruction& instruction, PassContext& context) {
  Computation& computation = instruction.parent();
  for (const algebra::Rule* rule : algebra::rulesOf(instruction.opcode())) {
    const uint32_t idsBefore = computation.module().idLimit();
    Instruction* simpler = rule->rewrite(instruction);
    if (simpler == nullptr || simpler == &instruction) continue;
    if (simpler->shape() != instruction.shape()) continue;
    if (!context.mayChange(instruction)) {
      removeMade(computation.module(), idsBefore);
      return false;
    }
    if (simpler->id().value >= idsBefore) inheritAttributes(instruction, *simpler);
    context.remark(instruction, "simplified",
                   fmt::format("{}: {}; now %{}", rule->name, rule->identity, simpler->name()));
    computation.replaceAllUses(&instruction, simpler);
    return true;
  }
  return false;
}

bool simplifyOnce(Computation& computation, PassContext& context) {
  bool changed = false;
  for (Instruction* instruction : computation.instructions()) {
    if (context.cancelled() || context.fuel().isSpent()) return changed;
    if (mayRewrite(*instruction)) changed |= rewrite(*instruction, context);
  }
  return changed;
}

}  // namespace

Result<bool> simplifyAlgebra(Module& module, PassContext& context, const AlgebraLimits& limits) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (int64_t round = 0; round < limits.rounds && simplifyOnce(*computation, context); ++round)
      changed = true;
  }
  return changed;
}

}  // namespace hilo
