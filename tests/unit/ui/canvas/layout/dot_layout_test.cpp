#include "ui/canvas/layout/dot_layout.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/random_graph.h"
#include "ui/canvas/layout/crossings.h"
#include "ui/canvas/layout/layered_layout.h"

namespace hilo {
namespace {

class DotLayout : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = layoutWithDot(randomGraph(3, 0, 1), CancelToken());
    if (!probe && probe.error().kind == "dot-not-found") GTEST_SKIP() << "Graphviz's dot is not installed";
    ASSERT_TRUE(probe.has_value()) << toString(probe.error());
  }
};

TEST_F(DotLayout, drawsEveryNodeAndEdge) {
  LayoutInput input = randomGraph(80, 0.05, 3);
  input.edges.push_back({4, 4});
  input.edges.push_back(input.edges[0]);
  const auto result = layoutWithDot(input, CancelToken());
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  EXPECT_EQ(result->engine, LayoutEngine::kDot);
  for (size_t e = 0; e < input.edges.size(); ++e) {
    const auto line = result->line(e);
    if (input.edges[e].from == input.edges[e].to) {
      EXPECT_TRUE(line.empty());
      continue;
    }
    // dot lets a line end anywhere on the border of its node.
    const LayoutPoint from = result->centres[input.edges[e].from], to = result->centres[input.edges[e].to];
    EXPECT_LE(std::abs(line.front().y - from.y), 17);
    EXPECT_LE(std::abs(line.front().x - from.x), input.nodes[input.edges[e].from].width / 2 + 2);
    EXPECT_LE(std::abs(line.back().y - to.y), 17);
    EXPECT_LE(std::abs(line.back().x - to.x), input.nodes[input.edges[e].to].width / 2 + 2);
  }
}

TEST_F(DotLayout, pinnedNodesAndOffsetsAreKept) {
  LayoutInput input;
  input.nodes.assign(3, {60, 24});
  input.nodes.push_back({8, 0, LayoutPin::kFirst});
  input.edges = {{0, 1}, {1, 2, 20, -10}, {3, 2}};
  const auto result = layoutWithDot(input, CancelToken());
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  EXPECT_LE(result->centres[3].y, result->centres[0].y);
  EXPECT_NEAR(result->line(1).front().x, result->centres[1].x + 20, 0.5);
  EXPECT_NEAR(result->line(1).back().x, result->centres[2].x - 10, 0.5);
}

TEST_F(DotLayout, isKilledWhenCancelled) {
  CancelToken cancel;
  cancel.cancel();
  const auto result = layoutWithDot(randomGraph(300, 0.05, 3), cancel);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, "cancelled");
}

// Pairs of edges that cross as drawn, against dot with no bounds on its effort.
TEST_F(DotLayout, ownEngineHasAtMost1Point3TimesItsCrossings) {
  uint64_t ours = 0, theirs = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const LayoutInput input = randomGraph(150, 0.03, seed);
    const auto dot = layoutWithDot(input, CancelToken(), std::chrono::seconds(30), DotEffort::kFull);
    const auto own = layoutLayered(input, CancelToken());
    ASSERT_TRUE(dot.has_value() && own.has_value());
    ours += drawnCrossings(input, *own);
    theirs += drawnCrossings(input, *dot);
  }
  RecordProperty("ours", static_cast<int>(ours));
  RecordProperty("dot", static_cast<int>(theirs));
  EXPECT_GT(theirs, 100u);
  EXPECT_LE(static_cast<double>(ours), static_cast<double>(theirs) * 1.3);
}

// Two lines that cross once, two that share an end, and one that passes by.
TEST(DrawnCrossings, countsPairsThatShareNoEnd) {
  LayoutInput input;
  input.nodes.assign(5, {10, 10});
  input.edges = {{0, 3}, {1, 2}, {0, 2}, {4, 3}};
  LayoutResult result;
  result.points = {{0, 0}, {100, 100}, {100, 0}, {0, 100}, {0, 0}, {0, 100}, {200, 0}, {210, 100}};
  result.lineStart = {0, 2, 4, 6, 8};
  EXPECT_EQ(drawnCrossings(input, result), 1u);
}

TEST(DotMissing, ownEngineDrawsAndSaysWhy) {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const auto result = layoutGraph(randomGraph(20, 0, 3), LayoutEngine::kDot, CancelToken());
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->engine, LayoutEngine::kLayered);
  ASSERT_EQ(result->notes.size(), 1u);
  EXPECT_EQ(result->notes[0].kind, "dot-not-found");
}

TEST(DotPlain, refusesWhatItCannotRead) {
  LayoutInput input;
  input.nodes.assign(2, {72, 36});
  input.edges = {{0, 1}};
  const std::string good =
      "graph 1 2 3\nnode n0 1 2.5 1 0.5 \"\" solid box black lightgrey\nnode n1 1 0.5 1 0.5 \"\" solid box "
      "black "
      "lightgrey\nedge n0 n1 4 1 2.25 1 2 1 1 1 0.75 solid black\nstop\n";
  const auto result = parseDotPlain(input, good);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->width, 144);
  EXPECT_EQ(result->centres[0], (LayoutPoint{72, 36}));
  EXPECT_EQ(result->line(0).front(), (LayoutPoint{72, 54}));
  for (const std::string& bad :
       {std::string(), std::string("graph 1 2 3\n"), std::string("graph 1 2 3\nnode n7 1 1 1 1\nstop\n"),
        std::string("graph 1 2 3\nedge n0 n1 999999999 1\nstop\n"), std::string("graph 1 2 3\nstop\n")}) {
    const auto refused = parseDotPlain(input, bad);
    ASSERT_FALSE(refused.has_value()) << bad;
    EXPECT_EQ(refused.error().kind, "dot-failed");
  }
}

}  // namespace
}  // namespace hilo
