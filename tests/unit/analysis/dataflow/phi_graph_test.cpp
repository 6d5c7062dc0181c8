#include "core/analysis/dataflow/phi_graph.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

ValueId id(uint32_t value) { return {value}; }

TEST(PhiGraph, APhiOfOneValueIsThatValue) {
  PhiGraph graph;
  graph.setInputs(id(1), {id(0), id(0)});
  graph.setInputs(id(2), {id(1), id(2)});  // itself does not count
  graph.optimize();
  EXPECT_EQ(graph.resolve(id(1)), id(0));
  EXPECT_EQ(graph.resolve(id(2)), id(0));
}

TEST(PhiGraph, PhisThatOnlyFeedEachOtherAreWhatFlowsIn) {
  PhiGraph graph;
  graph.setInputs(id(1), {id(2), id(3)});
  graph.setInputs(id(2), {id(3), id(0)});
  graph.setInputs(id(3), {id(1), id(2)});
  graph.optimize();
  for (const uint32_t phi : {1, 2, 3}) EXPECT_EQ(graph.resolve(id(phi)), id(0));
}

TEST(PhiGraph, TwoValuesKeepTheirPhi) {
  PhiGraph graph;
  graph.setInputs(id(2), {id(0), id(3)});
  graph.setInputs(id(3), {id(2), id(1)});
  graph.setInputs(id(4), {id(2), id(2)});
  graph.optimize();
  EXPECT_EQ(graph.resolve(id(2)), id(2));
  EXPECT_EQ(graph.resolve(id(3)), id(3));
  EXPECT_EQ(graph.resolve(id(4)), id(2));
}

TEST(PhiGraph, ALongChainFoldsWithoutDeepRecursion) {
  PhiGraph graph;
  for (uint32_t i = 1; i < 200'000; ++i) graph.setInputs(id(i), {id(i - 1), id(i + 1 < 200'000 ? i + 1 : 1)});
  graph.optimize();
  EXPECT_EQ(graph.resolve(id(199'999)), id(0));
}

TEST(PhiGraph, SaysWhetherInputsChanged) {
  PhiGraph graph;
  EXPECT_TRUE(graph.setInputs(id(2), {id(0), id(1)}));
  EXPECT_FALSE(graph.setInputs(id(2), {id(1), id(0), id(1)}));
  EXPECT_TRUE(graph.setInputs(id(2), {id(1)}));
}

}  // namespace
}  // namespace hilo
