#include "core/compiler/passes/fusion/multi_output_fusion.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/compiler/passes/fusion/fusible.h"
#include "core/compiler/passes/fusion/kernel_space.h"
#include "core/compiler/passes/fusion/merge_fusions.h"

namespace hilo {
namespace {

constexpr size_t kMostOperands = 64;

bool isKernel(const Instruction& i) {
  if (i.has(Attr::ControlPredecessors)) return false;
  if (i.opcode() == Opcode::Fusion) {
    return i.get<Attr::FusionKindKind>() == FusionKind::Loop ||
           i.get<Attr::FusionKindKind>() == FusionKind::Input;
  }
  return isFusible(i) && i.shape().isArray() && i.opcode() != Opcode::Bitcast && i.operandCount() > 0;
}

// Through a get-tuple-element.
Instruction& makerOf(Instruction& value) {
  return value.opcode() == Opcode::GetTupleElement ? *value.operand(0) : value;
}

class Merger {
 public:
  Merger(Computation& computation, PassContext& context) : computation_(computation), context_(context) {
    for (Instruction* i : computation.instructions()) {
      place_[i] = static_cast<int64_t>(place_.size());
      for (const Instruction* earlier : i->get<Attr::ControlPredecessors>()) after_[earlier].push_back(i);
    }
  }

  bool run() {
    bool changed = false;
    std::vector<Instruction*> values;
    for (Instruction* i : computation_.instructions()) values.push_back(i);
    // A value that was merged is not in the module any more.
    std::vector<InstructionId> ids;
    for (const Instruction* value : values) ids.push_back(value->id());
    for (const InstructionId id : ids) {
      while (Instruction* value = computation_.module().instruction(id)) {
        if (context_.cancelled() || context_.fuel().isSpent() || !mergeAround(*value)) break;
        changed = true;
      }
    }
    if (changed) orderByOperands(computation_);
    return changed;
  }

 private:
  bool mergeAround(Instruction& value) {
    if (!value.shape().isArray() || value.shape().elementCount() <= 1 || value.opcode() == Opcode::Constant)
      return false;
    std::vector<Instruction*> readers;
    for (Instruction* user : value.users()) {
      if (isKernel(*user)) readers.push_back(user);
    }
    std::ranges::sort(readers, {}, [&](const Instruction* i) { return placeOf(*i); });
    Instruction& maker = makerOf(value);
    if (isKernel(maker) && value.users().size() + (value.isRoot() ? 1U : 0U) > 1) {
      for (Instruction* reader : readers) {
        if (tryMerge(maker, *reader)) return true;
      }
    }
    for (size_t a = 0; a < readers.size(); ++a) {
      for (size_t b = a + 1; b < std::min(readers.size(), a + 16); ++b) {
        if (tryMerge(*readers[a], *readers[b])) return true;
      }
    }
    return false;
  }

  bool tryMerge(Instruction& first, Instruction& second) {
    const auto one = kernelSpace(first), other = kernelSpace(second);
    if (!one || !other || *one != *other) return false;
    if (first.operandCount() + second.operandCount() > kMostOperands) return false;
    if (after_.contains(&first) || after_.contains(&second)) return false;
    if (apart_.contains({first.id(), second.id()})) return false;
    if (reaches(first, second, /*directly=*/false) || reaches(second, first, /*directly=*/true)) {
      apart_.insert({first.id(), second.id()});
      context_.remark(second, "missed", fmt::format("%{} is needed in between", first.name()));
      return false;
    }
    if (!context_.mayChange(second)) return false;
    context_.remark(second, "fused",
                    fmt::format("with %{} into one kernel of several results", first.name()));
    const int64_t place = placeOf(second);
    Instruction* merged = mergeFusions(std::vector<Instruction*>{&first, &second});
    place_[merged] = place;
    for (Instruction* element : merged->users()) place_[element] = place;
    return true;
  }

  int64_t placeOf(const Instruction& i) const {
    const auto found = place_.find(&i);
    return found == place_.end() ? INT64_MAX : found->second;
  }

  // Whether a way leads from `from` to `to`; directly: also one through no others than elements of its tuple.
  bool reaches(const Instruction& from, const Instruction& to, bool directly) const {
    std::vector<const Instruction*> work;
    absl::flat_hash_set<const Instruction*> seen;
    const auto push = [&](const Instruction* i) {
      if (seen.insert(i).second) work.push_back(i);
    };
    const auto pushUsers = [&](const Instruction& i, bool isStart) {
      for (const Instruction* user : i.users()) {
        if (!isStart || directly || user != &to) push(user);
      }
      if (const auto later = after_.find(&i); later != after_.end())
        std::ranges::for_each(later->second, push);
    };
    pushUsers(from, true);
    for (const Instruction* user : from.users()) {
      if (user->opcode() != Opcode::GetTupleElement || user == &to) continue;
      seen.insert(user);
      std::erase(work, user);
      pushUsers(*user, true);
    }
    while (!work.empty()) {
      const Instruction* i = work.back();
      work.pop_back();
      if (i == &to) return true;
      pushUsers(*i, false);
    }
    return false;
  }

  Computation& computation_;
  PassContext& context_;
  absl::flat_hash_map<const Instruction*, int64_t> place_;
  // Pairs with others between them: merges make more ways, never fewer.
  absl::flat_hash_set<std::pair<InstructionId, InstructionId>> apart_;
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> after_;  // by control edges
};

}  // namespace

Result<bool> fuseOutputs(Module& module, PassContext& context) {
  TRY(const CallGraph graph, CallGraph::build(module));
  const std::vector<Computation*> computations(module.computations().begin(), module.computations().end());
  bool changed = false;
  for (Computation* computation : computations) {
    if (context.cancelled() || context.fuel().isSpent()) return changed;
    if (graph.runsInstructions(*computation)) changed |= Merger(*computation, context).run();
  }
  return changed;
}

}  // namespace hilo
