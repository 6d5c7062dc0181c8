#include "ui/shell/navigation_history.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

Selection place(uint32_t instruction) {
  return {DocumentId{0}, SnapshotId{0}, ComputationId{0}, InstructionId{instruction}};
}

TEST(NavigationHistory, GoesBackAndForward) {
  NavigationHistory history;
  EXPECT_FALSE(history.canGoBack());
  history.visit(place(1));
  history.visit(place(2));
  history.visit(place(2));
  history.visit(place(3));
  EXPECT_EQ(history.size(), 3u);
  EXPECT_EQ(history.back(), place(2));
  EXPECT_EQ(history.back(), place(1));
  EXPECT_FALSE(history.canGoBack());
  EXPECT_EQ(history.forward(), place(2));
}

TEST(NavigationHistory, ANewPlaceForgetsWhatWasForward) {
  NavigationHistory history;
  history.visit(place(1));
  history.visit(place(2));
  history.back();
  history.visit(place(5));
  EXPECT_FALSE(history.canGoForward());
  EXPECT_EQ(history.back(), place(1));
}

TEST(NavigationHistory, IsBounded) {
  NavigationHistory history;
  for (uint32_t i = 0; i < 1000; ++i) history.visit(place(i));
  EXPECT_EQ(history.size(), NavigationHistory::kLimit);
  EXPECT_EQ(history.back(), place(998));
}

}  // namespace
}  // namespace hilo
