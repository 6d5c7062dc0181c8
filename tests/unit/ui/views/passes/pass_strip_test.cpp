#include "ui/views/passes/pass_strip.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

namespace hilo {
namespace {

std::vector<StripStep> stepsOf(const std::string& letters) {
  std::vector<StripStep> steps;
  for (char c : letters) {
    StripStep step{.name = QString("pass%1").arg(steps.size())};
    if (c != '?') step.setCompared(c == 'x');
    steps.push_back(step);
  }
  return steps;
}

TEST(StripLayout, FoldsRunsOfUnchangedSteps) {
  const auto steps = stepsOf("--x---x");
  const auto cells = layOutStrip(steps, true, 0);
  ASSERT_EQ(cells.size(), 5u);  // 0, 1, 2, 3-5, 6
  EXPECT_EQ(cells[3].first, 3u);
  EXPECT_EQ(cells[3].last, 5u);
  EXPECT_EQ(cells[3].rect.width(), kStripFoldedWidth);
  EXPECT_EQ(layOutStrip(steps, false, 0).size(), 7u);
}

TEST(StripLayout, LoweringIsNeitherFoldedNorSteppedOver) {
  auto steps = stepsOf("x----");
  steps[3].kind = steps[4].kind = StepKind::Lowering;
  const auto cells = layOutStrip(steps, true, 0);
  ASSERT_EQ(cells.size(), 4u);  // 0, 1-2, 3, 4
  EXPECT_EQ(cells[1].last, 2u);
  EXPECT_EQ(nextChangedStep(steps, 0, +1), 3u);
  EXPECT_EQ(nextChangedStep(steps, 3, +1), 4u);
}

TEST(StripLayout, CurrentAndUnknownStepsStayOpen) {
  const auto cells = layOutStrip(stepsOf("x---?"), true, 2);
  ASSERT_EQ(cells.size(), 5u);
  EXPECT_EQ(stripCellOf(cells, 2), 2);
  EXPECT_EQ(cells[2].rect.left(), cells[1].rect.left() + cells[1].rect.width());
}

// Whatever the others did, a single one of them too.
TEST(StripLayout, OfWantedStepsOthersAreFolded) {
  const auto cells = layOutStrip(stepsOf("xx-xx"), false, 3, std::vector<size_t>{2});
  ASSERT_EQ(cells.size(), 5u);  // 0, (1), 2, 3 is current, (4)
  EXPECT_FALSE(cells[0].isFolded || cells[2].isFolded || cells[3].isFolded);
  EXPECT_TRUE(cells[1].isFolded && cells[4].isFolded);
  EXPECT_EQ(cells[4].rect.width(), kStripFoldedWidth);
}

TEST(StripLayout, HitTest) {
  const auto cells = layOutStrip(stepsOf("xx"), true, 0);
  EXPECT_EQ(stripCellAt(cells, 0), 0);
  EXPECT_EQ(stripCellAt(cells, kStripCellWidth - 1), 0);
  EXPECT_EQ(stripCellAt(cells, kStripCellWidth), 1);
  EXPECT_EQ(stripCellAt(cells, -1), -1);
  EXPECT_EQ(stripCellAt(cells, 2 * kStripCellWidth), -1);
}

TEST(StripLayout, NextChange) {
  const auto steps = stepsOf("--x--x-");
  EXPECT_EQ(nextChangedStep(steps, 0, +1), 2u);
  EXPECT_EQ(nextChangedStep(steps, 2, +1), 5u);
  EXPECT_EQ(nextChangedStep(steps, 5, +1), 6u);
  EXPECT_EQ(nextChangedStep(steps, 5, -1), 2u);
  EXPECT_EQ(nextChangedStep(steps, 2, -1), 0u);
}

TEST(PassStrip, KeysStep) {
  PassStrip strip;
  strip.resize(600, 80);
  strip.setSteps(stepsOf("--x--x-"));
  int activated = -1;
  QObject::connect(&strip, &PassStrip::stepActivated, [&](int step) { activated = step; });
  const auto press = [&](int key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    QCoreApplication::sendEvent(&strip, &event);
  };
  press(Qt::Key_N);
  EXPECT_EQ(strip.current(), 2u);
  press(Qt::Key_Right);
  EXPECT_EQ(strip.current(), 3u);
  press(Qt::Key_P);
  EXPECT_EQ(strip.current(), 2u);
  press(Qt::Key_End);
  EXPECT_EQ(strip.current(), 6u);
  press(Qt::Key_Home);
  EXPECT_EQ(strip.current(), 0u);
  press(Qt::Key_Return);
  EXPECT_EQ(activated, 0);
}

TEST(PassStrip, saysHowManyInstructionsAStepChanged) {
  PassStrip strip;
  strip.resize(600, 80);
  auto steps = stepsOf("-x-x");
  steps[1].changes = 569;
  strip.setSteps(std::move(steps));
  const auto tipAt = [&](int cell) {
    const QPoint place(cell * kStripCellWidth + 20, 20);
    QHelpEvent event(QEvent::ToolTip, place, strip.mapToGlobal(place));
    QCoreApplication::sendEvent(strip.viewport(), &event);
    return QToolTip::text().toStdString();
  };
  EXPECT_EQ(tipAt(0), "#0 pass0: input");
  EXPECT_EQ(tipAt(1), "#1 pass1: 569 changes");
  EXPECT_EQ(tipAt(2), "#2 pass2: unchanged");
  EXPECT_EQ(tipAt(3), "#3 pass3: changed");
}

}  // namespace
}  // namespace hilo
