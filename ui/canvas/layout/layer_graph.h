// The layered graph between ranking and routing: real nodes, and dummies that carry long edges over the
// layers between their ends. Each long edge has a chain of dummies of its own; where those would be too many,
// long edges share chains: each joins the chain of its source or that of its target, whichever has more.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/canvas/layout/adjacency.h"
#include "ui/canvas/layout/ranking.h"

namespace hilo {

struct LayerGraph {
  size_t realCount = 0;
  std::vector<uint32_t> layerOf;  // per vertex: real nodes first, then dummies
  std::vector<float> width;
  std::vector<DagEdge>
      carried;  // per dummy: the ends of its edge; kNoEnd where edges of several ends share it
  std::vector<std::vector<uint32_t>> layers;  // vertices from left to right
  std::vector<DagEdge> segments;              // each from a layer to the next; no two alike
  std::vector<uint32_t> weights;              // per segment: how many edges run along it
  Adjacency down;                             // per vertex: vertices on the next layer
  Adjacency up;
  std::vector<uint32_t> downWeight;  // per item of `down`: how many edges run there
  std::vector<uint32_t> upWeight;
  // Per DAG edge: its dummies are firstDummy .. firstDummy + span - 2, from the upper layer to the lower.
  std::vector<uint32_t> firstDummy;
  std::vector<uint8_t> shortened;  // per DAG edge; such an edge has no segments

  static constexpr uint32_t kNoEnd = UINT32_MAX;

  // Whether both are dummies of edges that begin or end at the same node.
  bool areOfOneNode(uint32_t a, uint32_t b) const {
    if (!isDummy(a) || !isDummy(b)) return false;
    const DagEdge &e = carried[a - realCount], &f = carried[b - realCount];
    return (e.from == f.from && e.from != kNoEnd) || (e.to == f.to && e.to != kNoEnd);
  }
  bool isDummy(uint32_t vertex) const { return vertex >= realCount; }
  size_t vertexCount() const { return layerOf.size(); }
};

// Edges over more layers than fit in a budget of dummies (a few per node) are marked shortened.
LayerGraph makeLayerGraph(const std::vector<LayoutNode>& nodes, const std::vector<DagEdge>& edges,
                          const std::vector<uint32_t>& ranks);

// Puts the vertices of each layer in the order with the fewest crossings it finds; thorough looks up to a
// tenth of a second longer.
Status orderLayers(LayerGraph& graph, bool thorough, const CancelToken& cancel);

// Pairs of edges that cross, counted with the layers' present order.
uint64_t countCrossings(const LayerGraph& graph);

// The x of each vertex's centre: no two of a layer closer than `gap`, edges as straight as that allows.
std::vector<float> placeVertices(const LayerGraph& graph, float gap);

}  // namespace hilo
