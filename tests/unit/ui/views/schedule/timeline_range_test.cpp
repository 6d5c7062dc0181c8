// What a range dragged in the ruler says, of charts made by hand and by mouse.
#include "ui/views/schedule/timeline_range.h"

#include <QTest>

#include "tests/unit/ui/views/schedule/chart_test_support.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/timeline_overlay.h"

namespace hilo {
namespace {

ChartEvent eventOf(TimelineEventKind kind, double begin, double end, uint32_t block = kNoEvent) {
  ChartEvent event;
  event.kind = kind;
  event.block = block;
  event.time = {begin, end};
  event.slots = {begin / 10, end / 10};
  return event;
}

// Work to 10, a wait to 14, and from 20 to 30 one of five iterations of a loop that works all the time.
ScheduleChart handMade() {
  ScheduleChart chart;
  chart.events = {eventOf(TimelineEventKind::Work, 0, 10), eventOf(TimelineEventKind::Wait, 10, 14),
                  eventOf(TimelineEventKind::Block, 20, 30), eventOf(TimelineEventKind::Work, 20, 30, 2)};
  chart.events[2].repeat = 5;
  chart.folds = {{30, 40}};
  chart.memory = {{0, 0, 100}, {8, 1, 700}, {12, 2, 300}};
  chart.durationNs = 30;
  return chart;
}

TEST(TimelineRangeTest, CountsWhatLiesInIt) {
  const RangeFigures figures = rangeFigures(handMade(), {4, 12});
  EXPECT_DOUBLE_EQ(figures.durationNs, 8);
  EXPECT_DOUBLE_EQ(figures.busyNs, 6);
  EXPECT_DOUBLE_EQ(figures.exposedNs, 2);
  EXPECT_EQ(figures.peakBytes, 700);
  EXPECT_EQ(rangeFigures(handMade(), {13, 14}).peakBytes, 300) << "what was live before it began";
}

TEST(TimelineRangeTest, ALoopInItCountsAllItsIterations) {
  const RangeFigures all = rangeFigures(handMade(), {0, 30});
  EXPECT_DOUBLE_EQ(all.durationNs, 70);
  EXPECT_DOUBLE_EQ(all.busyNs, 10 + 5 * 10);
  EXPECT_DOUBLE_EQ(rangeFigures(handMade(), {22, 27}).busyNs, 5) << "within one iteration";
}

TEST(TimelineRangeTest, APartOfTheProgramOrderIsTheTimeOfItsInstructions) {
  const ChartSpan time = timeOf(handMade(), ChartAxis::Slots, {0.5, 1.2});
  EXPECT_DOUBLE_EQ(time.begin, 0);
  EXPECT_DOUBLE_EQ(time.end, 14);
}

TEST(TimelineRangeTest, DraggedInTheRulerAndTakenAwayByEscape) {
  StudiedModule studied;
  ScheduleCanvas canvas;
  canvas.resize(800, 400);
  canvas.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&canvas));
  canvas.setCharts({{studied.run({.preset = "original"}), "A", true}}, true);
  auto* overlay = canvas.viewport()->findChild<TimelineOverlay*>();
  ASSERT_NE(overlay, nullptr);
  const AxisView before = canvas.axis().view();
  const QPoint from(300, 8), to(500, 8);
  QTest::mousePress(canvas.viewport(), Qt::LeftButton, {}, from);
  QTest::mouseMove(canvas.viewport(), to);
  QTest::mouseRelease(canvas.viewport(), Qt::LeftButton, {}, to);
  ASSERT_TRUE(overlay->range());
  EXPECT_NEAR(overlay->range()->width(), 200 * before.perPixel, 2 * before.perPixel);
  EXPECT_EQ(canvas.axis().view(), before) << "nothing was panned";
  EXPECT_TRUE(overlay->rangeLine().contains("busy")) << overlay->rangeLine().toStdString();
  EXPECT_TRUE(overlay->rangeLine().contains("exposed"));
  EXPECT_FALSE(overlay->readout().isEmpty());
  QTest::keyClick(&canvas, Qt::Key_Escape);
  EXPECT_FALSE(overlay->range());
}

}  // namespace
}  // namespace hilo
