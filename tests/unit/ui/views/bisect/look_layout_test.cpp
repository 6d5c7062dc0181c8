#include "ui/views/bisect/look_layout.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

Bisection searchOf(std::vector<BisectLook> looks, size_t steps) {
  Bisection search;
  search.looks = std::move(looks);
  for (size_t n = 0; n < steps; ++n) search.steps.push_back("step");
  return search;
}
BisectLook look(size_t step, Sight sight, int64_t fuel = -1) { return {step, "step", fuel, {sight}}; }

TEST(LookLayout, WhatWasNotLookedAtFollowsFromItsNeighbours) {
  const LookLayout layout =
      layOutLooks(searchOf({look(0, Sight::Good), look(6, Sight::Bad), look(3, Sight::Good)}, 7), 700);
  ASSERT_EQ(layout.cells.size(), 7u);
  EXPECT_EQ(layout.cells[2].sight, Sight::Good);
  EXPECT_EQ(layout.cells[2].look, -1);
  EXPECT_EQ(layout.cells[3].look, 2);
  EXPECT_EQ(layout.cells[4].sight, std::nullopt)
      << "between the last good and the first bad nothing is known";
  EXPECT_EQ(layout.cells[6].sight, Sight::Bad);
}

TEST(LookLayout, AnUnknownLookSaysNothingOfOthers) {
  const LookLayout layout = layOutLooks(searchOf({look(0, Sight::Good), look(2, Sight::Unknown)}, 4), 400);
  EXPECT_EQ(layout.cells[1].sight, std::nullopt);
  EXPECT_EQ(layout.cells[2].sight, Sight::Unknown);
}

TEST(LookLayout, CellsStandSideBySideWithinTheWidth) {
  for (const int steps : {1, 3, 40, 900}) {
    const LookLayout layout = layOutLooks(searchOf({}, static_cast<size_t>(steps)), 640);
    for (size_t n = 0; n < layout.cells.size(); ++n) {
      EXPECT_GE(layout.cells[n].rect.width(), 1);
      EXPECT_LE(layout.cells[n].rect.right(), 640);
      if (n > 0) EXPECT_GE(layout.cells[n].rect.left(), layout.cells[n - 1].rect.left());
    }
  }
  EXPECT_TRUE(layOutLooks({}, 640).cells.empty());
}

TEST(LookLayout, RewritesStandInTheirOrderAndAreFoundByPlace) {
  const LookLayout layout = layOutLooks(
      searchOf({look(0, Sight::Good), look(1, Sight::Bad), look(1, Sight::Bad, 8), look(1, Sight::Good, 0)},
               2),
      400);
  ASSERT_EQ(layout.fuel.size(), 2u);
  EXPECT_EQ(layout.fuel[0].fuel, 0);
  EXPECT_LT(layout.fuel[0].rect.left(), layout.fuel[1].rect.left());
  EXPECT_EQ(layout.mostFuel, 8);
  EXPECT_EQ(lookAt(layout, layout.fuel[1].rect.center()), 2);
  EXPECT_EQ(lookAt(layout, layout.cells[1].rect.center()), 1);
  EXPECT_EQ(lookAt(layout, QPoint(399, 5)), -1);
}

}  // namespace
}  // namespace hilo
