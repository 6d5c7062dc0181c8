#include "core/compiler/passes/simplify/common_subexpression_elimination.h"

#include <xxhash.h>

#include "core/analysis/async_op.h"
#include "core/compiler/pass/main_computations.h"
#include "core/hlo/ir/attribute_equality.h"
#include "core/hlo/ir/side_effects.h"

namespace hilo {
namespace {

// What two equal instructions surely share; sameMeaning decides among those with the same key.
struct Key {
  Opcode opcode;
  Shape shape;
  uint64_t content;  // of operands, or of a constant's bytes

  friend bool operator==(const Key&, const Key&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Key& key) {
    return H::combine(std::move(h), key.opcode, key.shape, key.content);
  }
};

bool isCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::Add:
    case Opcode::Multiply:
    case Opcode::Maximum:
    case Opcode::Minimum:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return true;
    default:
      return false;
  }
}

// In an order that does not depend on how they are written, where the operation has none.
absl::InlinedVector<const Instruction*, 4> operandsInOrder(const Instruction& instruction) {
  absl::InlinedVector<const Instruction*, 4> operands(instruction.operands().begin(),
                                                      instruction.operands().end());
  if (isCommutative(instruction.opcode())) std::ranges::sort(operands, std::less<>());
  return operands;
}

Key keyOf(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::Constant) {
    const auto bytes = instruction.literal().bytes();
    return {instruction.opcode(), instruction.shape(), XXH3_64bits(bytes.data(), bytes.size())};
  }
  const auto operands = operandsInOrder(instruction);
  return {instruction.opcode(), instruction.shape(),
          XXH3_64bits(operands.data(), operands.size() * sizeof(const Instruction*))};
}

// Shardings of Shardy are frontend attributes, and what bears another one is another value.
bool sameShardySharding(const Instruction& a, const Instruction& b) {
  return frontendAttribute(a, "xla.sdy.sharding") == frontendAttribute(b, "xla.sdy.sharding");
}

bool mayMerge(const Instruction& instruction,
              const absl::flat_hash_set<const Instruction*>& controlPredecessors,
              const CseSettings& settings) {
  if (settings.onlyScalars && instruction.shape().isArray() && instruction.shape().rank() != 0) return false;
  if (instruction.opcode() == Opcode::Parameter || instruction.opcode() == Opcode::AfterAll) return false;
  const bool isOrdered =
      instruction.has(Attr::ControlPredecessors) || controlPredecessors.contains(&instruction);
  if (isOrdered && !settings.ignoreControlDependencies) return false;
  if (instruction.opcode() == Opcode::Constant && instruction.literal().isElided()) return false;
  return !hasSideEffect(instruction);
}

bool mergeIn(Computation& computation, PassContext& context, const CseSettings& settings) {
  absl::flat_hash_set<const Instruction*> controlPredecessors;
  for (const Instruction* instruction : computation.instructions()) {
    for (const Instruction* p : instruction->get<Attr::ControlPredecessors>()) controlPredecessors.insert(p);
  }
  std::vector<Instruction*> merged;
  absl::flat_hash_map<Key, absl::InlinedVector<Instruction*, 1>> seen;
  for (Instruction* instruction : computation.instructions()) {
    if (!mayMerge(*instruction, controlPredecessors, settings)) continue;
    auto& candidates = seen[keyOf(*instruction)];
    const auto same = std::ranges::find_if(candidates, [&](const Instruction* earlier) {
      return operandsInOrder(*earlier) == operandsInOrder(*instruction) &&
             sameMeaning(*earlier, *instruction) && sameShardySharding(*earlier, *instruction);
    });
    if (same == candidates.end()) {
      candidates.push_back(instruction);
    } else if ((!instruction->users().empty() || instruction->isRoot()) && context.mayChange(*instruction)) {
      context.remark(*instruction, "merged", fmt::format("computes the same as %{}", (*same)->name()));
      computation.replaceAllUses(instruction, *same);
      merged.push_back(instruction);
    }
  }
  // Within fusions nothing may be left that nobody uses; its operands are those of what took its place.
  if (!merged.empty()) computation.removeAll(merged);
  return !merged.empty();
}

}  // namespace

Result<bool> eliminateCommonSubexpressions(Module& module, PassContext& context,
                                           const CseSettings& settings) {
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    if (context.cancelled()) return changed;
    changed |= mergeIn(*computation, context, settings);
  }
  return changed;
}

}  // namespace hilo
