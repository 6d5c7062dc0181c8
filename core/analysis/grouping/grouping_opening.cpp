#include "core/analysis/grouping/grouping_opening.h"

#include "core/analysis/grouping/grouping_fold.h"
#include "core/analysis/saturating.h"

namespace hilo {
namespace {

constexpr size_t kFewNodes = 5;
constexpr size_t kManyNodes = 80;
constexpr size_t kFewNeighbours = 20;

bool isFolded(const GroupNode& node) {
  return node.instruction != nullptr && foldKind(*node.instruction) != FoldKind::None;
}

bool isFusion(const GroupNode& node) {
  return node.instruction != nullptr && node.instruction->opcode() == Opcode::Fusion;
}

size_t shownChildren(const Grouping& grouping, GroupId id) {
  size_t count = 0;
  for (GroupId child : grouping.node(id).children) count += !isFolded(grouping.node(child));
  return count;
}

// A fusion is one step of its program, whatever is in it.
bool isProgramFlow(const Instruction& instruction) {
  return Grouping::isCaller(instruction) && instruction.opcode() != Opcode::Fusion;
}

// Instructions of a computation and of all that its loops, branches and calls run. Callees stand before
// callers in a module; in a broken one that does not hold, those count little.
absl::flat_hash_map<const Computation*, int64_t> totalInstructions(const Module& module) {
  absl::flat_hash_map<const Computation*, int64_t> totals;
  for (const Computation* computation : module.computations()) {
    int64_t total = 0;
    for (const Instruction* instruction : computation->instructions()) {
      total = saturatingAdd(total, 1);
      if (!isProgramFlow(*instruction)) continue;
      for (const Computation* called : instruction->calledComputations()) {
        if (const auto known = totals.find(called); known != totals.end())
          total = saturatingAdd(total, known->second);
      }
    }
    totals[computation] = total;
  }
  return totals;
}

class FirstLook {
 public:
  FirstLook(Grouping& grouping, OpenGroups& open, const CancelToken& cancel)
      : grouping_(grouping), open_(open), cancel_(cancel), totals_(totalInstructions(grouping.module())) {}

  void run() {
    if (grouping_.root() == kNoGroup) return;
    open(grouping_.root(), shownChildren(grouping_, grouping_.root()));
    while (!closed_.empty()) {
      const auto heaviest = std::max_element(
          closed_.begin(), closed_.end(),
          [](const auto& a, const auto& b) { return std::pair(a.weight, b.id) < std::pair(b.weight, a.id); });
      const Closed next = *heaviest;
      const bool dominates =
          next.weight > next.parentWeight / 2 && next.weight >= static_cast<int64_t>(kFewNodes);
      if (!dominates && shown_ >= kFewNodes) return;
      if (!grouping_.expand(next.id, cancel_)) return;
      const size_t more = shownChildren(grouping_, next.id);
      if (shown_ >= kFewNodes && shown_ + more > kManyNodes) return;
      closed_.erase(heaviest);
      open(next.id, more);
    }
  }

 private:
  struct Closed {
    GroupId id;
    int64_t weight;
    int64_t parentWeight;
  };

  void open(GroupId id, size_t children) {
    open_.insert(grouping_.node(id).key);
    shown_ += children;
    int64_t all = 0;
    const size_t first = closed_.size();
    for (GroupId child : grouping_.node(id).children) {
      const int64_t weight = weightOf(child);
      all = saturatingAdd(all, weight);
      const GroupNode& node = grouping_.node(child);
      if (node.group && !isMargin(node.kind) && !isFusion(node)) closed_.push_back({child, weight, 0});
    }
    for (size_t i = first; i < closed_.size(); ++i) closed_[i].parentWeight = all;
  }

  int64_t weightOf(GroupId id) const {
    int64_t weight = 0;
    std::vector<GroupId> waiting{id};
    while (!waiting.empty()) {
      const GroupNode& node = grouping_.node(waiting.back());
      waiting.pop_back();
      if (node.kind == GroupKind::Instruction) {
        weight = saturatingAdd(weight, 1);
        if (!node.group || isFusion(node)) continue;
        for (const Computation* called : node.instruction->calledComputations())
          weight = saturatingAdd(weight, totals_.at(called));
      } else if (node.kind == GroupKind::Computation) {
        weight = saturatingAdd(weight, totals_.at(node.computation));
      } else {
        waiting.insert(waiting.end(), node.children.begin(), node.children.end());
      }
    }
    return weight;
  }

  Grouping& grouping_;
  OpenGroups& open_;
  const CancelToken& cancel_;
  const absl::flat_hash_map<const Computation*, int64_t> totals_;
  std::vector<Closed> closed_;  // children of what is open
  size_t shown_ = 0;
};

}  // namespace

void openForFirstLook(Grouping& grouping, OpenGroups& open, const CancelToken& cancel) {
  FirstLook(grouping, open, cancel).run();
}

void openUntilChoice(Grouping& grouping, GroupId from, OpenGroups& open, const CancelToken& cancel) {
  for (GroupId at = from; at != kNoGroup;) {
    if (!grouping.node(at).group) return;
    // A fusion or loop is a choice of its own; only scopes and the like are passed through.
    if (at != from && grouping.node(at).kind == GroupKind::Instruction) return;
    if (!grouping.expand(at, cancel)) return;
    open.insert(grouping.node(at).key);
    GroupId next = kNoGroup;
    size_t groups = 0, others = 0;
    for (GroupId child : grouping.node(at).children) {
      const GroupNode& node = grouping.node(child);
      if (isFolded(node)) continue;
      const bool passable = node.group && node.kind != GroupKind::Instruction && !isMargin(node.kind);
      if (passable) next = child;
      ++(passable ? groups : others);
    }
    if (groups != 1 || others > kFewNeighbours) return;
    at = next;
  }
}

bool openEverything(Grouping& grouping, OpenGroups& open, const CancelToken& cancel, size_t nodeLimit) {
  // Nodes made on the way come after those looked at.
  for (GroupId id = 0; id < grouping.nodeCount(); ++id) {
    if (!grouping.node(id).group) continue;
    if (grouping.nodeCount() > nodeLimit && !grouping.node(id).expanded) return false;
    if (cancel.cancelled() || !grouping.expand(id, cancel)) return false;
    open.insert(grouping.node(id).key);
  }
  return true;
}

}  // namespace hilo
