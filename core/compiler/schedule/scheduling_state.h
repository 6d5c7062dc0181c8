// Everything the latency-hiding scheduler knows in the middle of ordering one computation. Private
// to this folder.
#pragma once

#include <optional>

#include "core/compiler/schedule/decision_log.h"
#include "core/compiler/schedule/latency_hiding_scheduler.h"
#include "core/compiler/schedule/memory_pressure.h"
#include "core/compiler/schedule/schedule_graph.h"

namespace hilo {

// Progress of a scheduling group: it may start once all that come after it in the program are taken.
struct GroupProgress {
  int64_t scheduled = 0;
  int64_t all = 0;
};

struct SchedulingState {
  SchedulingState(const SchedulerConfig& schedulerConfig, const AsyncTracker& asyncTracker,
                  ScheduleGraph& scheduleGraph, MemoryPressureTracker& memoryPressure)
      : config(schedulerConfig),
        tracker(asyncTracker),
        graph(scheduleGraph),
        memory(memoryPressure),
        limits(asyncTracker.limits()),
        free(limits) {}

  const SchedulerConfig& config;
  const AsyncTracker& tracker;
  ScheduleGraph& graph;
  MemoryPressureTracker& memory;
  const ResourceTable limits;
  ResourceTable free;                                                     // of each resource
  ResourceTable usersInQueue{};                                           // ready nodes that would occupy it
  std::array<std::vector<const Instruction*>, kResourceCount> occupiers;  // in flight
  double currentTime = 0;
  std::vector<NodeIndex> sequence;  // as taken
  std::vector<NodeIndex> readySet;  // those that ReadyClasses does not take
  std::vector<NodeIndex> nopSet;    // taken before all others, the latest first
  // Ready nodes that would still have to wait: a heap, the soonest first.
  std::vector<NodeIndex> nextReady;
  std::vector<NodeIndex> selectiveReleasers;

  absl::flat_hash_map<int64_t, GroupProgress> groups;  // by annotation
  std::vector<int64_t> readyGroups;
  std::vector<NodeIndex> groupReady;  // ready nodes of the group being scheduled
  int64_t ongoingGroup = kNoAnnotation;
  absl::flat_hash_set<NodeIndex> holdingGroups;  // while not empty no further group starts

  const SchedulingRule* rule = nullptr;  // null: none
  DecisionLog* log = nullptr;

  ScheduleNode& node(NodeIndex index) { return graph.node(index); }
  const ScheduleNode& node(NodeIndex index) const { return graph.node(index); }
  // More than half the limit is in use: what a choice does to memory is looked at.
  bool memoryIsShort() const { return std::max<int64_t>(0, memory.usageBytes()) > config.memoryLimit / 2; }
  bool topDown() const { return config.topDownScheduling; }
  std::span<const ScheduleEdge> before(NodeIndex index) const {  // already taken
    return topDown() ? graph.predecessors(index) : graph.successors(index);
  }
  std::span<const ScheduleEdge> after(NodeIndex index) const {
    return topDown() ? graph.successors(index) : graph.predecessors(index);
  }
};

// A ready node with what was found out about it in this step.
struct Candidate {
  NodeIndex node = 0;
  std::optional<MemoryPressureTracker::Change> change;
};

}  // namespace hilo
