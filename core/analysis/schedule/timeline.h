// What an order takes when it runs: one processor stream that issues instructions one after the other, and a
// lane for each asynchronous operation in flight. A done waits for its operation: that wait is exposed. A
// loop is one iteration, played out once and counted as often as it runs.
#pragma once

#include "core/analysis/async_op.h"
#include "core/analysis/cost/latency_estimator.h"

namespace hilo {

enum class LaneKind : uint8_t { Compute, Collective, PointToPoint, Copy, AsyncCompute };

struct TimelineLane {
  LaneKind kind = LaneKind::Compute;
  int32_t number = 0;            // of several of its kind and thread, from 0
  std::string_view thread = {};  // AsyncCompute: the execution thread; lives as long as the module
  friend bool operator==(const TimelineLane&, const TimelineLane&) = default;
};

enum class TimelineEventKind : uint8_t {
  Work,   // an instruction on the compute lane
  Async,  // an asynchronous operation from its start on, on its lane
  Wait,   // the compute lane waits at a done
  Block,  // a loop, branch or call: `child` says what it runs
};

struct TimelineEvent {
  const Instruction* instruction = nullptr;  // Async: the start; Wait: the done
  TimelineEventKind kind = TimelineEventKind::Work;
  uint16_t lane = 0;
  double startNs = 0;
  double endNs = 0;
  double exposedNs = 0;  // Async and Wait: how long the compute lane waited; Work: all of a synchronous
                         // collective
  int32_t child = -1;    // Block: index into Timeline::computations
  int64_t repeat = 1;    // Block: iterations
};

struct ComputationTimeline {
  const Computation* computation = nullptr;
  std::vector<TimelineLane> lanes;    // lane 0 is the compute lane
  std::vector<TimelineEvent> events;  // in program order; an Async event stands where it starts
  double durationNs = 0;
  double exposedNs = 0;        // what it runs included
  double computeNs = 0;        // on the compute lane without waits
  double communicationNs = 0;  // of all asynchronous operations and synchronous collectives
  double criticalNs = 0;       // the longest chain of dependencies
  // No order is faster: the longest chain, what is on the compute lane, what is on the collective streams,
  // each as it is within one computation.
  double boundNs = 0;
  std::vector<const Instruction*> criticalPath;  // that chain, first to last
};

struct Timeline {
  std::vector<ComputationTimeline> computations;  // called before caller; the entry last
  const ComputationTimeline& entry() const { return computations.back(); }
  double makespanNs() const { return computations.empty() ? 0 : entry().durationNs; }
  double exposedNs() const { return computations.empty() ? 0 : entry().exposedNs; }
};

struct TimelineOptions {
  // Collectives that may run at a time; further ones queue. 0: any number.
  int32_t collectiveStreams = 1;
};

// `estimator` gives times in its own units; the timeline is in nanoseconds of it (units where
// it counts abstractly).
Timeline simulate(const Module& module, const LatencyEstimator& estimator, const TimelineOptions& options);

}  // namespace hilo
