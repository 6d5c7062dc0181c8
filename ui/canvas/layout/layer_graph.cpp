#include "ui/canvas/layout/layer_graph.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace hilo {
namespace {

// Dummies are cheap while a graph is small; later each layer would hold little else.
constexpr uint64_t kDummies = 20'000;
constexpr uint64_t kDummiesANode = 6;
constexpr uint64_t kSharedDummies = 1'000;
constexpr uint64_t kSharedDummiesANode = 4;

class ChainBuilder {
 public:
  ChainBuilder(LayerGraph& graph, const std::vector<DagEdge>& edges, const std::vector<uint32_t>& ranks)
      : graph_(graph), edges_(edges), ranks_(ranks) {}

  void run() {
    const bool own = giveEachItsOwn();
    if (!own) shareChains();
    const uint32_t limit = own ? UINT32_MAX : spanLimit();
    graph_.shortened.assign(edges_.size(), 0);
    graph_.firstDummy.assign(edges_.size(), 0);
    for (uint32_t edge = 0; edge < edges_.size(); ++edge) {
      graph_.shortened[edge] = span(edge) > limit;
      if (graph_.shortened[edge]) continue;
      Chain& chain = chains_[chainOf_[edge]];
      chain.length = std::max(chain.length, span(edge) - 1);
    }
    for (Chain& chain : chains_) addDummies(chain);
    linkChange_.assign(graph_.layerOf.size() + 1, 0);
    for (uint32_t edge = 0; edge < edges_.size(); ++edge) {
      if (!graph_.shortened[edge]) addEnds(edge, chains_[chainOf_[edge]]);
    }
    for (const Chain& chain : chains_) addLinks(chain);
  }

 private:
  struct Chain {
    uint32_t node = 0;
    DagEdge ends;
    bool leadsTo = false;  // ends above the node, else begins below it
    uint32_t length = 0;
    uint32_t first = 0;  // dummy
  };

  uint32_t span(uint32_t edge) const { return ranks_[edges_[edge].to] - ranks_[edges_[edge].from]; }

  // False when there would be too many dummies.
  bool giveEachItsOwn() {
    uint64_t dummies = 0;
    for (uint32_t edge = 0; edge < edges_.size(); ++edge) dummies += span(edge) - 1;
    if (dummies > kDummies + kDummiesANode * graph_.realCount) return false;
    absl::flat_hash_map<uint64_t, uint32_t> known;
    for (const auto& [from, to] : edges_) {
      const auto [at, isNew] =
          known.emplace((uint64_t{from} << 32) | to, static_cast<uint32_t>(chains_.size()));
      if (isNew) chains_.push_back({.node = from, .ends = {from, to}});
      chainOf_.push_back(at->second);
    }
    return true;
  }

  // Chain 2n leads down from node n, 2n + 1 to it from above.
  void shareChains() {
    std::vector<uint32_t> longEdges(2 * graph_.realCount, 0);
    for (uint32_t edge = 0; edge < edges_.size(); ++edge) {
      if (span(edge) < 2) continue;
      ++longEdges[2 * edges_[edge].from];
      ++longEdges[2 * edges_[edge].to + 1];
    }
    for (uint32_t node = 0; node < graph_.realCount; ++node) {
      chains_.push_back({.node = node, .ends = {node, LayerGraph::kNoEnd}});
      chains_.push_back({.node = node, .ends = {LayerGraph::kNoEnd, node}, .leadsTo = true});
    }
    for (const auto& [from, to] : edges_) {
      chainOf_.push_back(longEdges[2 * to + 1] > longEdges[2 * from] ? 2 * to + 1 : 2 * from);
    }
  }

  // The longest span that is still led around nodes, so that all chains together stay within the budget.
  uint32_t spanLimit() const {
    std::vector<uint32_t> order(edges_.size());
    for (uint32_t i = 0; i < edges_.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return std::pair(span(a), a) < std::pair(span(b), b); });
    std::vector<uint32_t> length(chains_.size(), 0);
    const uint64_t budget = kSharedDummiesANode * graph_.realCount + kSharedDummies;
    uint64_t used = 0;
    for (uint32_t edge : order) {
      uint32_t& chain = length[chainOf_[edge]];
      if (span(edge) - 1 <= chain) continue;
      used += span(edge) - 1 - chain;
      if (used > budget) return std::max(span(edge) - 1, 1u);
      chain = span(edge) - 1;
    }
    return UINT32_MAX;
  }

  void addDummies(Chain& chain) {
    chain.first = static_cast<uint32_t>(graph_.layerOf.size());
    const uint32_t rank = ranks_[chain.node];
    const uint32_t top = chain.leadsTo ? rank - chain.length : rank + 1;
    for (uint32_t i = 0; i < chain.length; ++i) {
      graph_.layerOf.push_back(top + i);
      graph_.width.push_back(0);
      graph_.carried.push_back(chain.ends);
    }
  }

  void addSegment(uint32_t from, uint32_t to, uint32_t weight) {
    graph_.segments.push_back({from, to});
    graph_.weights.push_back(weight);
  }

  void addEnds(uint32_t edge, const Chain& chain) {
    const auto [from, to] = edges_[edge];
    const uint32_t dummies = span(edge) - 1;
    if (dummies == 0) return addSegment(from, to, 1);
    const uint32_t first = chain.leadsTo ? chain.first + chain.length - dummies : chain.first;
    graph_.firstDummy[edge] = first;
    addSegment(from, first, 1);
    addSegment(first + dummies - 1, to, 1);
    ++linkChange_[first + 1];
    --linkChange_[first + dummies];
  }

  // Many edges may run along a chain: their number changes only where one comes or goes.
  void addLinks(const Chain& chain) {
    int32_t weight = 0;
    for (uint32_t dummy = chain.first + 1; dummy < chain.first + chain.length; ++dummy) {
      weight += linkChange_[dummy];
      addSegment(dummy - 1, dummy, static_cast<uint32_t>(weight));
    }
  }

  LayerGraph& graph_;
  const std::vector<DagEdge>& edges_;
  const std::vector<uint32_t>& ranks_;
  std::vector<Chain> chains_;
  std::vector<uint32_t> chainOf_;    // per edge
  std::vector<int32_t> linkChange_;  // per dummy: how many more edges come to it from the one before
};

// Equal ones become one of their joint weight.
void mergeSegments(LayerGraph& graph) {
  std::vector<std::pair<DagEdge, uint32_t>> all;
  for (size_t i = 0; i < graph.segments.size(); ++i) all.emplace_back(graph.segments[i], graph.weights[i]);
  auto ends = [](const auto& item) { return std::pair(item.first.from, item.first.to); };
  std::ranges::sort(all, {}, ends);
  graph.segments.clear();
  graph.weights.clear();
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && ends(all[i]) == ends(all[i - 1])) {
      graph.weights.back() += all[i].second;
    } else {
      graph.segments.push_back(all[i].first);
      graph.weights.push_back(all[i].second);
    }
  }
}

}  // namespace

LayerGraph makeLayerGraph(const std::vector<LayoutNode>& nodes, const std::vector<DagEdge>& edges,
                          const std::vector<uint32_t>& ranks) {
  LayerGraph graph;
  graph.realCount = nodes.size();
  const size_t layerCount = ranks.empty() ? 0 : 1 + *std::max_element(ranks.begin(), ranks.end());
  graph.layerOf = ranks;
  for (const LayoutNode& node : nodes) graph.width.push_back(node.width);
  ChainBuilder(graph, edges, ranks).run();
  mergeSegments(graph);
  const size_t count = graph.segments.size();
  auto from = [&](size_t i) { return graph.segments[i].from; };
  auto to = [&](size_t i) { return graph.segments[i].to; };
  auto weight = [&](size_t i) { return graph.weights[i]; };
  graph.down = makeAdjacency(graph.vertexCount(), count, from, to);
  graph.up = makeAdjacency(graph.vertexCount(), count, to, from);
  graph.downWeight = makeAdjacency(graph.vertexCount(), count, from, weight).items;
  graph.upWeight = makeAdjacency(graph.vertexCount(), count, to, weight).items;
  graph.layers.resize(layerCount);
  for (uint32_t vertex = 0; vertex < graph.vertexCount(); ++vertex) {
    graph.layers[graph.layerOf[vertex]].push_back(vertex);
  }
  return graph;
}

}  // namespace hilo
