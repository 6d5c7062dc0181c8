// A search and a reduction in the window, with mouse and keys: which pass broke it, saved as one file.
#include <QLineEdit>
#include <QTest>

#include "core/workspace/document/document.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/bisect/bisect_view.h"
#include "ui/views/passes/passes_view.h"

namespace hilo {
namespace {

// Four kernels a layer, which counts once however often it is called, and the sine: with four calls inlined
// there are 21.
QByteArray network() {
  QByteArray text = R"(HloModule network
layer {
  x = f32[4] parameter(0)
  t = f32[4] tanh(x)
  s = f32[4] add(t, x)
  d = f32[4] subtract(s, t)
  ROOT n = f32[4] multiply(d, t)
}
ENTRY main {
  c0 = f32[4] parameter(0)
)";
  for (int n = 1; n <= 12; ++n)
    text += QString("  c%1 = f32[4] call(c%2), to_apply=layer\n").arg(n).arg(n - 1).toUtf8();
  return text + "  ROOT r = f32[4] sine(c12)\n}\n";
}

class BisectInWindowTest : public StudioTest {
 protected:
  BisectView& view() { return window_->view<BisectView>(); }
  void open() {
    window_->files().open(write("network.hlo", network()));
    settle();
    window_->showView("bisect");
    settle();
  }
  void type(QComboBox& box, const char* text) {
    box.lineEdit()->setFocus();
    box.lineEdit()->selectAll();
    QTest::keyClicks(box.lineEdit(), text);
  }
  void choose(QComboBox& box, const char* text) {
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Home);
    for (int n = 0; n < box.count() && box.currentText() != text; ++n) QTest::keyClick(&box, Qt::Key_Down);
    EXPECT_EQ(box.currentText(), text);
  }
  bool searchByClick() {
    settle();  // the form may have wrapped
    QTest::mouseClick(&view().startButton(), Qt::LeftButton);
    return QTest::qWaitFor([&] { return view().startButton().isEnabled(); }, 60'000);
  }
  void searchForKernels() {
    open();
    choose(view().form().watch(), "kernels");
    type(view().form().watched(), "20");
    choose(view().form().over(), "chosen passes");
    type(view().form().passes(), "dce,call-inliner,cse");
    ASSERT_TRUE(searchByClick());
  }
};

TEST_F(BisectInWindowTest, PassRewriteAndInstructionAreNamedAndShown) {
  searchForKernels();
  EXPECT_TRUE(view().message().startsWith("call-inliner broke it. Rewrite 4 of this run, of %c4."))
      << view().message().toStdString();
  EXPECT_GT(view().lookRows().rowCount(), 4);
  // Keys go through the looks, and the table with them.
  view().strip().setFocus();
  QTest::keyClick(&view().strip(), Qt::Key_Home);
  EXPECT_EQ(view().looks().currentIndex().row(), 0);
  QTest::keyClick(&view().strip(), Qt::Key_Right);
  EXPECT_EQ(view().looks().currentIndex().row(), 1);
  QTest::mouseClick(&view().strip(), Qt::LeftButton, {},
                    view().strip().layoutOfLooks().cells[0].rect.center());
  EXPECT_EQ(view().looks().currentIndex().row(), 0);
  QTest::mouseClick(&view().instructionButton(), Qt::LeftButton);
  settle();
  EXPECT_EQ(selectedName().toStdString(), "c4");
  QTest::mouseClick(&view().passesButton(), Qt::LeftButton);
  settle();
  EXPECT_EQ(session_->series().size(), 1u);
  EXPECT_TRUE(window_->view<PassesView>().isVisible());
}

TEST_F(BisectInWindowTest, TheReductionIsSavedInOneFileThatShowsTheSame) {
  searchForKernels();
  ReducePane& reduce = view().reducePane();
  view().tabs().setCurrentWidget(&reduce);
  EXPECT_FALSE(reduce.saveButton().isEnabled());
  QTest::mouseClick(&reduce.reduceButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return reduce.saveButton().isEnabled(); }, 60'000));
  ASSERT_NE(reduce.reduction(), nullptr);
  EXPECT_GT(reduce.stepRows().rowCount(), 1);
  EXPECT_GT(reduce.moveRows().rowCount(), 5);
  // Each step can be looked at.
  reduce.steps().setFocus();
  QTest::keyClick(&reduce.steps(), Qt::Key_End);
  QTest::keyClick(&reduce.steps(), Qt::Key_Return);
  settle();
  EXPECT_EQ(session_->current()->module, reduce.stepRows().rows().back().module);
  const QString path = folder_.filePath("small.hilo");
  reduce.save(path);
  ASSERT_TRUE(QTest::qWaitFor([&] { return reduce.message().startsWith("Saved to "); }, 60'000))
      << reduce.message().toStdString();
  const auto saved = readDocument(path.toStdString());
  ASSERT_TRUE(saved) << toString(saved.error());
  EXPECT_EQ(saved->viewState.at("bisect.watch"), "kernels:20");
  EXPECT_EQ(saved->viewState.at("bisect.over"), "call-inliner");
  window_->files().open(path);
  settle();
  window_->showView("bisect");
  settle();
  EXPECT_EQ(view().form().settings().watch, "kernels:20");
  ASSERT_TRUE(searchByClick());
  EXPECT_TRUE(view().message().startsWith("call-inliner broke it.")) << view().message().toStdString();
}

TEST_F(BisectInWindowTest, WhatIsWrongInTheFormIsSaidAndNothingStarts) {
  open();
  choose(view().form().watch(), "kernels");
  type(view().form().watched(), "many");
  settle();
  QTest::mouseClick(&view().startButton(), Qt::LeftButton);
  EXPECT_TRUE(view().message().contains("'many' is no limit")) << view().message().toStdString();
  EXPECT_TRUE(view().startButton().isEnabled());
}

TEST_F(BisectInWindowTest, StopEndsASearch) {
  open();
  choose(view().form().watch(), "script");
  type(view().form().watched(), "sleep 1000;");
  settle();
  QTest::mouseClick(&view().startButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view().stopButton().isVisible(); }, 60'000));
  QTest::qWait(300);
  QTest::mouseClick(&view().stopButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return view().message() == "Stopped."; }, 30'000));
  EXPECT_TRUE(view().startButton().isEnabled());
}

}  // namespace
}  // namespace hilo
