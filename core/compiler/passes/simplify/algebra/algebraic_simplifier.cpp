#include "core/compiler/passes/simplify/algebra/algebraic_simplifier.h"

#include "core/compiler/pass/kept_sharding.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/simplify/algebra/rule.h"

namespace hilo {
namespace {

// The metadata of the instruction that went, which its replacement, if new, carries on.
void inheritMetadata(const Instruction& from, Instruction& to) {
  const OpMetadata* metadata = from.get<Attr::Metadata>();
  if (metadata != nullptr && !to.has(Attr::Metadata)) to.set<Attr::Metadata>(metadata);
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
bool rewrite(Instruction& instruction, const AlgebraSettings& settings, PassContext& context) {
  Computation& computation = instruction.parent();
  for (const algebra::Rule* rule : algebra::rulesOf(instruction.opcode())) {
    if (rule->isOn != nullptr && !rule->isOn(settings)) continue;
    const uint32_t idsBefore = computation.module().idLimit();
    Instruction* simpler = rule->rewrite(instruction);
    if (simpler == nullptr || simpler == &instruction) continue;
    if (simpler->shape() != instruction.shape() || !keepsSharding(instruction, *simpler)) {
      removeMade(computation.module(), idsBefore);
      continue;
    }
    if (!context.mayChange(instruction)) {
      removeMade(computation.module(), idsBefore);
      return false;
    }
    if (simpler->id().value >= idsBefore) inheritMetadata(instruction, *simpler);
    takeSharding(instruction, *simpler);
    context.remark(instruction, "simplified",
                   fmt::format("{}: {}; now %{}", rule->name, rule->identity, simpler->name()));
    computation.replaceAllUses(&instruction, simpler);
    return true;
  }
  return false;
}

bool simplifyOnce(Computation& computation, const AlgebraSettings& settings, PassContext& context) {
  bool changed = false;
  for (Instruction* instruction : computation.instructions()) {
    if (context.cancelled() || context.fuel().isSpent()) return changed;
    if (mayRewrite(*instruction)) changed |= rewrite(*instruction, settings, context);
  }
  return changed;
}

}  // namespace

Result<bool> simplifyAlgebra(Module& module, PassContext& context, const AlgebraSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    for (int64_t round = 0; round < settings.rounds && simplifyOnce(*computation, settings, context); ++round)
      changed = true;
  }
  return changed;
}

}  // namespace hilo
