#include "core/compiler/passes/simplify/computation_deduplicator.h"

#include <absl/container/flat_hash_map.h>

#include "core/compiler/pass/main_computations.h"
#include "core/hlo/ir/attribute_equality.h"

namespace hilo {
namespace {

constexpr size_t kMostInstructions = 128;
constexpr int64_t kMostConstantBytes = 1024;

// The same operations on the same operands, in the same order.
bool areEqual(const Computation& a, const Computation& b) {
  if (a.instructionCount() != b.instructionCount()) return false;
  absl::flat_hash_map<const Instruction*, const Instruction*> partner;
  const Instruction* other = b.first();
  for (const Instruction* i : a.instructions()) {
    if (i->opcode() != other->opcode() || i->shape() != other->shape() ||
        i->operandCount() != other->operandCount() || !sameMeaning(*i, *other))
      return false;
    for (size_t k = 0; k < i->operandCount(); ++k) {
      if (partner.at(i->operand(k)) != other->operand(k)) return false;
    }
    partner[i] = other;
    other = other->next();
  }
  return partner.at(a.root()) == b.root();
}

// Computations with many constants are not worth the comparison.
bool isSmall(const Computation& computation) {
  int64_t bytes = 0;
  for (const Instruction* i : computation.instructions()) {
    if (i->opcode() == Opcode::Constant) bytes += i->shape().byteSize();
  }
  return computation.instructionCount() <= kMostInstructions && bytes <= kMostConstantBytes;
}

bool isCollective(const Instruction& i) { return opcodeClass(i.opcode()) == OpcodeClass::Collective; }

bool isApplied(const Instruction& i) {
  return i.has(Attr::ToApply) && i.opcode() != Opcode::Call && isSmall(*i.get<Attr::ToApply>());
}

// By what is quickly told, computations that may be equal.
uint64_t keyOf(const Computation& computation, bool ofCollective) {
  uint64_t key = computation.instructionCount() * 2 + (ofCollective ? 1 : 0);
  for (const Instruction* i : computation.instructions())
    key = key * 131 + static_cast<uint64_t>(i->opcode());
  return key;
}

}  // namespace

Result<bool> deduplicateComputations(Module& module, PassContext& context) {
  // Those of collectives apart: a pass may change one and not the other.
  absl::flat_hash_map<uint64_t, std::vector<Computation*>> kept;
  absl::flat_hash_map<std::pair<const Computation*, bool>, Computation*> instead;
  bool changed = false;
  for (Computation* computation : mainComputations(module)) {
    for (Instruction* i : computation->instructions()) {
      if (context.cancelled()) return changed;
      if (!isApplied(*i)) continue;
      Computation* applied = i->get<Attr::ToApply>();
      const auto [found, isNew] = instead.try_emplace({applied, isCollective(*i)}, applied);
      if (isNew) {
        auto& candidates = kept[keyOf(*applied, isCollective(*i))];
        for (Computation* candidate : candidates) {
          if (areEqual(*candidate, *applied)) found->second = candidate;
        }
        if (found->second == applied) candidates.push_back(applied);
      }
      if (found->second == applied) continue;
      if (!context.mayChange(*i)) return changed;
      context.remark(*i, "deduplicated", fmt::format("applies {} as others do", found->second->name()));
      i->set<Attr::ToApply>(found->second);
      changed = true;
    }
  }
  return changed;
}

}  // namespace hilo
