#include "ui/canvas/layout/layer_graph.h"

#include <algorithm>

namespace hilo {
namespace {

class ChainBuilder {
 public:
  ChainBuilder(LayerGraph& graph, const std::vector<DagEdge>& edges, const std::vector<uint32_t>& ranks)
      : graph_(graph), edges_(edges), ranks_(ranks) {}

  void run() {
    chooseOwners();
    const uint32_t limit = spanLimit();
    graph_.shortened.assign(edges_.size(), 0);
    graph_.firstDummy.assign(edges_.size(), 0);
    std::vector<uint32_t> length(2 * graph_.realCount, 0);
    for (uint32_t edge = 0; edge < edges_.size(); ++edge) {
      graph_.shortened[edge] = span(edge) > limit;
      if (!graph_.shortened[edge]) length[owner_[edge]] = std::max(length[owner_[edge]], span(edge) - 1);
    }
    std::vector<uint32_t> start(2 * graph_.realCount, 0);
    for (uint32_t owner = 0; owner < length.size(); ++owner) start[owner] = addChain(owner, length[owner]);
    for (uint32_t edge = 0; edge < edges_.size(); ++edge) {
      if (!graph_.shortened[edge]) addSegments(edge, start[owner_[edge]], length[owner_[edge]]);
    }
  }

 private:
  uint32_t span(uint32_t edge) const { return ranks_[edges_[edge].to] - ranks_[edges_[edge].from]; }

  // Owner 2n is node n's chain downward, 2n + 1 the one that leads to it from above.
  void chooseOwners() {
    std::vector<uint32_t> longEdges(2 * graph_.realCount, 0);
    for (uint32_t edge = 0; edge < edges_.size(); ++edge) {
      if (span(edge) < 2) continue;
      ++longEdges[2 * edges_[edge].from];
      ++longEdges[2 * edges_[edge].to + 1];
    }
    for (const auto& [from, to] : edges_) {
      owner_.push_back(longEdges[2 * to + 1] > longEdges[2 * from] ? 2 * to + 1 : 2 * from);
    }
  }

  // The longest span that is still led around nodes, so that all chains together stay within the budget.
  uint32_t spanLimit() const {
    std::vector<uint32_t> order(edges_.size());
    for (uint32_t i = 0; i < edges_.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return std::pair(span(a), a) < std::pair(span(b), b); });
    std::vector<uint32_t> length(2 * graph_.realCount, 0);
    const uint64_t budget = 4 * static_cast<uint64_t>(graph_.realCount) + 1000;
    uint64_t used = 0;
    for (uint32_t edge : order) {
      uint32_t& chain = length[owner_[edge]];
      if (span(edge) - 1 <= chain) continue;
      used += span(edge) - 1 - chain;
      if (used > budget) return std::max(span(edge) - 1, 1u);
      chain = span(edge) - 1;
    }
    return UINT32_MAX;
  }

  uint32_t addChain(uint32_t owner, uint32_t length) {
    const auto first = static_cast<uint32_t>(graph_.layerOf.size());
    const uint32_t rank = ranks_[owner / 2];
    const uint32_t top = owner % 2 == 0 ? rank + 1 : rank - length;
    for (uint32_t i = 0; i < length; ++i) {
      graph_.layerOf.push_back(top + i);
      graph_.width.push_back(0);
      if (i > 0) graph_.segments.push_back({first + i - 1, first + i});
    }
    return first;
  }

  void addSegments(uint32_t edge, uint32_t chain, uint32_t length) {
    const auto [from, to] = edges_[edge];
    const uint32_t dummies = span(edge) - 1;
    if (dummies == 0) {
      graph_.segments.push_back({from, to});
      return;
    }
    const uint32_t first = owner_[edge] % 2 == 0 ? chain : chain + length - dummies;
    graph_.firstDummy[edge] = first;
    graph_.segments.push_back({from, first});
    graph_.segments.push_back({first + dummies - 1, to});
  }

  LayerGraph& graph_;
  const std::vector<DagEdge>& edges_;
  const std::vector<uint32_t>& ranks_;
  std::vector<uint32_t> owner_;  // per edge
};

}  // namespace

LayerGraph makeLayerGraph(const std::vector<LayoutNode>& nodes, const std::vector<DagEdge>& edges,
                          const std::vector<uint32_t>& ranks) {
  LayerGraph graph;
  graph.realCount = nodes.size();
  const size_t layerCount = ranks.empty() ? 0 : 1 + *std::max_element(ranks.begin(), ranks.end());
  graph.layerOf = ranks;
  for (const LayoutNode& node : nodes) graph.width.push_back(node.width);
  ChainBuilder(graph, edges, ranks).run();
  auto less = [](const DagEdge& a, const DagEdge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  auto same = [](const DagEdge& a, const DagEdge& b) { return a.from == b.from && a.to == b.to; };
  std::sort(graph.segments.begin(), graph.segments.end(), less);
  graph.segments.erase(std::unique(graph.segments.begin(), graph.segments.end(), same), graph.segments.end());
  auto from = [&](size_t i) { return graph.segments[i].from; };
  auto to = [&](size_t i) { return graph.segments[i].to; };
  graph.down = makeAdjacency(graph.vertexCount(), graph.segments.size(), from, to);
  graph.up = makeAdjacency(graph.vertexCount(), graph.segments.size(), to, from);
  graph.layers.resize(layerCount);
  for (uint32_t vertex = 0; vertex < graph.vertexCount(); ++vertex) {
    graph.layers[graph.layerOf[vertex]].push_back(vertex);
  }
  return graph;
}

}  // namespace hilo
