// The first three questions the studio is for, each from its beginning to its answer by what a person clicks
// and types; the others are of kernels, in files beside this. tests/e2e/walks_test.py asks them by commands,
// docs/walks.md is their page.
#include <QLineEdit>

#include "tests/unit/ui/shell/walk_fixture.h"
#include "ui/views/bisect/bisect_view.h"
#include "ui/views/memory/memory_view.h"
#include "ui/views/partition/partition_view.h"
#include "ui/views/schedule/schedule_view.h"

namespace hilo {
namespace {

// Why does my step not overlap its collectives?
TEST_F(WalkInWindow, FromTheBannerToTheConstraintAndTheScheduleOfOneDevice) {
  open("tests/e2e/walks/train_step.hlo");
  show("schedule");
  ASSERT_TRUE(banner().isVisible());
  EXPECT_TRUE(banner().text().contains("Not partitioned"));
  show("partition");
  PartitionView& partition = window_->view<PartitionView>();
  ASSERT_EQ(partition.collectives().rowCount(), 2);
  partition.goTo("all-gather");
  settle();
  ASSERT_TRUE(partition.panel().shown());
  EXPECT_TRUE(QString::fromStdString(partition.panel().shown()->text).contains("%hidden needs it whole"))
      << partition.panel().shown()->text;
  ASSERT_FALSE(partition.panel().shown()->advice.empty());
  const int64_t peak = partition.partitioning()->metrics.peakBytes;
  partition.tryConstraint({.instruction = "hidden", .sharding = "{devices=[1,8]<=[8]}"});
  settle();
  EXPECT_LT(partition.partitioning()->metrics.peakBytes, peak);
  QTest::mouseClick(&partition.openButton(), Qt::LeftButton);
  settle();
  runPipeline("gpu");
  show("schedule");
  EXPECT_FALSE(banner().isVisible() && banner().text().contains("Not partitioned"));
  EXPECT_TRUE(session_->current()->module->isScheduled());
}

// Which pass broke it?
TEST_F(WalkInWindow, FromADumpAndWhatWasExpectedToThePass) {
  open("tests/e2e/walks/report_dump");
  show("bisect");
  BisectView& bisect = window_->view<BisectView>();
  bisect.form().setSettings({.watch = "expected:{-3, -6, -9, -12}",
                             .over = "stages",
                             .arguments = "seed 0, x={1, 2, 3, 4}, y={2, 2, 2, 2}"});
  settle();
  QTest::mouseClick(&bisect.startButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return bisect.startButton().isEnabled(); }, 60'000));
  EXPECT_TRUE(bisect.message().startsWith("reassociate broke it.")) << bisect.message().toStdString();
  // In one file, the other side finds the same.
  const QString sent = folder_.filePath("report.hilo");
  window_->files().saveAs(sent);
  settle();
  window_.reset();
  session_ = std::make_unique<Session>(jobs_, ":memory:");
  session_->runs().setWorker({.command = {HILO_PROGRAM, "worker"}});
  makeWindow();
  open(sent);
  show("bisect");
  BisectView& other = window_->view<BisectView>();
  QTest::mouseClick(&other.startButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return other.startButton().isEnabled(); }, 60'000));
  EXPECT_TRUE(other.message().startsWith("reassociate broke it.")) << other.message().toStdString();
}

// Why does it not fit?
TEST_F(WalkInWindow, FromThePeakToTheLineAndWhatFusingLeaves) {
  open("tests/e2e/walks/large_intermediate.hlo");
  show("memory");
  MemoryView& memory = window_->view<MemoryView>();
  memory.grouping().setCurrentText("source line");
  ASSERT_TRUE(memory.showTable("Groups"));
  settle();
  EXPECT_TRUE(std::ranges::any_of(memory.groups().rows(),
                                  [](const GroupRow& row) { return row.name.contains("model.py:70"); }));
  EXPECT_TRUE(std::ranges::any_of(memory.live().rows(),
                                  [](const LiveRow& row) { return row.source == "model.py:70"; }));
  const int64_t before = memory.map(1).scene().plan()->profile.totals.total;
  runPipeline("gpu");
  show("memory");
  EXPECT_LT(memory.map(1).scene().plan()->profile.totals.total, before);
}

TEST_F(WalkInWindow, FromThePeakToWhatLowersIt) {
  open("tests/e2e/walks/saved_activation.hlo");
  show("memory");
  MemoryView& memory = window_->view<MemoryView>();
  pressTab(memory.tables(), "What would help");
  PeakChangesPanel& changes = memory.changes();
  press(changes.tryButton());
  ASSERT_TRUE(wait([&] { return !changes.isTrying(); }));
  ASSERT_GT(changes.trials().rowCount(), 0) << changes.summary().toStdString();
  // What the backward step needs again is computed again: an eighth of a GiB less, at its source line.
  const PeakTrial best = changes.trials().rows().front();
  EXPECT_EQ(best.change.kind, "recompute");
  EXPECT_TRUE(best.change.how.starts_with("model.py:12: ")) << best.change.how;
  const auto study = session_->result<ResultKind::PeakChanges>(session_->current()->id);
  ASSERT_TRUE(study != nullptr && best.figures);
  EXPECT_EQ(study->figures.peakBytes - best.figures->peakBytes, 128 << 20);
  press(changes.openButton());
  settle();
  EXPECT_TRUE(memory.isVisible());
  EXPECT_EQ(memory.map(1).scene().plan()->profile.totals.total, best.figures->planBytes);
}

}  // namespace
}  // namespace hilo
