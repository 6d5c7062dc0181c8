// The first step of the layered layout: which layer each node stands on.
#pragma once

#include <cstdint>
#include <vector>

#include "ui/canvas/layout/layout.h"

namespace hilo {

struct DagEdge {
  uint32_t from;
  uint32_t to;
};

// 1 for each edge to be turned round so that no cycle is left; depth-first from the lowest index.
// Loops stay 0.
std::vector<uint8_t> backEdges(size_t nodeCount, const std::vector<LayoutEdge>& edges);

// How many nodes a row should hold at most for a drawing about as wide as high, given that nodes are wider
// than rows are high.
size_t rowLimit(size_t nodeCount);

// Layers from 0 without holes; every edge goes to a higher layer, and edges are about as short in all as they
// can be. Layers of more than `widthLimit` free nodes are split.
// Nodes pinned first or last have a layer of their own at that end, unless an edge forbids it.
std::vector<uint32_t> rankNodes(const std::vector<LayoutNode>& nodes, const std::vector<DagEdge>& edges,
                                size_t widthLimit);

}  // namespace hilo
