#include "ui/widgets/diff_text_view.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>

namespace hilo {
namespace {

using Kind = TextRow::Kind;

// `count` equal lines with changes: line 10 changed, 20 removed from the left, one added after 30.
struct Example {
  std::shared_ptr<const std::string> left, right;
  std::vector<DiffPair> pairs;
};

Example example() {
  Example made;
  std::string left, right;
  uint32_t rightLine = 0;
  for (uint32_t i = 0; i < 40; ++i) {
    const std::string line = "%a." + std::to_string(i) + " = f32[] add(%x, %y)\n";
    left += line;
    if (i == 10) {
      right += "%a.10 = f32[] subtract(%x, %z)\n";
      made.pairs.push_back({i, rightLine++, PairKind::kChanged});
    } else if (i == 20) {
      made.pairs.push_back({i, DiffPair::kNone, PairKind::kRemoved});
    } else {
      right += line;
      made.pairs.push_back({i, rightLine++, PairKind::kSame});
    }
    if (i != 30) continue;
    right += "%new = f32[] constant(1)\n";
    made.pairs.push_back({DiffPair::kNone, rightLine++, PairKind::kAdded});
  }
  made.left = std::make_shared<const std::string>(left);
  made.right = std::make_shared<const std::string>(right);
  return made;
}

TEST(ChangedSpans, marksTheWordsThatDiffer) {
  const auto [left, right] =
      changedSpans(QStringLiteral("f32[8] add(%a, %b)"), QStringLiteral("f32[16] add(%a, %c), d=1"));
  EXPECT_EQ(left, (ColumnSpans{{4, 1}, {16, 1}}));
  EXPECT_EQ(right, (ColumnSpans{{4, 2}, {17, 1}, {19, 5}}));
  const auto [none, alsoNone] = changedSpans(QStringLiteral("same"), QStringLiteral("same"));
  EXPECT_TRUE(none.empty() && alsoNone.empty());
  const auto [nothing, all] = changedSpans({}, QStringLiteral("ab cd"));
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(all, (ColumnSpans{{0, 5}}));
}

TEST(DiffRows, foldUnchangedRunsAroundTheirContext) {
  const DiffRows rows = makeDiffRows(example().pairs, 3, {});
  ASSERT_EQ(rows.left.size(), rows.right.size());
  EXPECT_EQ(rows.left[0], (TextRow{Kind::kGap, 7}));  // 0..6, then 7 8 9 and the change
  EXPECT_EQ(rows.left[4], (TextRow{Kind::kLine, 10}));
  EXPECT_EQ(rows.right[4], (TextRow{Kind::kLine, 10}));
  EXPECT_EQ(rows.left[8], (TextRow{Kind::kGap, 3}));  // 14..16
  EXPECT_EQ(rows.left[12], (TextRow{Kind::kLine, 20}));
  EXPECT_EQ(rows.right[12], (TextRow{Kind::kFiller, 0}));
  EXPECT_EQ(rows.left.back(), (TextRow{Kind::kGap, 6}));  // 34..39
}

TEST(DiffRows, openedGapsAndNoFolding) {
  const auto pairs = example().pairs;
  EXPECT_EQ(makeDiffRows(pairs, 3, {0}).left[0], (TextRow{Kind::kLine, 0}));
  EXPECT_EQ(makeDiffRows(pairs, UINT32_MAX, {}).left.size(), pairs.size());
  EXPECT_TRUE(makeDiffRows({}, 3, {}).left.empty());
}

// A line of 25 columns takes three rows of 10; beside the last two the other side has fillers.
TEST(DiffRows, longLinesGoOnInTheNextRows) {
  const DiffRows rows{{{Kind::kLine, 0}, {Kind::kGap, 4}}, {{Kind::kLine, 1}, {Kind::kGap, 4}}, {0, 1}};
  const DiffRows wrapped =
      wrapDiffRows(rows, 10, 10, [](uint32_t line, bool) { return line == 0 ? 25U : 10U; });
  EXPECT_EQ(wrapped.left,
            (std::vector<TextRow>{
                {Kind::kLine, 0, 0}, {Kind::kLine, 0, 10}, {Kind::kLine, 0, 20}, {Kind::kGap, 4}}));
  EXPECT_EQ(
      wrapped.right,
      (std::vector<TextRow>{{Kind::kLine, 1, 0}, {Kind::kFiller, 0}, {Kind::kFiller, 0}, {Kind::kGap, 4}}));
  EXPECT_EQ(wrapped.pairOfRow, (std::vector<uint32_t>{0, 0, 0, 1}));
}

class DiffTextViewTest : public testing::Test {
 protected:
  void SetUp() override {
    view.resize(900, 200);
    const Example texts = example();
    view.setTexts(texts.left, texts.right, texts.pairs);
    view.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  DiffTextView view;
};

TEST_F(DiffTextViewTest, stepsThroughChanges) {
  EXPECT_EQ(view.changeCount(), 3);
  EXPECT_TRUE(view.goToChange());
  EXPECT_EQ(view.left()->caret().place().line, 10u);
  EXPECT_TRUE(view.goToChange());
  EXPECT_EQ(view.left()->caret().place().line, 20u);
  EXPECT_TRUE(view.goToChange());
  EXPECT_EQ(view.right()->caret().place().line, 30u);
  EXPECT_FALSE(view.goToChange());
  EXPECT_TRUE(view.goToChange(true));
  EXPECT_EQ(view.left()->caret().place().line, 20u);
}

TEST_F(DiffTextViewTest, bothSidesScrollTogether) {
  view.setUnchangedFolded(false);
  view.right()->setFirstRow(12);
  EXPECT_EQ(view.left()->placed().firstRow, 12);
  view.left()->setFirstRow(3);
  EXPECT_EQ(view.right()->placed().firstRow, 3);
}

TEST_F(DiffTextViewTest, clickOnAGapOpensIt) {
  const uint32_t before = view.left()->shown().rows().count();
  QTest::mouseClick(view.left()->viewport(), Qt::LeftButton, {}, QPoint(120, 5));
  EXPECT_EQ(view.left()->shown().rows().count(), before + 6);
  EXPECT_EQ(view.right()->shown().rows().count(), before + 6);
}

TEST_F(DiffTextViewTest, aMovedLineSaysWhereItWentAndTheCaretTakesTheOtherSideAlong) {
  const auto text = [](const char* lines) { return std::make_shared<const std::string>(lines); };
  DiffTextView moved;
  moved.resize(900, 300);
  // "b" went from before "c" to after it.
  moved.setTexts(text("a\nb\nc\n"), text("a\nc\nb\n"),
                 {{0, 0, PairKind::kSame},
                  {1, DiffPair::kNone, PairKind::kMoved},
                  {2, 1, PairKind::kSame},
                  {DiffPair::kNone, 2, PairKind::kMoved}},
                 {{0, 2, 1}, {0, 2, 1}});
  moved.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&moved));
  EXPECT_EQ(moved.changeCount(), 2);
  QSignalSpy selected(&moved, &DiffTextView::lineSelected);
  moved.left()->setFocus();
  QTest::keyClick(moved.left(), Qt::Key_Down);
  ASSERT_EQ(selected.count(), 1);
  EXPECT_EQ(selected[0][0].toUInt(), 1u);
  EXPECT_FALSE(selected[0][1].toBool());
  EXPECT_EQ(moved.right()->caret().place().line, 0u) << "its partner is elsewhere: told, not gone to";
  QTest::keyClick(moved.left(), Qt::Key_Down);
  EXPECT_EQ(moved.left()->caret().place().line, 2u);
  EXPECT_EQ(moved.right()->caret().place().line, 1u);
}

TEST_F(DiffTextViewTest, paintsBothKindsOfChange) {
  view.goToChange();
  const QImage left = view.left()->viewport()->grab().toImage(),
               right = view.right()->viewport()->grab().toImage();
  auto has = [](const QImage& image, ColourRole role) {
    const QRgb wanted = lightTheme().colour(role).rgb();
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (image.pixel(x, y) == wanted) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(has(left, ColourRole::kRemoved));
  EXPECT_TRUE(has(left, ColourRole::kRemovedStrong));
  EXPECT_TRUE(has(right, ColourRole::kAdded));
  EXPECT_TRUE(has(right, ColourRole::kAddedStrong));
  EXPECT_FALSE(has(left, ColourRole::kAdded));
}

TEST_F(DiffTextViewTest, oneColumnHasWhatWentAboveWhatCame) {
  view.setUnified(true);
  const TextLines& lines = view.unified()->lines();
  ASSERT_EQ(lines.count(), 42U);  // 40 and the changed and the added line
  EXPECT_EQ(lines.lineText(10), QString("- %a.10 = f32[] add(%x, %y)"));
  EXPECT_EQ(lines.lineText(11), QString("+ %a.10 = f32[] subtract(%x, %z)"));
  EXPECT_EQ(view.changeCount(), 3);
  QTest::keyClick(&view, Qt::Key_F7);
  EXPECT_EQ(view.currentChange(), 0);
  EXPECT_EQ(view.unified()->caret().place().line, 10U);
  QTest::keyClick(&view, Qt::Key_F7);
  QTest::keyClick(&view, Qt::Key_F7, Qt::ShiftModifier);
  EXPECT_EQ(view.currentChange(), 0);
}

TEST_F(DiffTextViewTest, swappedSidesKeepWhatTheyAre) {
  view.setSwapped(true);
  EXPECT_GT(view.left()->mapTo(&view, QPoint()).x(), view.right()->mapTo(&view, QPoint()).x());
  EXPECT_EQ(view.changeCount(), 3);
}

}  // namespace
}  // namespace hilo
