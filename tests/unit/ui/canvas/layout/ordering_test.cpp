#include <gtest/gtest.h>

#include "tests/support/random_graph.h"
#include "ui/canvas/layout/layer_graph.h"

namespace hilo {
namespace {

LayerGraph graphOf(const LayoutInput& input) {
  std::vector<DagEdge> edges;
  for (const LayoutEdge& edge : input.edges) edges.push_back({edge.from, edge.to});
  return makeLayerGraph(input.nodes, edges, rankNodes(input.nodes, edges, input.nodes.size()));
}

uint64_t crossings(const LayoutInput& input, bool thorough) {
  LayerGraph graph = graphOf(input);
  EXPECT_TRUE(orderLayers(graph, thorough, CancelToken()));
  return countCrossings(graph);
}

TEST(Ordering, aTreeHasNoCrossings) {
  LayoutInput input;
  for (uint32_t i = 0; i < 63; ++i) {
    input.nodes.push_back({40, 30});
    // The children of a heap, met in an order that crosses.
    if (i > 0) input.edges.push_back({(i - 1) / 2, i});
  }
  std::reverse(input.edges.begin(), input.edges.end());
  EXPECT_EQ(crossings(input, false), 0u);
}

// K(2,2) on two layers cannot be drawn without a crossing, and needs no more than one.
TEST(Ordering, whatMustCrossCrossesOnce) {
  LayoutInput input;
  input.nodes.assign(4, {40, 30});
  input.edges = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};
  EXPECT_EQ(crossings(input, true), 1u);
}

TEST(Ordering, lookingLongerFindsFewer) {
  uint64_t quick = 0, thorough = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const LayoutInput input = randomGraph(100, 0.04, seed);
    const uint64_t a = crossings(input, false), b = crossings(input, true);
    EXPECT_LE(b, a);
    quick += a;
    thorough += b;
  }
  EXPECT_LT(thorough, quick);
}

TEST(Ordering, everyVertexStaysOnItsLayer) {
  LayerGraph graph = graphOf(randomGraph(200, 0.04, 3));
  ASSERT_TRUE(orderLayers(graph, true, CancelToken()));
  std::vector<uint32_t> seen(graph.vertexCount(), 0);
  for (uint32_t layer = 0; layer < graph.layers.size(); ++layer) {
    for (uint32_t vertex : graph.layers[layer]) {
      EXPECT_EQ(graph.layerOf[vertex], layer);
      ++seen[vertex];
    }
  }
  for (uint32_t count : seen) EXPECT_EQ(count, 1u);
}

}  // namespace
}  // namespace hilo
