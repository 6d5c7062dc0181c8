#include "ui/canvas/layout/ranking.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/layout/adjacency.h"
#include "ui/canvas/layout/network_simplex.h"

namespace hilo {

std::vector<uint8_t> backEdges(size_t nodeCount, const std::vector<LayoutEdge>& edges) {
  std::vector<uint8_t> reversed(edges.size(), 0);
  const Adjacency out = makeAdjacency(
      nodeCount, edges.size(), [&](size_t edge) { return edges[edge].from; },
      [](size_t edge) { return edge; });
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(nodeCount, kNew);
  std::vector<std::pair<uint32_t, uint32_t>> stack;  // node, next position in its edge list
  for (uint32_t root = 0; root < nodeCount; ++root) {
    if (state[root] != kNew) continue;
    state[root] = kOpen;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      const auto list = out.of(node);
      if (next == list.size()) {
        state[node] = kDone;
        stack.pop_back();
        continue;
      }
      const uint32_t edge = list[next++];
      const uint32_t to = edges[edge].to;
      if (to == node) continue;
      if (state[to] == kOpen) {
        reversed[edge] = 1;
      } else if (state[to] == kNew) {
        state[to] = kOpen;
        stack.emplace_back(to, 0);
      }
    }
  }
  return reversed;
}

namespace {

struct RankGraph {
  Adjacency out;
  Adjacency in;
  std::vector<uint32_t> order;  // topological
};

RankGraph makeRankGraph(size_t nodeCount, const std::vector<DagEdge>& edges) {
  RankGraph graph;
  auto from = [&](size_t edge) { return edges[edge].from; };
  auto to = [&](size_t edge) { return edges[edge].to; };
  graph.out = makeAdjacency(nodeCount, edges.size(), from, to);
  graph.in = makeAdjacency(nodeCount, edges.size(), to, from);
  std::vector<uint32_t> waiting(nodeCount);
  graph.order.reserve(nodeCount);
  for (uint32_t node = 0; node < nodeCount; ++node) {
    waiting[node] = static_cast<uint32_t>(graph.in.of(node).size());
    if (waiting[node] == 0) graph.order.push_back(node);
  }
  for (size_t head = 0; head < graph.order.size(); ++head) {
    for (uint32_t next : graph.out.of(graph.order[head])) {
      if (--waiting[next] == 0) graph.order.push_back(next);
    }
  }
  return graph;
}

int lowestAllowed(const RankGraph& graph, const std::vector<int>& rank, uint32_t node) {
  int lowest = 0;
  for (uint32_t before : graph.in.of(node)) lowest = std::max(lowest, rank[before] + 1);
  return lowest;
}

int highestAllowed(const RankGraph& graph, const std::vector<int>& rank, uint32_t node) {
  int highest = std::numeric_limits<int>::max();
  for (uint32_t after : graph.out.of(node)) highest = std::min(highest, rank[after] - 1);
  return highest;
}

// Shortens edges: a node with more users than operands moves toward its users, and the other way round. Near
// enough to the least length for the network simplex to start from.
void slideNodes(const RankGraph& graph, const std::vector<LayoutNode>& nodes, std::vector<int>& rank) {
  for (int round = 0; round < 3; ++round) {
    bool moved = false;
    for (size_t i = graph.order.size(); i-- > 0;) {
      const uint32_t node = graph.order[i];
      const auto users = graph.out.of(node);
      if (users.empty() || nodes[node].pin != LayoutPin::kFree) continue;
      if (users.size() <= graph.in.of(node).size()) continue;
      const int highest = highestAllowed(graph, rank, node);
      moved |= highest > rank[node];
      rank[node] = std::max(rank[node], highest);
    }
    for (uint32_t node : graph.order) {
      if (graph.in.of(node).empty() || nodes[node].pin != LayoutPin::kFree) continue;
      if (graph.in.of(node).size() <= graph.out.of(node).size()) continue;
      const int lowest = lowestAllowed(graph, rank, node);
      moved |= lowest < rank[node];
      rank[node] = std::min(rank[node], lowest);
    }
    if (!moved) break;
  }
}

// All that is pinned to one end is one node of the problem; what nothing leads to hangs below the first.
class RankProblem {
 public:
  RankProblem(const std::vector<LayoutNode>& nodes, const RankGraph& graph) : numberOf_(nodes.size()) {
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      if (nodes[node].pin == LayoutPin::kFree) numberOf_[node] = free_++;
    }
    const uint32_t first = free_, last = free_ + 1;
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      if (nodes[node].pin == LayoutPin::kFirst) numberOf_[node] = first;
      if (nodes[node].pin == LayoutPin::kLast) numberOf_[node] = last;
      hasLast_ |= nodes[node].pin == LayoutPin::kLast;
    }
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      for (uint32_t to : graph.out.of(node)) edges_.push_back({numberOf_[node], numberOf_[to], 1});
      if (nodes[node].pin != LayoutPin::kFree) continue;
      if (graph.in.of(node).empty()) edges_.push_back({first, numberOf_[node], 0});
      if (hasLast_ && graph.out.of(node).empty()) edges_.push_back({numberOf_[node], last, 0});
    }
    if (hasLast_) edges_.push_back({first, last, 0});
  }

  void solve(std::vector<int>& rank) const {
    std::vector<int> ranks(free_ + (hasLast_ ? 2 : 1));
    int lowest = std::numeric_limits<int>::max(), highest = std::numeric_limits<int>::min();
    for (size_t node = 0; node < rank.size(); ++node) {
      if (numberOf_[node] >= free_) continue;
      ranks[numberOf_[node]] = rank[node];
      lowest = std::min(lowest, rank[node]);
      highest = std::max(highest, rank[node]);
    }
    if (free_ == 0) return;
    ranks[free_] = lowest - 1;
    if (hasLast_) ranks[free_ + 1] = highest + 1;
    shortenEdges(edges_, ranks, kSteps + kStepsAnEdge * edges_.size());
    for (size_t node = 0; node < rank.size(); ++node) rank[node] = ranks[numberOf_[node]];
  }

 private:
  static constexpr uint64_t kSteps = 2'000'000;  // some tens of milliseconds
  static constexpr uint64_t kStepsAnEdge = 10;

  std::vector<uint32_t> numberOf_;
  uint32_t free_ = 0;
  bool hasLast_ = false;
  std::vector<RankEdge> edges_;
};

// What may stand on several ranks at no cost goes to the one with the fewest nodes.
void balanceRanks(const RankGraph& graph, const std::vector<LayoutNode>& nodes, std::vector<int>& rank) {
  absl::flat_hash_map<int, size_t> count;
  for (int at : rank) ++count[at];
  for (uint32_t node : graph.order) {
    const size_t in = graph.in.of(node).size();
    if (in == 0 || in != graph.out.of(node).size() || nodes[node].pin != LayoutPin::kFree) continue;
    int best = rank[node];
    for (int at = lowestAllowed(graph, rank, node); at <= highestAllowed(graph, rank, node); ++at) {
      if (count[at] + 1 < count[best]) best = at;
    }
    --count[rank[node]];
    ++count[best];
    rank[node] = best;
  }
}

// Renumbers so that no layer is empty, and cuts layers of too many free nodes into several. Nodes of one
// layer have no edges between them, so any cut is legal; neighbours by index stay together.
std::vector<uint32_t> closeRanks(const std::vector<int>& rank, size_t widthLimit) {
  std::vector<uint32_t> order(rank.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(rank[a], a) < std::pair(rank[b], b); });
  std::vector<uint32_t> closed(rank.size());
  uint32_t layer = 0;
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && rank[order[end]] == rank[order[begin]]) ++end;
    const size_t parts = (end - begin + widthLimit - 1) / widthLimit;
    const size_t perPart = (end - begin + parts - 1) / parts;
    for (size_t i = begin; i < end; ++i)
      closed[order[i]] = layer + static_cast<uint32_t>((i - begin) / perPart);
    layer += static_cast<uint32_t>((end - begin + perPart - 1) / perPart);
    begin = end;
  }
  return closed;
}

}  // namespace

size_t rowLimit(size_t nodeCount) {
  return static_cast<size_t>(std::max(12.0, 2.0 * std::sqrt(static_cast<double>(nodeCount))));
}

std::vector<uint32_t> rankNodes(const std::vector<LayoutNode>& nodes, const std::vector<DagEdge>& edges,
                                size_t widthLimit) {
  const RankGraph graph = makeRankGraph(nodes.size(), edges);
  std::vector<int> rank(nodes.size(), 0);
  const bool hasFirst = std::any_of(nodes.begin(), nodes.end(),
                                    [](const LayoutNode& node) { return node.pin == LayoutPin::kFirst; });
  for (uint32_t node : graph.order) {
    rank[node] = lowestAllowed(graph, rank, node);
    if (hasFirst && nodes[node].pin != LayoutPin::kFirst) rank[node] = std::max(rank[node], 1);
  }
  int last = 0;
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].pin != LayoutPin::kLast) last = std::max(last, rank[node]);
  }
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].pin == LayoutPin::kLast && graph.out.of(node).empty())
      rank[node] = std::max(rank[node], last + 1);
  }
  slideNodes(graph, nodes, rank);
  RankProblem(nodes, graph).solve(rank);
  balanceRanks(graph, nodes, rank);
  // Ports are narrow and must stay on the border: their layers are never cut.
  const bool pinned = std::any_of(nodes.begin(), nodes.end(),
                                  [](const LayoutNode& node) { return node.pin != LayoutPin::kFree; });
  if (!pinned) return closeRanks(rank, widthLimit);
  std::vector<uint32_t> free;
  std::vector<int> freeRank;
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].pin != LayoutPin::kFree) continue;
    free.push_back(node);
    freeRank.push_back(rank[node]);
  }
  const std::vector<uint32_t> closed = closeRanks(freeRank, widthLimit);
  std::vector<uint32_t> result(nodes.size(), 0);
  uint32_t lastLayer = 0;
  const uint32_t shift = hasFirst ? 1 : 0;
  for (size_t i = 0; i < free.size(); ++i) {
    result[free[i]] = closed[i] + shift;
    lastLayer = std::max(lastLayer, closed[i] + shift);
  }
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].pin == LayoutPin::kLast) result[node] = lastLayer + 1;
  }
  return result;
}

}  // namespace hilo
