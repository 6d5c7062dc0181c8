#include "core/compiler/passes/collectives/schedule_aware_cse.h"

#include <absl/container/flat_hash_map.h>

#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/collective_match.h"
#include "core/compiler/passes/collectives/permute_pairs.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

// Whether all a reshape or bitcast does is to add dimensions of size 1.
bool addsOnlyOnes(const Instruction& i) {
  if (i.opcode() != Opcode::Reshape && i.opcode() != Opcode::Bitcast) return false;
  const Shape from = i.operand(0)->shape();
  if (!from.isArray() || !i.shape().isArray() || from.elementType() != i.shape().elementType()) return false;
  size_t matched = 0;
  for (const int64_t size : i.shape().dimensions()) {
    if (matched < from.rank() && size == from.dimension(matched)) {
      ++matched;
    } else if (size != 1) {
      return false;
    }
  }
  return matched == from.rank();
}

const Instruction* valueBehindOnes(const Instruction* value) {
  while (addsOnlyOnes(*value)) value = value->operand(0);
  return value;
}

bool isConsidered(const Instruction& i, bool ofReplicas) {
  if (i.operandCount() == 0 || i.has(Attr::ChannelId) == ofReplicas) return false;
  if (i.opcode() == Opcode::CollectivePermute) return true;
  if (i.get<Attr::ConstrainLayout>().value_or(false)) return false;
  if (i.opcode() == Opcode::AllGather) return true;
  return i.opcode() == Opcode::AllReduce && i.shape().isArray() &&
         i.operand(0)->opcode() == Opcode::DynamicUpdateSlice &&
         i.operand(0)->operand(0)->opcode() == Opcode::Broadcast;
}

bool doSame(const Instruction& a, const Instruction& b) {
  return a.shape() == b.shape() && sameCollective(a, b) && collectiveGroupKey(a) == collectiveGroupKey(b) &&
         writtenPairs(a) == writtenPairs(b) && a.operandCount() == b.operandCount() &&
         std::ranges::equal(a.operands().subspan(1), b.operands().subspan(1));
}

class Merger {
 public:
  Merger(Computation& computation, PassContext& context, const NearCollectives& which)
      : computation_(computation), context_(context), which_(which), order_(postOrder(computation)) {
    for (size_t k = order_.size(); k-- > 0;) {
      int64_t height = 0;
      for (const Instruction* user : order_[k]->users()) height = std::max(height, height_[user] + 1);
      height_[order_[k]] = height;
    }
  }

  bool run() {
    for (Instruction* i : order_) {
      if (isConsidered(*i, which_.ofReplicas)) mergeOrKeep(*i);
    }
    if (changed_) computation_.reorder(postOrder(computation_));
    return changed_;
  }

 private:
  void mergeOrKeep(Instruction& later) {
    std::vector<Instruction*>& known = byValue_[valueBehindOnes(later.operand(0))];
    const auto same =
        std::ranges::find_if(known, [&](const Instruction* each) { return doSame(*each, later); });
    if (same == known.end()) {
      known.push_back(&later);
    } else if (later.opcode() != Opcode::CollectivePermute && isFar(**same, later)) {
      context_.remark(later, "missed", fmt::format("%{} is wanted far from here", (*same)->name()));
      *same = &later;
    } else if (context_.mayChange(later)) {
      context_.remark(later, "merged", fmt::format("into %{}", (*same)->name()));
      computation_.replaceAllUses(&later, *same);
      redirectControlPredecessors(computation_, {{&later, *same}});
      computation_.remove(&later);
      changed_ = true;
    }
  }

  bool isFar(const Instruction& earlier, const Instruction& later) const {
    int64_t lowest = height_.at(&earlier);
    for (const Instruction* user : earlier.users()) lowest = std::min(lowest, height_.at(user));
    return lowest - height_.at(&later) > which_.distance;
  }

  Computation& computation_;
  PassContext& context_;
  const NearCollectives& which_;
  std::vector<Instruction*> order_;
  absl::flat_hash_map<const Instruction*, int64_t> height_;  // the longest way to the root, in instructions
  absl::flat_hash_map<const Instruction*, std::vector<Instruction*>> byValue_;
  bool changed_ = false;
};

}  // namespace

Result<bool> mergeNearCollectives(Module& module, PassContext& context, const NearCollectives& which) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (context.cancelled()) return changed;
    changed |= Merger(*computation, context, which).run();
  }
  return changed;
}

}  // namespace hilo
