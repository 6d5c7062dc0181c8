// The list of changes that are alike: what it says of two modules, and how it is walked by keys.

#include <QAbstractItemModelTester>
#include <QTest>

#include "core/workspace/session/comparable.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/passes/passes_view.h"

namespace hilo {
namespace {

class AlikeChangesTest : public StudioTest {
 protected:
  // Three layers; after, each has an abs and a sign before its add.
  QByteArray layers(bool after) {
    QByteArray text = "HloModule m\nENTRY e {\n  x0 = f32[8] parameter(0)\n  w = f32[8] parameter(1)\n";
    for (int n = 0; n < 3; ++n) {
      const QByteArray i = QByteArray::number(n), next = QByteArray::number(n + 1);
      if (after) text += "  a" + i + " = f32[8] abs(x" + i + ")\n  s" + i + " = f32[8] sign(a" + i + ")\n";
      text += "  " + QByteArray(n == 2 ? "ROOT " : "") + "x" + next + " = f32[8] add(" + (after ? "s" : "x") +
              i + ", w)\n";
    }
    return text + "}\n";
  }
  void compare() {
    window_->files().open(write("before.hlo", layers(false)));
    settle();
    const SnapshotId before = session_->current()->id;
    window_->files().open(write("after.hlo", layers(true)));
    settle();
    compareWithCurrent(*session_, stepOf(*session_, before));
    window_->showView("passes");
    settle();
  }
};

TEST_F(AlikeChangesTest, EqualChangesAreOneRow) {
  QAbstractItemModelTester tester(
      const_cast<TableModel<AlikeChanges>*>(&window_->view<PassesView>().lists().alike()),
      QAbstractItemModelTester::FailureReportingMode::Fatal);
  compare();
  const auto& rows = window_->view<PassesView>().lists().alike().rows();
  // Each sum reads the one before, so that all changes hang together and none of them occurs twice over.
  ASSERT_EQ(rows.size(), 3u);
  for (const AlikeChanges& row : rows) {
    EXPECT_EQ(row.count, 3u);
    EXPECT_FALSE(row.isPattern);
  }
  session_->close(session_->documents().back()->id);
  settle();
  EXPECT_EQ(window_->view<PassesView>().lists().alike().rowCount(), 0);
}

TEST_F(AlikeChangesTest, EnterListsTheChangesOfARow) {
  compare();
  PassesView& passes = window_->view<PassesView>();
  EXPECT_EQ(passes.lists().changes().rowCount(), 9);
  TableView& table = passes.lists().alikeTable();
  QApplication::setActiveWindow(window_.get());
  table.setFocus();
  table.setCurrentIndex(passes.lists().alike().index(0, 0));
  const std::string opcode = passes.lists().alike().rows()[0].opcode;
  QTest::keyClick(&table, Qt::Key_Return);
  settle();
  ASSERT_EQ(passes.lists().changes().rowCount(), 3);
  EXPECT_EQ(opcode, "abs");
  for (const InstructionChange& change : passes.lists().changes().rows())
    EXPECT_TRUE(change.name.starts_with('a'));
}

}  // namespace
}  // namespace hilo
