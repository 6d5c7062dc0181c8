// Orders one computation: takes ready nodes from the root up (or from the parameters down), the best first,
// scheduling groups as a whole. Behaves like DefaultSchedulerCore of XLA's latency_hiding_scheduler.cc.
// Private to this folder.
#pragma once

#include "core/compiler/schedule/candidate_order.h"
#include "core/compiler/schedule/ready_classes.h"
#include "core/compiler/schedule/scheduling_annotation.h"

namespace hilo {

class ComputationScheduler {
 public:
  ComputationScheduler(SchedulingState& state, const SchedulingGroups& groups);
  // Program order. Error kinds: "scheduling-group-blocked", "nothing-to-schedule".
  Result<std::vector<NodeIndex>> run();

 private:
  // Choosing.
  Result<NodeIndex> extractBest();
  std::optional<NodeIndex> compareReady();
  bool crossesOverlapLimit(NodeIndex index) const;
  // A resource of which the node needs more than is free.
  std::optional<Resource> missingResource(NodeIndex index) const;
  void compareWith(NodeIndex index, std::optional<Candidate>& chosen);
  void addReady(NodeIndex index);
  bool deannotateSmallestGroup();
  Diagnostic blocked() const;

  // Scheduling groups.
  void prepareGroups();
  int64_t countBefore(std::span<const Instruction* const> members, int64_t group) const;
  ResourceTable neededByGroup(int64_t group, bool atMost) const;
  ResourceTable neededInOriginalOrder(std::span<const Instruction* const> members) const;
  bool groupCrossesOverlapLimit(int64_t group, bool atMost) const;
  Result<bool> tryOneGroup(bool atMost);
  Status scheduleGroup(int64_t group);
  std::optional<NodeIndex> extractBestOfGroup();

  // Taking one.
  void schedule(NodeIndex index, DecisionKind kind);
  void noteGroupProgress(NodeIndex index);
  void takeResources(NodeIndex index);
  void noteOccupiers(NodeIndex index);
  void dropReached(double time);
  void release(NodeIndex index, double time);

  double readyTimeOf(NodeIndex index, double atLeast) const;
  void logStep(NodeIndex index, DecisionKind kind);
  void logSkipped(NodeIndex index, SkipReason reason);
  void logDecision(NodeIndex winner, NodeIndex loser, SchedulingReason reason);
  void logNextOfClass(NodeIndex winner, int32_t classId);
  void logWatched(Candidate& chosen);

  SchedulingState& state_;
  const SchedulingGroups& groups_;
  CandidateOrder order_;
  ReadyClasses classes_;
  std::vector<NodeIndex> watched_;   // by the decision log
  std::vector<NodeIndex> released_;  // by the node being scheduled
  uint32_t firstDecision_ = 0, firstSkipped_ = 0;
};

// GPU with several collective streams: an instruction may not join collectives in flight that it shares more
// than one rank with, for the order in which their kernels start is not known. XLA's
// GpuScheduleCrossesOverlapLimit.
bool gpuCrossesOverlapLimit(const SchedulingState& state, const ScheduleNode& node);

}  // namespace hilo
