// The runs view while a run is under way: what it waits for, and how that ends.
#include <QProgressBar>
#include <QPushButton>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/runs/runs_view.h"

namespace hilo {
namespace {

class RunsInWindowTest : public StudioTest {};

TEST_F(RunsInWindowTest, SaysWhatRunsHowFarItIsAndEndsIt) {
  window_->openPath(write("long.hlo", R"(HloModule long
condition { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(2000000000)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  w = f32[] sine(v)
  ROOT t = (s32[], f32[]) tuple(next, w) }
ENTRY e { zero = s32[] constant(0)
  x = f32[] parameter(0)
  t = (s32[], f32[]) tuple(zero, x)
  ROOT l = (s32[], f32[]) while(t), condition=condition, body=body }
)"));
  settle();
  window_->showView("runs");
  RunsView& runs = window_->runs();
  EXPECT_FALSE(runs.stopButton().isVisible());
  runs.repeat().setValue(1);
  QTest::mouseClick(&runs.runButton(), Qt::LeftButton);
  EXPECT_TRUE(runs.message().startsWith("Running ")) << runs.message().toStdString();
  EXPECT_TRUE(runs.message().endsWith(" on reference ...")) << runs.message().toStdString();
  auto* bar = runs.findChild<QProgressBar*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return bar->isVisible() && bar->format() == "run 1 of 1"; }, 20'000))
      << bar->format().toStdString();
  QTest::mouseClick(&runs.stopButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !runs.stopButton().isVisible(); }, 20'000));
  EXPECT_EQ(runs.message(), "Stopped.");
}

}  // namespace
}  // namespace hilo
