#include "core/analysis/dataflow/phi_graph.h"

#include <algorithm>

namespace hilo {

bool PhiGraph::setInputs(ValueId phi, ValueSet inputs) {
  std::ranges::sort(inputs);
  inputs.erase(std::ranges::unique(inputs).begin(), inputs.end());
  ValueSet& known = inputs_[phi];
  if (known == inputs) return false;
  known = std::move(inputs);
  return true;
}

ValueId PhiGraph::resolve(ValueId value) const {
  auto found = replaced_.find(value);
  if (found == replaced_.end()) return value;
  ValueId end = found->second;
  for (auto next = replaced_.find(end); next != replaced_.end(); next = replaced_.find(end))
    end = next->second;
  // Shortens the way for the next who asks.
  while (value != end) value = std::exchange(replaced_[value], end);
  return end;
}

std::vector<ValueId> PhiGraph::sortedPhis() const {
  std::vector<ValueId> phis;
  for (const auto& [phi, inputs] : inputs_) phis.push_back(phi);
  std::ranges::sort(phis);
  return phis;
}

// phi(a, a, itself) is a. One that goes may make those it flows into foldable, so they are looked at again.
bool PhiGraph::foldTrivial() {
  absl::flat_hash_map<ValueId, std::vector<ValueId>> users;
  for (const auto& [phi, inputs] : inputs_) {
    for (const ValueId input : inputs) users[resolve(input)].push_back(phi);
  }
  std::vector<ValueId> pending = sortedPhis();
  std::ranges::reverse(pending);
  bool changed = false;
  while (!pending.empty()) {
    const ValueId phi = pending.back();
    pending.pop_back();
    const auto found = inputs_.find(phi);
    if (found == inputs_.end()) continue;
    ValueId only;
    bool several = false;
    for (const ValueId input : found->second) {
      const ValueId value = resolve(input);
      if (value == phi || value == only) continue;
      several = only.valid();
      if (several) break;
      only = value;
    }
    if (several || !only.valid()) continue;
    replaced_[phi] = only;
    inputs_.erase(found);
    changed = true;
    auto& moved = users[phi];
    pending.insert(pending.end(), moved.begin(), moved.end());
    auto& gained = users[only];
    gained.insert(gained.end(), moved.begin(), moved.end());
  }
  return changed;
}

// Strongly connected groups of phis come out of Tarjan's walk after the groups they draw from, so one
// pass knows for each which values that are no phis reach it: none yet, one, or several. One means that
// all are it.
class PhiGraph::ClosureFinder {
 public:
  explicit ClosureFinder(PhiGraph& graph) : graph_(graph) {}

  bool foldAll() {
    for (const ValueId phi : graph_.sortedPhis()) {
      if (!states_.contains(phi)) walkFrom(phi);
    }
    for (const auto& [phi, state] : states_) {
      if (state.source != kSeveral) graph_.replaced_[phi] = state.source;
    }
    for (const auto& [phi, value] : graph_.replaced_) graph_.inputs_.erase(phi);
    return changed_;
  }

 private:
  static constexpr ValueId kSeveral{ValueId::kNone - 1};
  struct State {
    uint32_t order = 0, lowest = 0;
    bool open = true;
    ValueId source;
    size_t next = 0;  // input to look at next
  };

  static void merge(ValueId& source, ValueId other) {
    if (!other.valid() || source == other) return;
    source = source.valid() ? kSeveral : other;
  }

  void enter(ValueId phi) {
    State& state = states_[phi];
    state.order = state.lowest = static_cast<uint32_t>(states_.size());
    path_.push_back(phi);
    group_.push_back(phi);
  }

  void walkFrom(ValueId start) {
    enter(start);
    while (!path_.empty()) {
      const ValueId at = path_.back();
      const ValueSet& inputs = graph_.inputs_.at(at);
      if (states_.at(at).next == inputs.size()) {
        leave(at);
        continue;
      }
      const ValueId input = graph_.resolve(inputs[states_.at(at).next++]);
      const auto known = states_.find(input);
      if (!graph_.inputs_.contains(input)) {
        merge(states_.at(at).source, input);
      } else if (known == states_.end()) {
        enter(input);
      } else if (known->second.open) {
        State& state = states_.at(at);
        state.lowest = std::min(state.lowest, known->second.order);
      } else {
        merge(states_.at(at).source, known->second.source);
      }
    }
  }

  void leave(ValueId at) {
    path_.pop_back();
    const State done = states_.at(at);
    if (done.lowest == done.order) {
      closeGroup(at);
    } else {
      State& above = states_.at(path_.back());
      above.lowest = std::min(above.lowest, done.lowest);
      return;
    }
    if (!path_.empty()) merge(states_.at(path_.back()).source, states_.at(at).source);
  }

  void closeGroup(ValueId first) {
    const auto begin = std::ranges::find(group_, first);
    ValueId source;
    for (auto phi = begin; phi != group_.end(); ++phi) merge(source, states_.at(*phi).source);
    // Nothing at all flows in: a loop that is never entered. It stays as it is.
    if (!source.valid()) source = kSeveral;
    for (auto phi = begin; phi != group_.end(); ++phi) {
      State& state = states_.at(*phi);
      state.open = false;
      state.source = source;
    }
    changed_ |= source != kSeveral;
    group_.erase(begin, group_.end());
  }

  PhiGraph& graph_;
  absl::flat_hash_map<ValueId, State> states_;
  std::vector<ValueId> path_, group_;
  bool changed_ = false;
};

void PhiGraph::optimize() {
  while (foldTrivial() || ClosureFinder(*this).foldAll()) {
  }
}

}  // namespace hilo
