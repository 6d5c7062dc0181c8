// The runs view while a run is under way: what it waits for, and how that ends.
#include <QLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QTest>

#include "tests/unit/ui/shell/long_module.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/compare/compare_view.h"
#include "ui/views/graph/graph_area.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/thunks/thunks_view.h"

namespace hilo {
namespace {

class RunsInWindowTest : public StudioTest {
 protected:
  QComboBox& engineBox() {
    const auto boxes = window_->view<RunsView>().findChildren<QComboBox*>();
    return **std::ranges::find(boxes, "Engine", &QComboBox::accessibleName);
  }
};

TEST_F(RunsInWindowTest, BeginsWithWhatIsSafe) {
  openSmall();
  window_->showView("runs");
  RunsView& runs = window_->view<RunsView>();
  EXPECT_EQ(runs.form().engine(), "cpu");
  EXPECT_EQ(runs.form().repeat().value(), 20);
  EXPECT_EQ(runs.form().limitsButton().text(), "at most 600 s");
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.list().model().rowCount() == 1; }, 60'000))
      << runs.message().toStdString();
  EXPECT_EQ(runs.list().model().rows()[0].engine, "cpu");
  EXPECT_EQ(runs.list().model().rows()[0].timings.n(), 20u);
}

TEST_F(RunsInWindowTest, SaysWhatRunsHowFarItIsAndEndsIt) {
  window_->files().open(write("long.hlo", longModule()));
  settle();
  window_->showView("runs");
  RunsView& runs = window_->view<RunsView>();
  EXPECT_FALSE(runs.stopButton().isVisible());
  runs.form().repeat().setValue(1);
  engineBox().setCurrentText("reference");
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  EXPECT_TRUE(runs.message().startsWith("Running ")) << runs.message().toStdString();
  EXPECT_TRUE(runs.message().endsWith(" on reference ...")) << runs.message().toStdString();
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.question().isVisible(); }, 60'000));
  EXPECT_TRUE(runs.question().text().contains("about ")) << runs.question().text().toStdString();
  EXPECT_FALSE(runs.stopButton().isVisible());
  QTest::mouseClick(&runs.question().goButton(), Qt::LeftButton);
  EXPECT_FALSE(runs.question().isVisible());
  auto* bar = runs.findChild<QProgressBar*>();
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return bar->isVisible() && bar->format().endsWith("run 1 of 1"); }, 60'000))
      << bar->format().toStdString();
  QTest::mouseClick(&runs.stopButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !runs.stopButton().isVisible(); }, 60'000));
  EXPECT_EQ(runs.message(), "Stopped.");
}

TEST_F(RunsInWindowTest, WhatIsNotWantedIsNotRun) {
  window_->files().open(write("long.hlo", longModule()));
  settle();
  window_->showView("runs");
  RunsView& runs = window_->view<RunsView>();
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.question().isVisible(); }, 60'000));
  for (auto* button : runs.question().findChildren<QPushButton*>()) {
    if (button->text() == "Do not run") QTest::mouseClick(button, Qt::LeftButton);
  }
  settle();
  EXPECT_EQ(runs.message(), "Not run.");
  EXPECT_EQ(runs.list().model().rowCount(), 0);
}

constexpr const char* kOpenOutfeed = R"(HloModule open_outfeed
ENTRY main {
  a = f32[<=8] parameter(0)
  before = token[] after-all()
  ROOT o = token[] outfeed(a, before), outfeed_shape=f32[<=8]
}
)";

// As `hilo run` without --engine; what the user chose stays.
TEST_F(RunsInWindowTest, TheEngineIsOneThatCanRunTheModule) {
  openSmall();
  window_->showView("runs");
  settle();
  EXPECT_EQ(engineBox().currentText(), "cpu");
  window_->files().open(write("open.hlo", kOpenOutfeed));
  settle();
  window_->showView("runs");
  settle();
  EXPECT_EQ(engineBox().currentText(), "reference");
  const QString said = window_->view<RunsView>().message();
  EXPECT_TRUE(said.startsWith("engine reference: cpu cannot run it: outfeed")) << said.toStdString();
  openSmall();
  window_->showView("runs");
  settle();
  EXPECT_EQ(engineBox().currentText(), "cpu");
  engineBox().setFocus();
  QTest::keyClick(&engineBox(), Qt::Key_P);
  ASSERT_EQ(engineBox().currentText(), "plain");
  window_->files().open(write("again.hlo", kOpenOutfeed));
  settle();
  window_->showView("runs");
  settle();
  EXPECT_EQ(engineBox().currentText(), "plain");
}

// Why it cannot run, what can, and the controls are not cut by it.
TEST_F(RunsInWindowTest, ARefusalHasRoomAndNamesTheEngineThatRunsIt) {
  window_->resize(1024, 700);
  window_->files().open(write("open.hlo", kOpenOutfeed));
  settle();
  window_->showView("runs");
  settle();
  RunsView& runs = window_->view<RunsView>();
  engineBox().setCurrentText("cpu");
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  settle();
  EXPECT_TRUE(runs.message().contains("cannot be run by cpu")) << runs.message().toStdString();
  EXPECT_TRUE(runs.message().endsWith("the engine reference can run it")) << runs.message().toStdString();
  EXPECT_GE(runs.form().height(), runs.form().layout()->minimumHeightForWidth(runs.form().width()));
}

// What the run kept of its thunks shows in the graph and in the list of thunks when the run is selected.
TEST_F(RunsInWindowTest, ASelectedRunColoursTheGraphAndTheThunks) {
  openSmall();
  window_->showView("thunks");
  ThunksView& thunks = window_->view<ThunksView>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks.table().rows().rowCount() > 0; }, 60'000));
  settle();
  window_->showView("runs");
  RunsView& runs = window_->view<RunsView>();
  engineBox().setCurrentText("cpu");
  runs.form().repeat().setValue(1);
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.list().model().rowCount() == 1; }, 60'000))
      << runs.message().toStdString();
  settle();
  runs.list().table().setCurrentIndex(runs.list().model().index(0, 0));
  ASSERT_TRUE(QTest::qWaitFor([&] { return thunks.head().contains("times of run 1"); }, 60'000))
      << thunks.head().toStdString();
  settle();
  EXPECT_TRUE(std::ranges::any_of(thunks.table().rows().rows(),
                                  [](const ThunkTableRow& row) { return row.facts.measuredNs >= 0; }));
  EXPECT_TRUE(window_->view<GraphArea>().arrangement().contains("colour=run"));
}

}  // namespace
}  // namespace hilo
