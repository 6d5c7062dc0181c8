// The history of an instruction in the passes view: of either side, to its end, and back to where it was.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/models/text_of.h"
#include "ui/views/inspector/inspector_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/widgets/diff_text_view.h"

namespace hilo {
namespace {

class PassHistoryTest : public StudioTest {
 protected:
  // dce takes %unused away; cse then has nothing to do.
  void runPasses() {
    openSmall();
    passes().run({.module = session_->current()->module, .passes = {"dce", "cse"}});
    settle();
    window_->showView("passes");
    passes().strip().setCurrent(1);
    settle();
  }
  PassesView& passes() { return window_->view<PassesView>(); }
  // The caret of a side goes to the line that holds `words`.
  void clickLine(TextView* side, const QString& words) {
    const QString text = QString::fromStdString(side->lines().text());
    const auto line = static_cast<uint32_t>(text.left(text.indexOf(words)).count('\n'));
    side->goTo({line, 0});
    Q_EMIT passes().panes().text().lineSelected(line, side == passes().panes().text().right());
    settle();
  }
};

TEST_F(PassHistoryTest, OfTheSideBeforeItEndsWhereItIsRemoved) {
  QAbstractItemModelTester tester(const_cast<TableModel<HistoryEntry>*>(&passes().lists().history().rows()),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
  runPasses();
  clickLine(passes().panes().text().left(), "%unused =");
  const auto& rows = passes().lists().history().rows().rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].step, 0u);
  EXPECT_EQ(rows[1].kind, ChangeKind::Removed);
  EXPECT_EQ(rows[1].what, "removed by dce");
  EXPECT_TRUE(passes().lists().history().title().startsWith("%unused, negate"))
      << toStd(passes().lists().history().title());
  // What was shown is shown still, and the inspector tells of the line.
  EXPECT_EQ(session_->current()->title, "small.hlo");
  EXPECT_TRUE(window_->view<InspectorView>().asText().startsWith("instruction: unused"));
}

TEST_F(PassHistoryTest, TheInspectorTellsOfALineOfAModuleThatIsNotShown) {
  runPasses();
  clickLine(passes().panes().text().right(), "%spread =");
  EXPECT_EQ(session_->current()->title, "small.hlo");
  EXPECT_TRUE(window_->view<InspectorView>().asText().startsWith("instruction: spread"));
  const auto labels = window_->view<InspectorView>().findChildren<QLabel*>();
  EXPECT_TRUE(std::ranges::any_of(labels, [](QLabel* label) { return label->text().contains("after dce"); }));
  // Until anything is selected.
  window_->goToName("dot.1");
  settle();
  EXPECT_TRUE(window_->view<InspectorView>().asText().startsWith("instruction: dot.1"));
}

// dce takes %unused away; cse in front of it has nothing to do with it.
TEST_F(PassHistoryTest, TheStripShowsTheStepsOfTheSelectionAlone) {
  openSmall();
  passes().run({.module = session_->current()->module, .passes = {"cse", "dce", "cse"}});
  settle();
  window_->showView("passes");
  passes().strip().setCurrent(2);
  settle();
  clickLine(passes().panes().text().left(), "%unused =");
  passes().onlyOfSelection().setChecked(true);
  const auto folded = [&] {
    std::vector<size_t> steps;
    for (const StripCell& cell : passes().strip().cells()) {
      if (cell.isFolded) steps.push_back(cell.first);
    }
    return steps;
  };
  EXPECT_EQ(folded(), (std::vector<size_t>{1, 3}));
  QTest::keyClick(&passes().strip(), Qt::Key_P);
  EXPECT_EQ(passes().strip().current(), 0u);
  settle();
  QTest::keyClick(&passes().strip(), Qt::Key_N);
  EXPECT_EQ(passes().strip().current(), 2u);
  settle();
  passes().onlyOfSelection().setChecked(false);
  EXPECT_EQ(folded(), (std::vector<size_t>{}));
}

TEST_F(PassHistoryTest, ARowGoesToItsStepAndToTheInstructionThere) {
  runPasses();
  clickLine(passes().panes().text().left(), "%unused =");
  passes().strip().setCurrent(2);
  settle();
  TableView& table = passes().lists().history().table();
  Q_EMIT passes().lists().history().activated(passes().lists().history().rows().rows()[1]);
  settle();
  EXPECT_EQ(passes().strip().current(), 1u);
  TextView* left = passes().panes().text().left();
  const QString line = left->lines().lineText(left->caret().place().line);
  EXPECT_TRUE(line.contains("%unused =")) << toStd(line);
  EXPECT_EQ(table.model()->rowCount(), 2);
}

}  // namespace
}  // namespace hilo
