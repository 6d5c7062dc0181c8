// Tuning in the window, in a worker, with mouse and keys; and what a run may take.
#include <QPushButton>
#include <QTest>

#include "core/hlo/text/print.h"
#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/tune/tune_view.h"

namespace hilo {
namespace {

constexpr const char* kDots = R"(HloModule dots
ENTRY e {
  a = f32[48,48] parameter(0)
  b = f32[48,48] parameter(1)
  first = f32[48,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  other = f32[48,48] dot(first, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT sum = f32[48,48] add(first, other)
}
)";

class TuneInWindowTest : public StudioTest {
 protected:
  TuneView& tune() { return window_->view<TuneView>(); }
  void open() {
    window_->files().open(write("dots.hlo", kDots));
    settle();
    window_->showView("tune");
    settle();
    tune().passes().setChecked(false);
    tune().repeat().setValue(6);
  }
  bool tuneByClick() {
    QTest::mouseClick(&tune().tuneButton(), Qt::LeftButton);
    return QTest::qWaitFor([&] { return !tune().message().isEmpty(); }, 160'000);
  }
  bool hasRowOf(const char* instruction) {
    const auto& rows = tune().rows().rows();
    return std::ranges::find(rows, instruction, &TuneRow::instruction) != rows.end();
  }
};

TEST_F(TuneInWindowTest, OneInstructionIsTunedAndFoundAgain) {
  open();
  window_->goToName("first");
  tune().what().setFocus();
  QTest::keyClick(&tune().what(), Qt::Key_Down);
  EXPECT_EQ(tune().what().currentText(), "first alone");
  EXPECT_FALSE(tune().applyButton().isEnabled());
  ASSERT_TRUE(tuneByClick());
  EXPECT_TRUE(hasRowOf("first"));
  EXPECT_FALSE(hasRowOf("other"));
  const int ways = tune().rows().rowCount();
  EXPECT_GT(ways, 3);
  // The same again: from the store, and said so.
  ASSERT_TRUE(tuneByClick());
  ASSERT_TRUE(QTest::qWaitFor([&] { return tune().rows().rowCount() < ways; }, 60'000));
  for (const TuneRow& row : tune().rows().rows()) EXPECT_TRUE(row.wasKept) << row.instruction;
  EXPECT_TRUE(tune().message().contains("from cache")) << tune().message().toStdString();
}

TEST_F(TuneInWindowTest, WhatWasFoundIsAppliedAsAModuleBesideIt) {
  open();
  ASSERT_TRUE(tuneByClick());
  EXPECT_TRUE(hasRowOf("first") && hasRowOf("other") && hasRowOf("sum"));
  tune().table().setFocus();
  QTest::keyClick(&tune().table(), Qt::Key_Home);
  QTest::keyClick(&tune().table(), Qt::Key_End);
  EXPECT_EQ(selectedName().toStdString(), tune().rows().rows().back().instruction);
  const auto before = session_->current()->module;
  QTest::mouseClick(&tune().applyButton(), Qt::LeftButton);
  settle();
  ASSERT_NE(session_->current()->module, before);
  EXPECT_EQ(session_->current()->document, session_->documents()[0]->id);
  EXPECT_EQ(session_->series().size(), 1u);
  EXPECT_GT(tune().rows().rowCount(), 0) << "it is what the rows are of";
  EXPECT_FALSE(tune().applyButton().isEnabled());
  // Every way that was chosen is said in it.
  for (const TuneRow& row : tune().rows().rows()) {
    if (!row.isBest || row.way == "default") continue;
    const Instruction& now = *session_->current()->module->findInstruction(row.instruction);
    const Instruction& then = *before->findInstruction(row.instruction);
    EXPECT_NE(printInstruction(now), printInstruction(then)) << row.instruction;
  }
}

// A worker that never answers.
TEST_F(TuneInWindowTest, StopEndsIt) {
  session_->runs().setWorker({.command = {"/bin/sleep", "1000"}});
  open();
  QTest::mouseClick(&tune().tuneButton(), Qt::LeftButton);
  EXPECT_TRUE(tune().stopButton().isVisible());
  QTest::qWait(300);
  QTest::mouseClick(&tune().stopButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return tune().message() == "Stopped."; }, 60'000));
  EXPECT_FALSE(tune().stopButton().isVisible());
  EXPECT_TRUE(tune().tuneButton().isEnabled());
  settle();
}

// As `hilo run --memory-limit` has it.
TEST_F(TuneInWindowTest, ARunOverItsMemoryLimitIsReported) {
  window_->files().open(write("large.hlo", R"(HloModule large
sum { x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[4096,8] parameter(0)
  b = f32[8,4096] parameter(1)
  d = f32[4096,4096] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  ROOT s = f32[4096] reduce(d, zero), dimensions={1}, to_apply=sum
}
)"));
  settle();
  window_->showView("runs");
  RunsView& runs = window_->view<RunsView>();
  EXPECT_FALSE(runs.form().memoryLimit().isVisible());
  QTest::mouseClick(&runs.form().limitsButton(), Qt::LeftButton);
  ASSERT_TRUE(runs.form().memoryLimit().isVisible());
  runs.form().memoryLimit().setFocus();
  runs.form().memoryLimit().selectAll();
  QTest::keyClicks(&runs.form().memoryLimit(), "0.02");
  QTest::keyClick(&runs.form().memoryLimit(), Qt::Key_Return);
  QTest::mouseClick(&runs.form().limitsButton(), Qt::LeftButton);
  EXPECT_EQ(runs.form().limitsButton().text(), "at most 600 s, 0.020 GB") << "said where it is folded";
  runs.findChild<QComboBox*>()->setCurrentText("cpu");
  runs.form().repeat().setValue(1);
  QTest::mouseClick(&runs.form().runButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.question().isVisible(); }, 60'000))
      << "it takes more than half";
  QTest::mouseClick(&runs.question().goButton(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.message().contains("19.1 MiB is free for it"); }, 60'000))
      << runs.message().toStdString();
  EXPECT_EQ(runs.list().model().rowCount(), 0);
}

}  // namespace
}  // namespace hilo
