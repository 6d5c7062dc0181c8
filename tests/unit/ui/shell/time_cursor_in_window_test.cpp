// One moment in all views along time: pointed at or placed in one of them, the others show it.
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "tests/unit/ui/views/schedule/chart_test_support.h"
#include "ui/models/time_cursor.h"
#include "ui/views/memory/memory_view.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_view.h"
#include "ui/views/schedule/timeline_overlay.h"

namespace hilo {
namespace {

class TimeCursorInWindowTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    window_->files().open(write("overlap.hlo", kOverlapModule));
    settle();
    for (const char* view : {"memory", "schedule"}) {
      window_->showView(view);
      settle();
    }
    ASSERT_NE(schedule().experiment().shown(ScheduleSide::A), nullptr);
    ASSERT_NE(map().scene().plan(), nullptr);
  }
  ScheduleView& schedule() { return window_->view<ScheduleView>(); }
  TimelineOverlay& overlay() { return schedule().canvas().overlay(); }
  MemoryView& memory() { return window_->view<MemoryView>(); }
  MemoryMap& map() { return memory().map(1); }
  std::string nameOfStep(int64_t step) {
    const MemoryPlans& plans = *map().scene().drawn().plans;
    return std::string(plans.module->instruction(plans.sequence[static_cast<size_t>(step)])->name());
  }
  std::string pointedInMemory() {
    const auto& pointed = map().scene().drawn().pointed;
    return pointed ? nameOfStep(pointed->step) : "";
  }
  ChartSpan timeOf(const char* name, int chart = 0) {
    const ShownOrder& order = *schedule().canvas().placed().charts()[static_cast<size_t>(chart)].order;
    return order.chart().events[order.chart().eventOf(order.module().findInstruction(name)->id())].time;
  }
  // Of the canvas, in the middle of what an instruction takes on the compute lane.
  QPoint middleOf(const char* name) {
    const ShownOrder& order = *schedule().canvas().placed().charts()[0].order;
    const uint32_t event = order.chart().eventOf(order.module().findInstruction(name)->id());
    return schedule().canvas().placed().rectOf(0, event).center().toPoint();
  }
  // In the memory map, in the middle of an instruction's step.
  QPoint stepOf(const char* name) {
    const auto& sequence = map().scene().drawn().plans->sequence;
    for (size_t step = 0; step < sequence.size(); ++step) {
      if (nameOfStep(static_cast<int64_t>(step)) != name) continue;
      const MapWindow& window = map().scene().drawn().window;
      const QRect area = areasIn(map().rect()).map;
      return area.topLeft() +
             QPoint(static_cast<int>(xOf(static_cast<double>(step) + 0.5, window, area.size())), 4);
    }
    ADD_FAILURE() << name << " is no step";
    return {};
  }
};

TEST_F(TimeCursorInWindowTest, PointingAtTheTimelineShowsTheStepOfThePlan) {
  QTest::mouseMove(schedule().canvas().viewport(), middleOf("needs"));
  EXPECT_EQ(pointedInMemory(), "needs");
  QTest::mouseMove(schedule().canvas().viewport(), middleOf("independent"));
  EXPECT_EQ(pointedInMemory(), "independent");
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(schedule().canvas().viewport(), &leave);
  EXPECT_EQ(pointedInMemory(), "");
}

TEST_F(TimeCursorInWindowTest, AClickOnTheTimelineTakesTheCursorOfMemoryThere) {
  for (const char* name : {"independent", "needs"}) {
    QTest::mouseClick(schedule().canvas().viewport(), Qt::LeftButton, {}, middleOf(name));
    EXPECT_EQ(nameOfStep(memory().cursor()), name);
    ASSERT_TRUE(overlay().cursorAt());
    EXPECT_NEAR(*overlay().cursorAt(), (timeOf(name).begin + timeOf(name).end) / 2, timeOf(name).width() / 4);
  }
}

TEST_F(TimeCursorInWindowTest, WhatIsPointedAtAndClickedInMemoryIsOnTheTimeline) {
  window_->showView("memory");
  settle();
  QTest::mouseMove(&map(), stepOf("needs"));
  ASSERT_TRUE(overlay().lineAt());
  EXPECT_NEAR(*overlay().lineAt(), (timeOf("needs").begin + timeOf("needs").end) / 2,
              timeOf("needs").width() / 4);
  EXPECT_EQ(pointedInMemory(), "needs") << "its own line is the same";
  QTest::mouseClick(&map(), Qt::LeftButton, {}, stepOf("independent"));
  QEvent leave(QEvent::Leave);
  QCoreApplication::sendEvent(&map(), &leave);
  EXPECT_FALSE(overlay().lineAt());
  ASSERT_TRUE(overlay().cursorAt());
  EXPECT_GE(*overlay().cursorAt(), timeOf("independent").begin);
  EXPECT_LE(*overlay().cursorAt(), timeOf("independent").end);
  EXPECT_TRUE(overlay().readout().contains("live")) << overlay().readout().toStdString();
}

TEST_F(TimeCursorInWindowTest, AnotherOrderHasTheMomentElsewhere) {
  QTest::mouseClick(schedule().canvas().viewport(), Qt::LeftButton, {}, middleOf("independent"));
  const double before = *overlay().cursorAt();
  schedule().showSides(ScheduleSides::B);
  settle();
  ASSERT_TRUE(overlay().cursorAt());
  EXPECT_GE(*overlay().cursorAt(), timeOf("independent").begin);
  EXPECT_LE(*overlay().cursorAt(), timeOf("independent").end);
  EXPECT_LT(*overlay().cursorAt(), before) << "the dot hides the gather, which it came after";
  EXPECT_EQ(nameOfStep(memory().cursor()), "independent");
}

TEST_F(TimeCursorInWindowTest, AMomentOfAnotherModuleIsNotShown) {
  const Moment here = [&] {
    QTest::mouseClick(schedule().canvas().viewport(), Qt::LeftButton, {}, middleOf("needs"));
    return window_->bus().time().placed();
  }();
  ASSERT_TRUE(here.valid());
  const int64_t step = memory().cursor();
  window_->bus().time().place({SnapshotId{here.snapshot.value + 100}, here.instruction, 0.5});
  EXPECT_FALSE(overlay().cursorAt());
  EXPECT_EQ(memory().cursor(), step);
}

}  // namespace
}  // namespace hilo
