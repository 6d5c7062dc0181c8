// Ranks with the least total length of edges: the network simplex method (Gansner, Koutsofios, North, Vo: "A
// technique for drawing directed graphs", 1993).
#pragma once

#include <cstdint>
#include <vector>

namespace hilo {

// to stands at least one rank below from; every rank between them costs `weight`.
struct RankEdge {
  uint32_t from;
  uint32_t to;
  int weight;
};

// `rank` keeps all edges already and is improved in place, its lowest becoming 0. The graph is connected.
// After about `budget` steps it stops with what it has, which keeps all edges too. Edges have no cycle.
void shortenEdges(const std::vector<RankEdge>& edges, std::vector<int>& rank, uint64_t budget);

}  // namespace hilo
