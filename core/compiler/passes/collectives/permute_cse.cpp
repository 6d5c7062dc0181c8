#include "core/compiler/passes/collectives/permute_cse.h"

#include <algorithm>
#include <map>

#include "core/analysis/schedule/verify_order.h"
#include "core/compiler/pass/main_computations.h"
#include "core/compiler/passes/collectives/permute_pairs.h"
#include "core/compiler/passes/control_edges.h"

namespace hilo {
namespace {

using Ranges = std::vector<SliceRange>;

// Where in `from` the value lies: all of it, or its slice; nullopt where it is neither.
std::optional<Ranges> rangesIn(const Instruction& value, const Instruction& from) {
  if (&value == &from) {
    Ranges all;
    for (const int64_t size : from.shape().dimensions()) all.push_back({.start = 0, .limit = size});
    return all;
  }
  if (value.opcode() != Opcode::Slice || value.operand(0) != &from) return std::nullopt;
  const auto ranges = value.get<Attr::Slice>();
  return Ranges(ranges.begin(), ranges.end());
}

// The small ranges as a part of what the large ones cut out; nullopt where they reach beyond it.
std::optional<Ranges> rangesWithin(const Ranges& large, const Ranges& small, Shape largeShape,
                                   Shape smallShape) {
  Ranges within;
  for (size_t d = 0; d < large.size(); ++d) {
    const int64_t distance = small[d].start - large[d].start;
    if (distance < 0 || distance % large[d].stride != 0 || small[d].stride % large[d].stride != 0)
      return std::nullopt;
    const int64_t start = distance / large[d].stride, stride = small[d].stride / large[d].stride;
    const int64_t limit = start + (smallShape.dimension(d) - 1) * stride + 1;
    if (smallShape.dimension(d) == 0 || limit > largeShape.dimension(d)) return std::nullopt;
    within.push_back({.start = start, .limit = limit, .stride = stride});
  }
  return within;
}

struct Merge {
  Instruction* small;
  Instruction* large;
  Ranges part;  // of what the large one gives
};

std::optional<Merge> mergeInto(Instruction& large, Instruction& small) {
  const Instruction &all = *large.operand(0), &part = *small.operand(0);
  std::vector<const Instruction*> sources = {&all};
  if (all.opcode() == Opcode::Slice) sources.push_back(all.operand(0));
  for (const Instruction* from : sources) {
    const auto whole = rangesIn(all, *from), wanted = rangesIn(part, *from);
    if (!whole || !wanted) continue;
    if (auto within = rangesWithin(*whole, *wanted, all.shape(), part.shape()))
      return Merge{&small, &large, *std::move(within)};
  }
  return std::nullopt;
}

// Control predecessors of the large one that wait for the small one, which it now stands in front of.
void dropWaits(Instruction& large, const Instruction& small) {
  const auto before = large.get<Attr::ControlPredecessors>();
  std::vector<Instruction*> kept;
  std::ranges::copy_if(before, std::back_inserter(kept),
                       [&](const Instruction* each) { return !waitsFor(*each, small); });
  if (kept.size() == before.size()) return;
  if (kept.empty()) {
    large.erase(Attr::ControlPredecessors);
  } else {
    large.set<Attr::ControlPredecessors>(kept);
  }
}

Instruction* partOf(const Merge& merge) {
  if (merge.small->shape() == merge.large->shape()) return merge.large;
  Instruction* slice = merge.large->parent().create(Opcode::Slice, merge.small->shape(), {merge.large}, {},
                                                    merge.large->next());
  slice->set<Attr::Slice>(merge.part);
  return slice;
}

class Merger {
 public:
  Merger(Computation& computation, PassContext& context) : computation_(computation), context_(context) {}

  bool run() {
    // By their pairs in order, and whether these are partitions or replicas.
    std::map<std::pair<bool, SourceTargetPairs>, std::vector<Instruction*>> alike;
    for (Instruction* i : postOrder(computation_)) {
      if (i->opcode() != Opcode::CollectivePermute || i->operandCount() != 1 || i->users().empty()) continue;
      SourceTargetPairs pairs = writtenPairs(*i);
      std::ranges::sort(pairs);
      alike[{i->has(Attr::ChannelId), pairs}].push_back(i);
    }
    for (auto& [pairs, permutes] : alike) mergeAll(permutes);
    if (changed_) computation_.reorder(postOrder(computation_));
    return changed_;
  }

 private:
  void mergeAll(std::vector<Instruction*>& permutes) {
    for (size_t a = 0; a < permutes.size(); ++a) {
      for (size_t b = a + 1; permutes[a] != nullptr && b < permutes.size(); ++b) {
        if (permutes[b] == nullptr) continue;
        auto merge = mergeInto(*permutes[a], *permutes[b]);
        if (!merge) merge = mergeInto(*permutes[b], *permutes[a]);
        if (merge && apply(*merge)) permutes[merge->small == permutes[a] ? a : b] = nullptr;
      }
    }
  }

  bool apply(const Merge& merge) {
    if (waitsFor(*merge.large->operand(0), *merge.small) || !context_.mayChange(*merge.small)) return false;
    dropWaits(*merge.large, *merge.small);
    Instruction* instead = partOf(merge);
    context_.remark(*merge.small, "merged", fmt::format("into %{}", merge.large->name()));
    computation_.replaceAllUses(merge.small, instead);
    redirectControlPredecessors(computation_, {{merge.small, instead}});
    computation_.remove(merge.small);
    return changed_ = true;
  }

  Computation& computation_;
  PassContext& context_;
  bool changed_ = false;
};

}  // namespace

Result<bool> mergePermutes(Module& module, PassContext& context) {
  bool changed = false;
  for (Computation* computation : unfusedComputations(module)) {
    if (context.cancelled()) return changed;
    changed |= Merger(*computation, context).run();
  }
  return changed;
}

}  // namespace hilo
