#include "ui/canvas/layout/nested_layout.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

// A graph of two groups of three nodes, the second with a group inside, and a lone node before them:
//   0 -> A{2 -> 3 -> 4} -> B{6 -> C{8 -> 9} -> 7}, and 0 -> 9 and 3 -> 7 across borders.
NestedInput example() {
  NestedInput input;
  auto leaf = [&](uint32_t parent) { input.nodes.push_back({parent, 60, 24, false, false}); };
  auto group = [&](uint32_t parent) { input.nodes.push_back({parent, 90, 30, true, true}); };
  leaf(kNoNode);                       // 0
  group(kNoNode);                      // 1 A
  leaf(1), leaf(1), leaf(1);           // 2 3 4
  group(kNoNode);                      // 5 B
  leaf(5), leaf(5);                    // 6 7
  input.nodes.push_back({5, 60, 24});  // 8: stays outside C
  group(5);                            // 9 C
  leaf(9), leaf(9);                    // 10 11
  input.edges = {{0, 2, 0, 8},  {2, 3, 0, 8},  {3, 4, 0, 8}, {4, 6, 0, 16}, {6, 10, 0, 4}, {10, 11, 0, 4},
                 {11, 7, 0, 4}, {0, 11, 0, 2}, {3, 7, 0, 1}, {2, 7, 1, 1},  {6, 8, 0, 1}};
  input.engine = LayoutEngine::kLayered;
  return input;
}

NestedResult layout(const NestedInput& input, LayoutCache& cache) {
  auto result = layoutNested(input, cache, CancelToken());
  EXPECT_TRUE(result.has_value());
  return std::move(result).value();
}

bool within(const NestedRect& inner, const NestedRect& outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width + 0.5f &&
         inner.y + inner.height <= outer.y + outer.height + 0.5f;
}

bool apart(const NestedRect& a, const NestedRect& b) {
  return a.x + a.width <= b.x + 0.1f || b.x + b.width <= a.x + 0.1f || a.y + a.height <= b.y + 0.1f ||
         b.y + b.height <= a.y + 0.1f;
}

TEST(NestedLayout, childrenLieInTheirGroupAndSiblingsApart) {
  LayoutCache cache;
  const NestedInput input = example();
  const NestedResult result = layout(input, cache);
  for (uint32_t i = 0; i < input.nodes.size(); ++i) {
    ASSERT_TRUE(result.visible[i]);
    if (input.nodes[i].parent != kNoNode)
      EXPECT_TRUE(within(result.rects[i], result.rects[input.nodes[i].parent])) << i;
    for (uint32_t j = 0; j < i; ++j) {
      if (input.nodes[i].parent == input.nodes[j].parent)
        EXPECT_TRUE(apart(result.rects[i], result.rects[j])) << i << j;
    }
  }
  EXPECT_EQ(result.groupsLaidOut, 4u);
}

TEST(NestedLayout, linesStartAndEndAtTheirNodes) {
  LayoutCache cache;
  const NestedResult result = layout(example(), cache);
  EXPECT_EQ(result.bundles.size(), 11u);
  for (const NestedBundle& bundle : result.bundles) {
    const auto line = result.line(bundle);
    ASSERT_GE(line.size(), 2u);
    const NestedRect& from = result.rects[bundle.from];
    const NestedRect& to = result.rects[bundle.to];
    EXPECT_NEAR(line.front().y, from.y + from.height, 1);
    EXPECT_NEAR(line.back().y, to.y, 1);
    EXPECT_TRUE(line.front().x >= from.x && line.front().x <= from.x + from.width);
    EXPECT_TRUE(line.back().x >= to.x && line.back().x <= to.x + to.width);
    // No jumps where the line crosses the border of a group.
    for (size_t i = 1; i < line.size(); ++i) EXPECT_LT(std::abs(line[i].x - line[i - 1].x), 200);
  }
}

TEST(NestedLayout, closedGroupsBundleTheirEdges) {
  NestedInput input = example();
  input.nodes[1].open = input.nodes[5].open = false;
  LayoutCache cache;
  const NestedResult result = layout(input, cache);
  EXPECT_EQ(std::count(result.visible.begin(), result.visible.end(), 1), 3);
  // 0 -> A, A -> B (data), 0 -> B, A -> B (the other kind).
  ASSERT_EQ(result.bundles.size(), 4u);
  for (const NestedBundle& bundle : result.bundles) {
    if (bundle.from != 1) continue;
    EXPECT_EQ(bundle.to, 5u);
    EXPECT_EQ(bundle.count, bundle.kind == 0 ? 2u : 1u);
    EXPECT_EQ(bundle.bytes, bundle.kind == 0 ? 17 : 1);
  }
  EXPECT_EQ(result.rects[2].width, 0);
}

TEST(NestedLayout, openingOneGroupLaysOutItAndItsAncestorsOnly) {
  NestedInput input = example();
  input.nodes[9].open = false;
  LayoutCache cache;
  EXPECT_EQ(layout(input, cache).groupsLaidOut, 3u);  // top, A, B
  input.nodes[9].open = true;
  EXPECT_EQ(layout(input, cache).groupsLaidOut, 3u);  // C, B, top; A is known
  input.nodes[9].open = false;
  EXPECT_EQ(layout(input, cache).groupsLaidOut, 0u);
}

TEST(NestedLayout, edgesBetweenAGroupAndItsContentAreTheBoxItself) {
  NestedInput input;
  input.nodes = {{kNoNode, 80, 30, true, true}, {0, 60, 24}, {0, 60, 24}};
  input.edges = {{0, 1}, {1, 2}, {2, 0}};
  input.engine = LayoutEngine::kLayered;
  LayoutCache cache;
  EXPECT_EQ(layout(input, cache).bundles.size(), 1u);
}

}  // namespace
}  // namespace hilo
