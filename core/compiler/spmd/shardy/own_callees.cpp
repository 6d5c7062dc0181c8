#include "core/compiler/spmd/shardy/own_callees.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/compiler/pass/clone_computation.h"
#include "core/hlo/ir/attribute_equality.h"

namespace hilo::sdy {
namespace {

// How much a module may grow: nested calls double at every level.
constexpr size_t kMaxInstructions = size_t{1} << 22, kMaxCopies = size_t{1} << 13;

bool hasShardingsInside(const Instruction& caller) {
  return caller.opcode() == Opcode::Call || caller.opcode() == Opcode::While ||
         caller.opcode() == Opcode::Conditional;
}

// The same instruction on the same operands, with the same shardings.
bool isAlike(const Computation& a, const Computation& b) {
  if (a.instructionCount() != b.instructionCount()) return false;
  absl::flat_hash_map<const Instruction*, const Instruction*> partner;
  auto other = b.instructions().begin();
  for (const Instruction* i : a.instructions()) {
    const Instruction* j = *other;
    ++other;
    if (i->opcode() != j->opcode() || i->shape() != j->shape() || !sameMeaning(*i, *j)) return false;
    const auto isPartner = [&](const Instruction* x, const Instruction* y) {
      const auto found = partner.find(x);
      return found != partner.end() && found->second == y;
    };
    if (!std::ranges::equal(i->operands(), j->operands(), isPartner)) return false;
    partner[i] = j;
  }
  return partner[a.root()] == b.root();
}

}  // namespace

Result<std::vector<OwnCallee>> giveOwnCallees(Module& module) {
  std::vector<OwnCallee> made;
  absl::flat_hash_set<const Computation*> taken;
  size_t instructions = module.instructionCount();
  std::vector<Computation*> open = {module.entry()};
  while (!open.empty()) {
    Computation* computation = open.back();
    open.pop_back();
    for (Instruction* caller : computation->instructions()) {
      if (!hasShardingsInside(*caller)) continue;
      const auto called = caller->calledComputations();
      for (Computation* callee : std::vector<Computation*>(called.begin(), called.end())) {
        Computation* own = callee;
        if (!taken.insert(callee).second) {
          instructions += callee->instructionCount();
          if (instructions > kMaxInstructions || made.size() == kMaxCopies)
            return fail(
                "module-too-large",
                fmt::format("{} calls {}: copies for each caller would be more than {} of {} instructions",
                            caller->name(), callee->name(), kMaxCopies, kMaxInstructions));
          own = cloneComputation(*callee, callee);
          redirectCall(*caller, callee, own);
          taken.insert(own);
          made.push_back({caller->id(), callee, own});
        }
        open.push_back(own);
      }
    }
  }
  return made;
}

// Copies that others call go first: then their callers call the same.
void mergeCallees(Module& module, std::span<const OwnCallee> made) {
  absl::flat_hash_map<const Computation*, const Computation*> originOf;
  absl::flat_hash_map<const Computation*, std::vector<Computation*>> kept;
  for (const OwnCallee& callee : made) {
    const auto found = originOf.find(callee.original);
    const Computation* origin = found == originOf.end() ? callee.original : found->second;
    originOf[callee.copy] = origin;
    auto& family = kept[origin];
    if (family.empty()) family.push_back(callee.original);
    family.push_back(callee.copy);
  }
  for (size_t n = made.size(); n-- > 0;) {
    Instruction* caller = module.instruction(made[n].caller);
    Computation* copy = made[n].copy;
    if (caller == nullptr || caller->opcode() != Opcode::Call) continue;
    auto& family = kept[originOf[copy]];
    const auto same = std::ranges::find_if(
        family, [&](Computation* other) { return other != copy && isAlike(*other, *copy); });
    if (same == family.end()) continue;
    redirectCall(*caller, copy, *same);
    std::erase(family, copy);
    module.removeComputation(copy);
  }
}

}  // namespace hilo::sdy
