// Random layout inputs shaped like HLO: mostly short edges, a few long ones. The same seed gives the same
// graph on every machine.
#pragma once

#include "ui/canvas/layout/layout.h"

namespace hilo {

// `longShare` of the edges span the whole graph, the others at most 12 nodes back. About 1.6 edges a node.
inline LayoutInput randomGraph(uint32_t nodeCount, double longShare, uint64_t seed) {
  uint64_t state = seed * 6364136223846793005u + 1442695040888963407u;
  auto random = [&](uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state >> 33) % bound);
  };
  LayoutInput input;
  for (uint32_t i = 0; i < nodeCount; ++i) {
    input.nodes.push_back({static_cast<float>(60 + random(80)), 30});
    const uint32_t edges = i == 0 ? 0 : 1 + (random(10) < 6 ? 1 : 0);
    for (uint32_t e = 0; e < edges; ++e) {
      const bool isLong = random(10'000) < longShare * 10'000;
      const uint32_t reach = isLong ? i : std::min(i, 12u);
      input.edges.push_back({i - 1 - random(reach), i});
    }
  }
  return input;
}

}  // namespace hilo
