// The runs view while a run is under way: what it waits for, and how that ends.
#include <QProgressBar>
#include <QPushButton>
#include <QTest>

#include "tests/unit/ui/shell/long_module.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/runs/runs_view.h"

namespace hilo {
namespace {

class RunsInWindowTest : public StudioTest {};

TEST_F(RunsInWindowTest, SaysWhatRunsHowFarItIsAndEndsIt) {
  window_->openPath(write("long.hlo", longModule()));
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
