// From a module that says it is not partitioned, by a click in the schedule, to the program of one device;
// what made its collective necessary; a constraint tried and taken back.
#include <QLabel>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/partition/partition_view.h"

namespace hilo {
namespace {

constexpr const char* kSharded =
    R"(HloModule sharded, num_partitions=4
ENTRY e {
  x = f32[16,8] parameter(0), sharding={mesh['data'=4], [{'data'}, {}]}
  w = f32[8,32] parameter(1), sharding={mesh['data'=4], [{'data'}, {}]}
  v = f32[8,32] negate(w)
  d = f32[16,32] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['data'=4], [{'data'}, {}]}
  ROOT r = f32[16,32] exponential(d), sharding={mesh['data'=4], [{'data'}, {}]}
}
)";

class PartitionInWindowTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    window_->files().open(write("sharded.hlo", kSharded));
    settle();
  }
  PartitionView& view() { return window_->view<PartitionView>(); }
  void showPartition() {
    window_->showView("partition");
    settle();
  }
};

TEST_F(PartitionInWindowTest, ShowsTheCollectiveWithItsCause) {
  showPartition();
  ASSERT_EQ(view().collectives().rowCount(), 1);
  EXPECT_TRUE(view().head().contains("data 4")) << view().head().toStdString();
  view().goTo("all-gather");
  ASSERT_TRUE(view().panel().shown());
  EXPECT_TRUE(QString::fromStdString(view().panel().shown()->text).contains("%d needs it whole"));
  ASSERT_EQ(view().diagram().diagrams().size(), 1u);
  EXPECT_EQ(view().diagram().diagrams()[0].title, "mesh: it runs along data");
}

// Two layers, each with the same all-gather of its weights.
TEST_F(PartitionInWindowTest, AlikeCollectivesAreOneRowUntilTheyAreWantedSingly) {
  window_->files().open(write("layers.hlo", R"(HloModule layers, num_partitions=4
ENTRY e {
  x = f32[16,32] parameter(0), sharding={mesh['data'=4], [{'data'}, {}]}
  w = f32[32,32] parameter(1), sharding={mesh['data'=4], [{'data'}, {}]}
  u = f32[32,32] parameter(2), sharding={mesh['data'=4], [{'data'}, {}]}
  v = f32[32,32] negate(w)
  z = f32[32,32] negate(u)
  d = f32[16,32] dot(x, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['data'=4], [{'data'}, {}]}
  ROOT r = f32[16,32] dot(d, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={mesh['data'=4], [{'data'}, {}]}
}
)"));
  settle();
  showPartition();
  const std::vector<PartitionCollective>& all = view().partitioning()->collectives;
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(view().collectives().rowCount(), 1);
  EXPECT_EQ(view().tables().tabText(1), "Collectives (2)");
  EXPECT_EQ(view().collectives().rows()[0].ns, all[0].ns + all[1].ns);
  const QModelIndex first = view().collectives().index(0, 0);
  EXPECT_EQ(first.data().toString().toStdString(), all[0].name + " and 1 more");
  ASSERT_TRUE(view().goTo(QString::fromStdString(all[1].name)));
  EXPECT_TRUE(view().panel().shown()->title.starts_with(all[1].name + " "));
  view().alikeBox().click();
  ASSERT_EQ(view().collectives().rowCount(), 2);
  EXPECT_EQ(view().collectives().rows()[1].ns, all[1].ns);
}

TEST_F(PartitionInWindowTest, AnInstructionSelectedElsewhereShowsItsParts) {
  showPartition();
  window_->goToName("w");
  showPartition();
  ASSERT_TRUE(view().panel().shown());
  EXPECT_EQ(view().panel().shown()->title, "w");
  EXPECT_EQ(view().diagram().diagrams()[0].title, "mesh: who holds which part");
}

TEST_F(PartitionInWindowTest, AConstraintIsTriedAndTakenBack) {
  showPartition();
  view().goTo("all-gather");
  ASSERT_FALSE(view().panel().shown()->advice.empty());
  view().tryConstraint(view().panel().shown()->advice.front().constraint);
  settle();
  EXPECT_TRUE(view().head().contains("with %d = {replicated}")) << view().head().toStdString();
  EXPECT_EQ(view().partitioning()->request.constraints.size(), 1u);
  EXPECT_TRUE(view().commandLine({}).endsWith("--constrain 'd={replicated}'"))
      << view().commandLine({}).toStdString();
  QTest::mouseClick(&view().undoButton(), Qt::LeftButton);
  settle();
  EXPECT_TRUE(view().partitioning()->request.constraints.empty());
}

TEST_F(PartitionInWindowTest, FewestBytesAreTriedAndTakenBack) {
  showPartition();
  QTest::mouseClick(&view().fewestBytesButton(), Qt::LeftButton);
  settle();
  EXPECT_TRUE(view().head().contains("by fewest bytes")) << view().head().toStdString();
  EXPECT_TRUE(view().commandLine({}).endsWith("--fewest-bytes")) << view().commandLine({}).toStdString();
  EXPECT_TRUE(view().fewestBytesButton().isHidden());
  QTest::mouseClick(&view().undoButton(), Qt::LeftButton);
  settle();
  EXPECT_FALSE(view().partitioning()->request.fewestBytes);
}

TEST_F(PartitionInWindowTest, TheScheduleAsksForItFirstAndTheResultIsAStepOfASeries) {
  window_->showView("schedule");
  settle();
  QLabel* link = nullptr;
  for (QLabel* label : window_->findChildren<QLabel*>()) {
    if (label->text().contains("href=\"partition:\"")) link = label;
  }
  ASSERT_NE(link, nullptr);
  Q_EMIT link->linkActivated("partition:");
  settle();
  ASSERT_EQ(session_->series().size(), 1u);
  const PassSeries& series = *session_->series()[0].series;
  EXPECT_EQ(session_->current()->module, series.steps.back().moduleIfLoaded());
  EXPECT_NE(session_->current()->module->findInstruction("all-gather"), nullptr);
  // The view goes on showing the same partitioning, and selects in what is current now.
  showPartition();
  view().goTo("all-gather");
  EXPECT_EQ(selectedName(), "all-gather");
}

TEST_F(PartitionInWindowTest, ClosingTheModuleEmptiesIt) {
  showPartition();
  session_->close(session_->documents()[0]->id);
  settle();
  EXPECT_EQ(view().partitioning(), nullptr);
  EXPECT_EQ(view().collectives().rowCount(), 0);
}

TEST_F(PartitionInWindowTest, AModuleForOneDeviceSaysSo) {
  openSmall();
  showPartition();
  EXPECT_TRUE(view().head().contains("one device")) << view().head().toStdString();
}

}  // namespace
}  // namespace hilo
