// Moves starts of asynchronous operations away from their dones, so that work hides them. Takes a module that
// is scheduled already (best by one of memory_scheduler.h) and gives its computations with asynchronous
// operations a new order. Behaves like LatencyHidingScheduler of XLA's latency_hiding_scheduler.cc.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/base/cancel.h"
#include "core/compiler/schedule/decision_log.h"
#include "core/compiler/schedule/scheduler_config.h"

namespace hilo {

class LatencyEstimator;
class AliasAnalysis;
class ScheduleGraph;
struct ScheduleNode;

// A rule of the caller's own for two ready nodes: positive when `a` is to be taken first (and so comes later
// in the program, unless scheduling runs top down), negative when `b`, 0 when it does not tell.
using SchedulingRule = std::function<int(const ScheduleNode& a, const ScheduleNode& b)>;

struct LatencyHidingRequest {
  SchedulerConfig config;
  const LatencyEstimator* estimator = nullptr;  // null: the uniform one of the configured backend
  AsyncTracker* tracker = nullptr;              // null: the one of the configured backend
  // By position in the entry's order; empty: none. Higher is taken first.
  std::vector<double> entryPreferences;
  // Asked after what concerns memory and time (reason TargetRule). Null: none.
  SchedulingRule rule;
  // May change the hints of a computation's nodes before it is scheduled. Null: none.
  std::function<void(ScheduleGraph&)> adjustGraph;
  // Bytes of a buffer of this shape. Null: arrays as they are, tuples as tables of pointers.
  std::function<int64_t(Shape)> shapeBytes;
  // Also computations in which nothing is asynchronous.
  bool everyComputation = false;
  bool keepLog = false;
  absl::flat_hash_set<InstructionId> watched;  // not empty: the log keeps only what concerns these
  CancelToken cancel;
};

struct LatencyHidingResult {
  bool changed = false;
  int64_t peakBytes = 0;    // of the module, as the scheduler counts
  int64_t memoryLimit = 0;  // of the last try
  int64_t reruns = 0;
  std::vector<DecisionLog> logs;  // of the last try, one a computation
};

// Error kinds: "not-scheduled", "cancelled", those of AliasAnalysis::run, checkSchedulerConfig and
// "bad-scheduling-annotation", "scheduling-group-blocked", "nothing-to-schedule". On an error computations
// already done keep their new order, which is valid.
Result<LatencyHidingResult> scheduleToHideLatency(Module& module, const LatencyHidingRequest& request);

}  // namespace hilo
