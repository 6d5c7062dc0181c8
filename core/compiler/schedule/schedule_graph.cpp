#include "core/compiler/schedule/schedule_graph.h"

#include <charconv>

#include "core/analysis/async_chain.h"
#include "core/base/check.h"
#include "core/compiler/schedule/schedule_edges.h"

namespace hilo {
namespace {

int32_t delayPriority(const Instruction& instruction) {
  const auto text = frontendAttribute(instruction, "scheduler_delay_priority");
  int32_t priority = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), priority);
  return priority;
}

bool hasUsage(const ResourcesVector& resources, ResourceUsage usage) {
  return std::ranges::find(resources, usage, &ResourcePair::usage) != resources.end();
}

bool hasHazard(const ResourcesVector& resources, ResourceUsage usage, ResourceHazard hazard,
               const AsyncTracker& tracker) {
  return std::ranges::any_of(resources, [&](const ResourcePair& pair) {
    return pair.usage == usage && tracker.hazard(pair.resource) == hazard;
  });
}

// Without what is both occupied and released.
ResourcesVector netOf(const ResourcesVector& all) {
  ResourcesVector net;
  for (const ResourcePair& pair : all) {
    if (pair.usage == ResourceUsage::None) continue;
    const ResourceUsage other =
        pair.usage == ResourceUsage::Occupy ? ResourceUsage::Release : ResourceUsage::Occupy;
    if (std::ranges::find(all, ResourcePair{pair.resource, other}) == all.end()) net.push_back(pair);
  }
  return net;
}

bool startsSliceUpdate(const Instruction& instruction) {
  if (instruction.opcode() != Opcode::AsyncStart) return false;
  const Instruction* fusion = asyncWrappedInstruction(instruction);
  if (fusion == nullptr || fusion->opcode() != Opcode::Fusion) return false;
  const Computation* fused = fusion->get<Attr::Calls>();
  if (fused == nullptr) return false;
  return std::ranges::any_of(fused->instructions(),
                             [](const Instruction* i) { return i->opcode() == Opcode::DynamicUpdateSlice; });
}

}  // namespace

ScheduleGraph::ScheduleGraph(std::span<Instruction* const> order, const LatencyEstimator& estimator,
                             const AsyncTracker& tracker, const AliasAnalysis& alias)
    : topDown_(tracker.config().topDownScheduling), nodes_(order.size()), resources_(1) {
  CHECK(!order.empty());
  for (const Instruction* instruction : order) ids_.include(instruction->id().value);
  indexById_.assign(ids_.size(), UINT32_MAX);
  for (NodeIndex i = 0; i < order.size(); ++i) indexById_[order[i]->id().value - ids_.first] = i;
  for (NodeIndex i = 0; i < order.size(); ++i) fillNode(i, *order[i], estimator, tracker);
  std::vector<PendingEdge> edges;
  findScheduleEdges(*this, estimator, alias, topDown_, [&](NodeIndex from, NodeIndex to, double latency) {
    edges.push_back({from, to, latency});
  });
  connect(std::move(edges));
  for (NodeIndex i = 0; i < nodes_.size(); ++i) updateReadyNodesIfScheduled(i);
  tracker.postProcess(*this);
  analyzeDepths();
  analyzeHeights();
}

NodeIndex ScheduleGraph::indexOf(const Instruction& instruction) const {
  const uint32_t id = instruction.id().value;
  return ids_.contains(id) ? indexById_[id - ids_.first] : UINT32_MAX;
}

void ScheduleGraph::fillHints(ScheduleNode& node) const {
  const Instruction& instruction = *node.instruction;
  const auto hint = frontendAttribute(instruction, "scheduler_hint");
  if (!hint) return;
  const bool isCall = node.opcode == Opcode::CustomCall;
  const bool isAsync = node.opcode == Opcode::AsyncStart || node.opcode == Opcode::AsyncDone;
  if (isCall && *hint == "force_early") node.forceEarly = true;
  if (((isCall || isAsync) && *hint == "force_delay") ||
      (node.isAsyncStart && *hint == "force_delay_async")) {
    node.forceDelay = true;
    node.forceDelayPriority = delayPriority(instruction);
  }
  if (node.isAsyncDone && *hint == "force_delay_async") node.forceEarly = true;
}

void ScheduleGraph::fillNode(NodeIndex index, const Instruction& instruction,
                             const LatencyEstimator& estimator, const AsyncTracker& tracker) {
  ScheduleNode& node = nodes_[index];
  node.instruction = &instruction;
  node.opcode = instruction.opcode();
  node.isNop = isNopForScheduling(instruction);
  node.cost = estimator.nodeCost(instruction);
  node.isAsyncStart = tracker.isSupportedAsyncStart(instruction);
  node.isAsyncDone = tracker.isSupportedAsyncDone(instruction);
  if (node.isAsyncDone && instruction.operandCount() > 0) node.startOfDone = indexOf(*instruction.operand(0));
  node.hasAsyncDoneOperand = std::ranges::any_of(
      instruction.operands(), [&](const Instruction* i) { return tracker.isSupportedAsyncDone(*i); });
  node.hasAsyncStartUser = std::ranges::any_of(
      instruction.users(), [&](const Instruction* i) { return tracker.isSupportedAsyncStart(*i); });
  node.updatesHostSlice = startsSliceUpdate(instruction);
  const ResourcesVector& all = tracker.resourcesOf(instruction);
  ResourceCounts counts = tracker.countsOf(instruction);
  if (!all.empty() || !counts.empty()) {
    node.resources = static_cast<uint32_t>(resources_.size());
    resources_.push_back({all, node.opcode == Opcode::While ? netOf(all) : all, std::move(counts)});
    node.occupies = hasUsage(all, ResourceUsage::Occupy);
    node.releases = hasUsage(all, ResourceUsage::Release);
    node.releasesSelective = hasHazard(all, ResourceUsage::Release, ResourceHazard::Selective, tracker);
    node.occupiesSelective = hasHazard(all, ResourceUsage::Occupy, ResourceHazard::Selective, tracker);
    node.releasesNonextendable =
        hasHazard(all, ResourceUsage::Release, ResourceHazard::Nonextendable, tracker);
  }
  fillHints(node);
}

void ScheduleGraph::connect(std::vector<PendingEdge> edges) {
  firstPredecessor_.assign(nodes_.size() + 1, 0);
  firstSuccessor_.assign(nodes_.size() + 1, 0);
  for (const PendingEdge& edge : edges) {
    ++firstSuccessor_[edge.from + 1];
    ++firstPredecessor_[edge.to + 1];
    ++nodes_[edge.from].outdegree;
    ++nodes_[edge.to].indegree;
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    firstSuccessor_[i + 1] += firstSuccessor_[i];
    firstPredecessor_[i + 1] += firstPredecessor_[i];
  }
  // One more than needed, so that a pointer past the last is within.
  successors_.resize(edges.size() + 1);
  predecessors_.resize(edges.size() + 1);
  std::vector<uint32_t> nextSuccessor(firstSuccessor_), nextPredecessor(firstPredecessor_);
  for (const PendingEdge& edge : edges) {
    successors_[nextSuccessor[edge.from]++] = {edge.to, edge.latency};
    predecessors_[nextPredecessor[edge.to]++] = {edge.from, edge.latency};
  }
}

void ScheduleGraph::analyzeDepths() {
  std::vector<int32_t> waiting;
  std::vector<NodeIndex> stack;
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    waiting.push_back(nodes_[i].indegree);
    if (nodes_[i].indegree == 0) stack.push_back(i);
  }
  while (!stack.empty()) {
    const NodeIndex at = stack.back();
    stack.pop_back();
    ScheduleNode& node = nodes_[at];
    int32_t nearest = INT32_MAX;
    for (const ScheduleEdge& edge : predecessors(at)) {
      const ScheduleNode& before = nodes_[edge.target];
      nearest = std::min(nearest, before.hopsToSelectiveOccupier);
      const double asyncDepth = before.asyncDepth + (node.isAsyncDone ? edge.latency : 0);
      node.asyncDepth = std::max(node.asyncDepth, asyncDepth);
      node.depth = std::max(node.depth, before.depth + before.cost + edge.latency);
      node.graphDepth = std::max(node.graphDepth, before.graphDepth + 1);
    }
    if (node.occupiesSelective) {
      node.hopsToSelectiveOccupier = 0;
    } else if (nearest != INT32_MAX) {
      node.hopsToSelectiveOccupier = nearest + 1;
    }
    for (const ScheduleEdge& edge : successors(at)) {
      if (--waiting[edge.target] == 0) stack.push_back(edge.target);
    }
  }
}

void ScheduleGraph::analyzeHeights() {
  std::vector<int32_t> waiting;
  std::vector<NodeIndex> stack;
  for (NodeIndex i = 0; i < nodes_.size(); ++i) {
    waiting.push_back(nodes_[i].outdegree);
    if (nodes_[i].outdegree == 0) stack.push_back(i);
  }
  while (!stack.empty()) {
    const NodeIndex at = stack.back();
    stack.pop_back();
    ScheduleNode& node = nodes_[at];
    for (const ScheduleEdge& edge : successors(at)) {
      const double height = nodes_[edge.target].asyncHeight + (node.isAsyncStart ? edge.latency : 0);
      node.asyncHeight = std::max(node.asyncHeight, height);
    }
    for (const ScheduleEdge& edge : predecessors(at)) {
      if (--waiting[edge.target] == 0) stack.push_back(edge.target);
    }
  }
}

void ScheduleGraph::updateReadyNodesIfScheduled(NodeIndex index) {
  ScheduleNode& node = nodes_[index];
  if (node.isScheduled) return;
  const int32_t before = std::exchange(node.readyNodesIfScheduled, 0);
  for (const ScheduleEdge& edge : topDown_ ? successors(index) : predecessors(index)) {
    const ScheduleNode& target = nodes_[edge.target];
    if ((topDown_ ? target.indegree : target.outdegree) == 1) ++node.readyNodesIfScheduled;
  }
  if (node.readyNodesIfScheduled != before) changed_.push_back(index);
}

void ScheduleGraph::setIndegree(NodeIndex index, int32_t degree) {
  nodes_[index].indegree = degree;
  if (!topDown_ || degree != 1) return;
  for (const ScheduleEdge& edge : predecessors(index)) updateReadyNodesIfScheduled(edge.target);
}

void ScheduleGraph::setOutdegree(NodeIndex index, int32_t degree) {
  nodes_[index].outdegree = degree;
  if (topDown_ || degree != 1) return;
  for (const ScheduleEdge& edge : successors(index)) updateReadyNodesIfScheduled(edge.target);
}

}  // namespace hilo
