// The axis as a value: what is under the pointer stays, nothing leaves the chart.
#include "ui/canvas/axis_view.h"

#include <gtest/gtest.h>

namespace hilo {
namespace {

constexpr double kLength = 1000, kWidth = 500;

TEST(AxisView, FittingShowsEverythingWithALittleRoom) {
  const AxisView view = AxisView::fitting(ChartAxis::Time, kLength, kWidth);
  EXPECT_LT(view.begin, 0);
  EXPECT_GT(view.end(kWidth), kLength);
  EXPECT_LT(view.end(kWidth), kLength * 1.05);
}

TEST(AxisView, ZoomingKeepsWhatIsUnderThePointer) {
  const AxisView view = AxisView::fitting(ChartAxis::Time, kLength, kWidth);
  const double at = view.toAxis(320);
  const AxisView near = view.zoomedAt(320, 8, kLength, kWidth);
  EXPECT_NEAR(near.perPixel, view.perPixel / 8, 1e-12);
  EXPECT_NEAR(near.toX(at), 320, 1e-6);
  // Out again as far as it goes, and not farther.
  EXPECT_EQ(near.zoomedAt(320, 1 / 8.0, kLength, kWidth).perPixel, view.perPixel);
  EXPECT_EQ(near.zoomedAt(10, 1e-9, kLength, kWidth).perPixel, view.perPixel);
  EXPECT_GT(view.zoomedAt(10, 1e30, kLength, kWidth).perPixel, 0);
}

TEST(AxisView, PanningStopsAtTheEnds) {
  const AxisView near =
      AxisView::fitting(ChartAxis::Time, kLength, kWidth).zoomedAt(250, 10, kLength, kWidth);
  EXPECT_NEAR(near.panned(-20, kLength, kWidth).begin, near.begin + 20 * near.perPixel, 1e-9);
  EXPECT_LE(near.panned(-1e9, kLength, kWidth).end(kWidth), kLength * 1.011);
  EXPECT_GE(near.panned(1e9, kLength, kWidth).begin, -kLength * 0.011);
}

TEST(AxisView, RevealingMovesAsLittleAsNeeded) {
  const AxisView near = AxisView::fitting(ChartAxis::Time, kLength, kWidth).zoomedAt(0, 10, kLength, kWidth);
  EXPECT_EQ(near.revealing({20, 30}, kLength, kWidth), near);
  const AxisView moved = near.revealing({700, 710}, kLength, kWidth);
  EXPECT_EQ(moved.perPixel, near.perPixel);
  EXPECT_GE(moved.toX(700), 0);
  EXPECT_LE(moved.toX(710), kWidth);
  // What would be less than a pixel is brought near.
  const AxisView close = near.revealing({700, 700.05}, kLength, kWidth);
  EXPECT_NEAR(0.05 / close.perPixel, 24, 1e-6);
}

TEST(AxisView, RulersCountInRoundNumbers) {
  const auto ticks = rulerTicks(AxisView{ChartAxis::Time, -3, 0.1}, 500, 90);
  ASSERT_GE(ticks.size(), 4u);
  EXPECT_EQ(ticks[0], 0);
  EXPECT_EQ(ticks[1], 10);
  const auto places = rulerTicks(AxisView{ChartAxis::Slots, 0, 0.001}, 500, 90);
  for (const double tick : places) EXPECT_EQ(tick, std::round(tick));
}

}  // namespace
}  // namespace hilo
