// Measured times in the schedule view: below the estimated ones in the same order; a device fitted to them.
#include <QSignalSpy>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "tests/unit/ui/views/schedule/chart_test_support.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_view.h"

namespace hilo {
namespace {

class MeasuredTimesTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    window_->files().open(write("overlap.hlo", kOverlapModule));
    settle();
    window_->showView("schedule");
    settle();
  }
  ScheduleView& view() { return window_->view<ScheduleView>(); }
  double makespanUs(ScheduleSide side) {
    return view().experiment().shown(side)->outcome.metrics.makespanNs / 1000;
  }
};

TEST_F(MeasuredTimesTest, StandBelowTheEstimatedOnesInTheSameOrder) {
  const double estimatedUs = makespanUs(ScheduleSide::A);
  view().measured().takeFile(write("run.csv", "independent,700\nneeds,900\n"));
  settle();
  ASSERT_EQ(view().canvas().placed().charts().size(), 2u);
  EXPECT_DOUBLE_EQ(makespanUs(ScheduleSide::A), estimatedUs);
  EXPECT_GE(makespanUs(ScheduleSide::B), 1600);
  EXPECT_TRUE(view().experiment().title(ScheduleSide::B).contains("as measured by"));
  std::vector<std::string> orders[2];
  for (const ScheduleSide side : {ScheduleSide::A, ScheduleSide::B})
    for (const Instruction* i : view().experiment().shown(side)->module().entry()->instructions())
      orders[static_cast<size_t>(side)].emplace_back(i->name());
  EXPECT_EQ(orders[0], orders[1]);
}

TEST_F(MeasuredTimesTest, ASchedulersOrderIsKept) {
  view().edited().setPreset("gpu");
  settle();
  view().measured().takeFile(write("run.csv", "independent,700\nneeds,900\n"));
  settle();
  EXPECT_FALSE(view().experiment().scenario(ScheduleSide::B).order.empty());
  EXPECT_EQ(view().experiment().shown(ScheduleSide::B)->outcome.faults.size(), 0u);
}

TEST_F(MeasuredTimesTest, ADeviceIsFittedToThem) {
  view().measured().takeFile(write("run.csv", "independent,700\nneeds,900\n"));
  settle();
  const QString device = folder_.filePath("fitted.json");
  const QSignalSpy said(&view(), &View::said);
  view().measured().fit(view().experiment().scenario(ScheduleSide::B), device);
  settle();
  EXPECT_EQ(view().experiment().scenario(ScheduleSide::A).device, device.toStdString());
  ASSERT_EQ(said.count(), 1);
  EXPECT_TRUE(said[0][0].toString().startsWith("Fitted to 2 measured instructions"));
  EXPECT_GT(makespanUs(ScheduleSide::A), 1000);
}

TEST_F(MeasuredTimesTest, WhatIsNoProfileIsSaid) {
  view().measured().takeFile(write("run.csv", "neither name nor time\n"));
  settle();
  EXPECT_FALSE(view().status().isEmpty());
}

}  // namespace
}  // namespace hilo
