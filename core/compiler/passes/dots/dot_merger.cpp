#include "core/compiler/passes/dots/dot_merger.h"

#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/analysis/saturating.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/dots/dot_pair.h"
#include "core/compiler/passes/fusion/kernel_order.h"
#include "core/compiler/passes/fusion/merge_fusions.h"
#include "core/compiler/passes/shape_ops.h"

namespace hilo {
namespace {

bool mayMerge(const Instruction& i) {
  return i.opcode() == Opcode::Dot && i.operandCount() == 2 && !i.has(Attr::SparsityConfig) &&
         isPlainArray(i.shape()) && isPlainArray(i.operand(0)->shape()) &&
         isPlainArray(i.operand(1)->shape());
}

int64_t bytesOf(const Instruction& dot) {
  return saturatingAdd(dot.shape().byteSize(),
                       saturatingAdd(dot.operand(0)->shape().byteSize(), dot.operand(1)->shape().byteSize()));
}

// Who reads the array, as it is or transposed.
void addReaders(const Instruction& array, std::vector<Instruction*>& readers) {
  for (Instruction* user : array.users()) {
    readers.push_back(user);
    if (user->opcode() == Opcode::Transpose) addReaders(*user, readers);
  }
}

class DotMerger {
 public:
  DotMerger(Computation& computation, PassContext& context, int64_t maxBytes)
      : computation_(computation), context_(context), maxBytes_(maxBytes), order_(computation) {}

  bool run() {
    std::vector<InstructionId> ids;
    for (const Instruction* i : computation_.instructions()) {
      if (!mayMerge(*i)) continue;
      ids.push_back(i->id());
      if (bytesOf(*i) > maxBytes_) large_.insert(i->id());
    }
    bool changed = false;
    for (const InstructionId id : ids) {
      Instruction* dot = computation_.module().instruction(id);
      while (dot != nullptr && !context_.cancelled() && !context_.fuel().isSpent()) {
        passed_.insert(dot->id());
        dot = mergeWithOne(*dot);
        changed |= dot != nullptr;
      }
    }
    if (changed) orderByOperands(computation_);
    return changed;
  }

 private:
  // The dot that does both; null: none goes with it.
  Instruction* mergeWithOne(Instruction& first) {
    if (order_.hasControl(first)) return nullptr;
    std::vector<Instruction*> others;
    for (Instruction* operand : first.operands()) addReaders(*beforeTransposes(operand), others);
    std::ranges::sort(others, {}, [](const Instruction* i) { return i->id().value; });
    for (Instruction* second : others) {
      if (passed_.contains(second->id()) || !mayMerge(*second) || order_.hasControl(*second)) continue;
      const auto pair = dotPairOf(first, *second);
      if (!pair || areBothLarge(first, *second) || order_.leadsTo(first, *second) ||
          order_.leadsTo(*second, first) || !context_.mayChange(first))
        continue;
      context_.remark(first, "merged", fmt::format("with %{}", second->name()));
      const int64_t one = order_.placeOf(first), other = order_.placeOf(*second);
      order_.forget(first);
      order_.forget(*second);
      const bool isLarge = large_.contains(first.id()) || large_.contains(second->id());
      Instruction* dot = mergePair(first, *second, *pair);
      if (isLarge) large_.insert(dot->id());
      order_.merge(one, other, *dot->operand(1 - pair->sideInFirst));
      return dot;
    }
    return nullptr;
  }

  // One that is large may take in small ones.
  bool areBothLarge(const Instruction& first, const Instruction& second) {
    const bool both = large_.contains(first.id()) && large_.contains(second.id());
    if (both) context_.remark(first, "missed", fmt::format("it and %{} are large", second.name()));
    return both;
  }

  Computation& computation_;
  PassContext& context_;
  const int64_t maxBytes_;
  KernelOrder order_;
  absl::flat_hash_set<InstructionId> large_;   // of more bytes than asked for, or with such a one in it
  absl::flat_hash_set<InstructionId> passed_;  // each pair is looked at once, from the dot that stands first
};

}  // namespace

Result<bool> mergeDots(Module& module, PassContext& context, const DotMergerSettings& settings) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module))
    changed |= DotMerger(*computation, context, settings.maxBytes).run();
  return changed;
}

}  // namespace hilo
