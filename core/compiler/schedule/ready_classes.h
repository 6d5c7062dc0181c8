// Ready nodes sorted so that a step need not look at all of them. Nodes that every comparison finds alike,
// but for asynchronous depth (height, top down) and the original order, are of one class, and only the best
// of each class is compared with others. Nodes that would still have to wait stand alone until their time has
// come. Private to this folder.
#pragma once

#include <queue>

#include "core/compiler/schedule/scheduling_state.h"

namespace hilo {

class ReadyClasses {
 public:
  explicit ReadyClasses(const SchedulingState& state);

  // Whether the settings let nodes be classed at all: some rules look at each ready node.
  bool isOn() const { return isOn_; }
  // Whether a node can be: not members of groups, nor those some rule looks at more closely.
  bool takes(NodeIndex index) const;

  void add(NodeIndex index);
  // After something it is classed by has changed.
  void update(NodeIndex index);
  void remove(NodeIndex index);
  size_t size() const { return count_; }
  bool contains(NodeIndex index) const { return classOf_[index] >= 0; }

  // The nodes of this step: the best of each class, and those that wait. All of them while memory is short.
  const std::vector<NodeIndex>& candidates();
  bool wasCandidate(NodeIndex index) const {
    return std::ranges::find(candidates_, index) != candidates_.end();
  }
  // The next best of the class a node is the best of, once it is removed; none when it was the last.
  std::optional<NodeIndex> bestOfClass(int32_t classId);
  int32_t classOf(NodeIndex index) const { return classOf_[index]; }
  static bool isClass(int32_t classId) { return classId != kAbsent && classId != kWaiting; }
  std::vector<NodeIndex> all() const;

 private:
  struct Key {
    uint32_t resources = 0;  // equal for nodes with equal resources
    uint32_t flags = 0;
    int32_t forceDelayPriority = 0, readyNodesIfScheduled = 0;
    double preference = 0, cost = 0;
    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.resources, k.flags, k.forceDelayPriority, k.readyNodesIfScheduled,
                        k.preference, k.cost);
    }
  };
  struct Rank {
    double asyncLength;
    int64_t position;  // larger: taken first
    NodeIndex node;
    friend bool operator<(const Rank& a, const Rank& b) {
      return std::pair(a.asyncLength, a.position) < std::pair(b.asyncLength, b.position);
    }
  };
  struct Class {
    std::priority_queue<Rank> nodes;  // may name nodes that have left
    bool isListed = false;
  };
  static constexpr int32_t kAbsent = -1;
  static constexpr int32_t kWaiting = INT32_MAX;

  Key keyOf(NodeIndex index) const;
  void file(NodeIndex index);
  void fileThoseWhoseTimeHasCome();

  const SchedulingState& state_;
  const bool isOn_;
  std::vector<uint32_t> resourceKinds_;  // by index into the graph's resources
  absl::flat_hash_map<Key, int32_t> ids_;
  std::vector<Class> classes_;
  std::vector<int32_t> listed_;   // classes that may have nodes
  std::vector<int32_t> classOf_;  // by node
  std::vector<NodeIndex> waiting_;
  std::vector<NodeIndex> candidates_;
  size_t count_ = 0;
};

}  // namespace hilo
