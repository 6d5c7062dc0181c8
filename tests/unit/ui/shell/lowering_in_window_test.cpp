// The end of the pipeline "cpu" in the passes view: an order, then buffers and emit.
#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/thunks/thunks_view.h"
#include "ui/widgets/table_view.h"

namespace hilo {
namespace {

class LoweringInWindowTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    openSmall();
    window_->showView("passes");
    passes().run({.module = session_->current()->module, .pipeline = "cpu"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return passes().strip().steps().size() > 3; }, 60'000));
    settle();
    emit_ = passes().strip().steps().size() - 1;
  }
  PassesView& passes() { return window_->view<PassesView>(); }
  const StripStep& step(size_t number) { return passes().strip().steps()[number]; }
  QPushButton& button() {
    for (QPushButton* each : passes().findChildren<QPushButton*>()) {
      if (each->text() == "Show the thunks") return *each;
    }
    ADD_FAILURE() << "no such button";
    std::abort();
  }
  size_t emit_ = 0;
};

TEST_F(LoweringInWindowTest, theStripSaysWhatTheOrderAndTheLoweringCameTo) {
  EXPECT_EQ(step(emit_).name, "emit");
  EXPECT_TRUE(step(emit_).made.contains("thunks")) << step(emit_).made.toStdString();
  EXPECT_EQ(step(emit_ - 1).name, "buffers");
  EXPECT_TRUE(step(emit_ - 1).made.contains("temporary")) << step(emit_ - 1).made.toStdString();
  EXPECT_EQ(step(emit_ - 2).name, "cpu-scheduler");
  EXPECT_GE(step(emit_ - 2).reordered, 0);
  EXPECT_FALSE(button().isVisible());
}

TEST_F(LoweringInWindowTest, passesThatCannotRunSayWhyBelowTheBar) {
  const QLabel* line = nullptr;
  for (const QLabel* label : passes().findChildren<QLabel*>()) {
    if (label->accessibleName() == "Message") line = label;
  }
  ASSERT_TRUE(line != nullptr && !line->isVisible());
  passes().run({.module = session_->current()->module, .passes = {"nobody"}});
  ASSERT_TRUE(QTest::qWaitFor([&] { return line->isVisible(); }, 60'000));
  EXPECT_TRUE(line->text().contains("nobody")) << line->text().toStdString();
}

TEST_F(LoweringInWindowTest, whatAStepMadeIsListedAndLeadsToTheThunks) {
  passes().strip().setCurrent(emit_ - 1);
  settle();
  TableView* remarks = nullptr;
  for (TableView* table : passes().findChildren<TableView*>()) {
    if (table->accessibleName() == "Remarks") remarks = table;
  }
  ASSERT_TRUE(remarks != nullptr && remarks->isVisible());
  ASSERT_GT(remarks->model()->rowCount(), 1);
  remarks->setFocus();
  QTest::keyClick(remarks, Qt::Key_End);
  settle();
  ASSERT_TRUE(button().isVisible());
  QTest::mouseClick(&button(), Qt::LeftButton);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return window_->view<ThunksView>().table().rows().rowCount() > 0; }, 60'000));
  EXPECT_TRUE(window_->view<ThunksView>().isVisible());
  // What was lowered is what the view compiled: the same thunks.
  const QString count = step(emit_).made.section(' ', 0, 0);
  EXPECT_EQ(QString::number(window_->view<ThunksView>().table().rows().rowCount()), count);
  const auto& series = session_->series().back().series;
  EXPECT_EQ(session_->current()->module, series->steps.back().moduleIfLoaded());
}

}  // namespace
}  // namespace hilo
