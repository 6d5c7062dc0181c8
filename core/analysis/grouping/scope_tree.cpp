#include "core/analysis/grouping/scope_tree.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "core/analysis/call_graph.h"
#include "core/analysis/execution_counts.h"
#include "core/analysis/grouping/grouping.h"
#include "core/analysis/saturating.h"

namespace hilo {
namespace {

constexpr const char* kNoName = "(no op_name)";

class Builder {
 public:
  Builder(const Module& module, const ModuleCost& cost, std::span<const double> timesNs)
      : cost_(cost), timesNs_(timesNs) {
    tree_.nodes.emplace_back();
    const std::vector<int64_t> counts = executionCounts(module);
    for (const Computation* c : module.computations()) {
      const int64_t times = counts[c->id().value];
      if (times == 0) continue;
      for (const Instruction* i : c->instructions()) add(*i, times);
    }
    sumUp();
  }
  ScopeTree take() { return std::move(tree_); }

 private:
  uint32_t child(uint32_t parent, std::string_view name) {
    const auto [found, isNew] =
        byName_.try_emplace({parent, std::string(name)}, static_cast<uint32_t>(tree_.nodes.size()));
    if (isNew) {
      tree_.nodes.push_back({.name = std::string(name), .parent = parent});
      tree_.nodes[parent].children.push_back(found->second);
    }
    return found->second;
  }

  void add(const Instruction& i, int64_t times) {
    if (i.opcode() == Opcode::Parameter || runsWhatItCalls(i.opcode())) return;
    const std::vector<std::string_view> parts = opNameParts(i.opName());
    uint32_t at = 0;
    if (parts.empty()) at = child(0, kNoName);
    for (const std::string_view part : parts) at = child(at, part);
    ScopeNode& node = tree_.nodes[at];
    const CostFacts& facts = cost_.of(i);
    node.flops = saturatingAdd(node.flops, saturatingMultiply(facts.flops, times));
    node.bytesAccessed = saturatingAdd(node.bytesAccessed, saturatingMultiply(facts.bytesAccessed, times));
    ++node.instructions;
    if (i.id().value < timesNs_.size()) node.timeNs += timesNs_[i.id().value];
  }

  // Children are made after their parents.
  void sumUp() {
    for (uint32_t n = static_cast<uint32_t>(tree_.nodes.size()); n-- > 1;) {
      const ScopeNode& node = tree_.nodes[n];
      ScopeNode& parent = tree_.nodes[node.parent];
      parent.flops = saturatingAdd(parent.flops, node.flops);
      parent.bytesAccessed = saturatingAdd(parent.bytesAccessed, node.bytesAccessed);
      parent.instructions += node.instructions;
      parent.timeNs += node.timeNs;
    }
  }

  const ModuleCost& cost_;
  const std::span<const double> timesNs_;
  ScopeTree tree_;
  absl::flat_hash_map<std::pair<uint32_t, std::string>, uint32_t> byName_;
};

}  // namespace

std::string ScopeTree::path(uint32_t node) const {
  std::string path;
  for (uint32_t at = node; at != 0; at = nodes[at].parent)
    path = path.empty() ? nodes[at].name : nodes[at].name + "/" + path;
  return path;
}

ScopeTree scopeTree(const Module& module, const ModuleCost& cost, std::span<const double> timesNs) {
  return Builder(module, cost, timesNs).take();
}

}  // namespace hilo
