#include "ui/canvas/layout/layered_layout.h"

#include <gtest/gtest.h>

#include "tests/support/random_graph.h"

namespace hilo {
namespace {

LayoutResult layout(const LayoutInput& input) {
  auto result = layoutLayered(input, CancelToken());
  EXPECT_TRUE(result.has_value());
  return std::move(result).value();
}

int overlaps(const LayoutInput& input, const LayoutResult& result) {
  int count = 0;
  for (size_t a = 0; a < input.nodes.size(); ++a) {
    for (size_t b = a + 1; b < input.nodes.size(); ++b) {
      const float dx = std::abs(result.centres[a].x - result.centres[b].x);
      const float dy = std::abs(result.centres[a].y - result.centres[b].y);
      count += dx < (input.nodes[a].width + input.nodes[b].width) / 2 - 0.1f &&
               dy < (input.nodes[a].height + input.nodes[b].height) / 2 - 0.1f;
    }
  }
  return count;
}

struct Case {
  const char* name;
  uint32_t nodes;
  double longShare;
};

class LayeredLayout : public testing::TestWithParam<Case> {};

TEST_P(LayeredLayout, nodesDoNotOverlapAndEdgesRunDown) {
  const LayoutInput input = randomGraph(GetParam().nodes, GetParam().longShare, 7);
  const LayoutResult result = layout(input);
  EXPECT_EQ(overlaps(input, result), 0);
  ASSERT_EQ(result.lineStart.size(), input.edges.size() + 1);
  for (size_t e = 0; e < input.edges.size(); ++e) {
    const auto line = result.line(e);
    ASSERT_GE(line.size(), 2u);
    const LayoutNode& from = input.nodes[input.edges[e].from];
    const LayoutNode& to = input.nodes[input.edges[e].to];
    const LayoutPoint fromCentre = result.centres[input.edges[e].from];
    const LayoutPoint toCentre = result.centres[input.edges[e].to];
    EXPECT_LT(fromCentre.y, toCentre.y);
    EXPECT_NEAR(line.front().y, fromCentre.y + from.height / 2, 0.5);
    EXPECT_NEAR(line.back().y, toCentre.y - to.height / 2, 0.5);
    EXPECT_LE(std::abs(line.front().x - fromCentre.x), from.width / 2);
    EXPECT_LE(std::abs(line.back().x - toCentre.x), to.width / 2);
    for (size_t i = 1; i < line.size(); ++i) EXPECT_GE(line[i].y, line[i - 1].y - 0.01f);
  }
}

TEST_P(LayeredLayout, liesWithinItsSize) {
  const LayoutInput input = randomGraph(GetParam().nodes, GetParam().longShare, 8);
  const LayoutResult result = layout(input);
  for (size_t i = 0; i < input.nodes.size(); ++i) {
    EXPECT_GE(result.centres[i].x - input.nodes[i].width / 2, -0.5f);
    EXPECT_LE(result.centres[i].x + input.nodes[i].width / 2, result.width + 0.5f);
    EXPECT_LE(result.centres[i].y + input.nodes[i].height / 2, result.height + 0.5f);
  }
  for (const LayoutPoint& point : result.points) {
    EXPECT_GE(point.x, -0.5f);
    EXPECT_LE(point.x, result.width + 0.5f);
  }
}

TEST_P(LayeredLayout, isDeterministic) {
  const LayoutInput input = randomGraph(GetParam().nodes, GetParam().longShare, 9);
  EXPECT_EQ(layout(input).centres, layout(input).centres);
  EXPECT_EQ(layout(input).points, layout(input).points);
}

INSTANTIATE_TEST_SUITE_P(Graphs, LayeredLayout,
                         testing::Values(Case{"small", 12, 0.05}, Case{"local", 400, 0.0},
                                         Case{"long", 400, 0.05}, Case{"dense", 60, 0.5}),
                         [](const auto& info) { return info.param.name; });

TEST(LayeredLayoutShapes, chainIsOneStraightColumn) {
  LayoutInput input;
  for (uint32_t i = 0; i < 50; ++i) {
    input.nodes.push_back({80, 30});
    if (i > 0) input.edges.push_back({i - 1, i});
  }
  const LayoutResult result = layout(input);
  for (uint32_t i = 1; i < 50; ++i) {
    EXPECT_NEAR(result.centres[i].x, result.centres[0].x, 0.1);
    EXPECT_NEAR(result.centres[i].y - result.centres[i - 1].y, 30 + input.layerGap, 0.1);
  }
}

TEST(LayeredLayoutShapes, cyclesLoopsAndParallelEdgesAreDrawn) {
  LayoutInput input;
  input.nodes.assign(3, {50, 20});
  input.edges = {{0, 1}, {1, 2}, {2, 0}, {1, 1}, {0, 1}};
  const LayoutResult result = layout(input);
  EXPECT_EQ(overlaps(input, result), 0);
  EXPECT_LT(result.centres[0].y, result.centres[1].y);
  EXPECT_LT(result.centres[1].y, result.centres[2].y);
  // The back edge runs up, the loop has no line, the parallel edges each have theirs.
  EXPECT_GT(result.line(2).front().y, result.line(2).back().y);
  EXPECT_TRUE(result.line(3).empty());
  EXPECT_GE(result.line(4).size(), 2u);
}

TEST(LayeredLayoutShapes, componentsStandSideBySide) {
  LayoutInput input;
  for (uint32_t i = 0; i < 40; ++i) {
    input.nodes.push_back({100, 30});
    if (i % 4 != 0) input.edges.push_back({i - 1, i});
  }
  const LayoutResult result = layout(input);
  EXPECT_EQ(overlaps(input, result), 0);
  // Ten chains of four: neither one row nor one column.
  EXPECT_LT(result.width / result.height, 4);
  EXPECT_GT(result.width / result.height, 0.4);
}

TEST(LayeredLayoutShapes, wideStarIsFoldedIntoRows) {
  LayoutInput input;
  input.nodes.assign(501, {80, 30});
  for (uint32_t i = 0; i < 500; ++i) input.edges.push_back({i, 500});
  const LayoutResult result = layout(input);
  EXPECT_EQ(overlaps(input, result), 0);
  EXPECT_LT(result.width, 100 * 125);
}

TEST(LayeredLayoutShapes, pinnedNodesStandAtTheEnds) {
  LayoutInput input;
  input.nodes.assign(4, {60, 24});
  input.nodes.push_back({8, 0, LayoutPin::kFirst});
  input.nodes.push_back({8, 0, LayoutPin::kLast});
  input.edges = {{0, 1}, {1, 2}, {2, 3}, {4, 3}, {0, 5}};
  const LayoutResult result = layout(input);
  EXPECT_NEAR(result.centres[4].y, 0, 0.1);
  EXPECT_NEAR(result.centres[5].y, result.height, 0.1);
}

TEST(LayeredLayoutShapes, rightwardFlowTurnsTheDrawing) {
  LayoutInput input;
  input.nodes.assign(2, {80, 30});
  input.edges = {{0, 1}};
  input.direction = LayoutDirection::kRight;
  const LayoutResult result = layout(input);
  EXPECT_NEAR(result.centres[1].x - result.centres[0].x, 80 + input.layerGap, 0.1);
  EXPECT_NEAR(result.centres[1].y, result.centres[0].y, 0.1);
}

TEST(LayeredLayoutShapes, endsAtTheOffsetsAskedFor) {
  LayoutInput input;
  input.nodes.assign(2, {100, 30});
  input.edges = {{0, 1, -40, 25}};
  const LayoutResult result = layout(input);
  EXPECT_NEAR(result.line(0).front().x, result.centres[0].x - 40, 0.1);
  EXPECT_NEAR(result.line(0).back().x, result.centres[1].x + 25, 0.1);
}

TEST(LayeredLayoutShapes, emptyInputIsAnEmptyDrawing) {
  const LayoutResult result = layout({});
  EXPECT_EQ(result.width, 0);
  EXPECT_EQ(result.lineStart.size(), 1u);
}

TEST(LayeredLayoutShapes, stopsWhenCancelled) {
  CancelToken cancel;
  cancel.cancel();
  const auto result = layoutLayered(randomGraph(500, 0.04, 1), cancel);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, "cancelled");
}

}  // namespace
}  // namespace hilo
