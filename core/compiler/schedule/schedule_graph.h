// What the scheduler orders: one node an instruction of a computation, an edge for each use, control
// dependency and aliasing that must be kept, each with its latency. Behaves like HloScheduleGraph of XLA's
// latency_hiding_scheduler.cc.
#pragma once

#include <span>
#include <vector>

#include "core/analysis/cost/latency_estimator.h"
#include "core/analysis/dataflow/alias_analysis.h"
#include "core/analysis/id_range.h"
#include "core/compiler/schedule/async_tracker.h"

namespace hilo {

using NodeIndex = uint32_t;  // position in the order the graph was made from
inline constexpr int64_t kNoAnnotation = -1;

struct ScheduleEdge {
  NodeIndex target = 0;
  double latency = 0;
};

struct ScheduleNode {
  const Instruction* instruction = nullptr;
  double cost = 0;
  double readyTime = 0;                // not before this can it be scheduled without waiting
  double depth = 0;                    // longest way from a node with no predecessors, in time
  double asyncDepth = 0;               // only asynchronous latencies on that way
  double asyncHeight = 0;              // the same towards the root
  int64_t graphDepth = 0;              // edges on the longest way
  int64_t annotation = kNoAnnotation;  // scheduling group
  double preference = 0;
  int32_t indegree = 0;   // not yet scheduled predecessors
  int32_t outdegree = 0;  // not yet scheduled successors
  int32_t readyNodesIfScheduled = 0;
  int32_t forceDelayPriority = 0;
  int32_t hopsToSelectiveOccupier = INT32_MAX;
  uint32_t resources = 0;  // index into ScheduleGraph's list; 0: none of any kind
  NodeIndex startOfDone = UINT32_MAX;
  Opcode opcode = Opcode::Opaque;
  bool isNop = false;
  bool isScheduled = false;
  bool forceEarly = false;
  bool forceDelay = false;
  bool forceDelayAfterTarget = false;
  bool hasPreference = false;
  bool isAsyncStart = false;
  bool isAsyncDone = false;
  bool hasAsyncDoneOperand = false;
  bool hasAsyncStartUser = false;
  bool occupies = false;  // any resource
  bool releases = false;
  bool releasesSelective = false;
  bool occupiesSelective = false;
  bool valuableForSelectiveOverlap = true;
  bool releasesNonextendable = false;
  bool updatesHostSlice = false;  // starts an asynchronous fusion that updates a slice
};

// What a node needs, for the few that need anything.
struct NodeResources {
  ResourcesVector all;
  ResourcesVector net;    // of a loop: without what it both occupies and releases
  ResourceCounts counts;  // at once, called computations included
};

class ScheduleGraph {
 public:
  // `order`: all instructions of one computation, operands first. The arguments need to live only while the
  // constructor runs; instructions must outlive the graph.
  ScheduleGraph(std::span<Instruction* const> order, const LatencyEstimator& estimator,
                const AsyncTracker& tracker, const AliasAnalysis& alias);

  std::span<ScheduleNode> nodes() { return nodes_; }
  std::span<const ScheduleNode> nodes() const { return nodes_; }
  ScheduleNode& node(NodeIndex index) { return nodes_[index]; }
  const ScheduleNode& node(NodeIndex index) const { return nodes_[index]; }
  std::span<const ScheduleEdge> predecessors(NodeIndex index) const {
    return {&predecessors_[firstPredecessor_[index]], &predecessors_[firstPredecessor_[index + 1]]};
  }
  std::span<const ScheduleEdge> successors(NodeIndex index) const {
    return {&successors_[firstSuccessor_[index]], &successors_[firstSuccessor_[index + 1]]};
  }
  const NodeResources& resources(const ScheduleNode& node) const { return resources_[node.resources]; }
  std::span<const NodeResources> allResources() const { return resources_; }
  // UINT32_MAX when the instruction is of another computation.
  NodeIndex indexOf(const Instruction& instruction) const;
  const Computation& computation() const { return nodes_[0].instruction->parent(); }

  void setIndegree(NodeIndex index, int32_t degree);
  void setOutdegree(NodeIndex index, int32_t degree);
  void updateReadyNodesIfScheduled(NodeIndex index);
  // Nodes whose readyNodesIfScheduled changed since the last call.
  std::vector<NodeIndex> takeChanged() { return std::exchange(changed_, {}); }

 private:
  struct PendingEdge {
    NodeIndex from, to;
    double latency;
  };
  void fillNode(NodeIndex index, const Instruction& instruction, const LatencyEstimator& estimator,
                const AsyncTracker& tracker);
  void fillHints(ScheduleNode& node) const;
  void connect(std::vector<PendingEdge> edges);
  void analyzeDepths();
  void analyzeHeights();

  bool topDown_;
  std::vector<ScheduleNode> nodes_;
  std::vector<NodeResources> resources_;
  std::vector<ScheduleEdge> predecessors_, successors_;
  std::vector<uint32_t> firstPredecessor_, firstSuccessor_;
  IdRange ids_;
  std::vector<NodeIndex> indexById_;  // by place among ids_
  std::vector<NodeIndex> changed_;
};

}  // namespace hilo
