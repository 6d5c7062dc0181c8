#include "ui/widgets/text_view.h"

#include <gtest/gtest.h>

#include <QClipboard>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/qt/ui_jobs.h"
#include "ui/style/metrics.h"
#include "ui/widgets/find_bar.h"

namespace hilo {
namespace {

class TextViewTest : public testing::Test {
 protected:
  void SetUp() override {
    view.resize(700, 400);
    view.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
    const QFontMetricsF metrics(codeFont());
    cell = metrics.horizontalAdvance(u'0');
    row = static_cast<int>(std::ceil(metrics.height())) + 2;
  }

  void show(std::string text) { view.setText(std::make_shared<const std::string>(std::move(text))); }

  // The middle of a character cell, found by looking for a name that starts at a known column.
  QPoint at(int rowIndex, double column) const {
    const double gutter = 4 + 6 + 3 * cell + 14;
    return QPoint(static_cast<int>(gutter + 6 + (column + 0.5) * cell), rowIndex * row + row / 2);
  }

  UiJobs jobs;
  TextView view;
  double cell = 0;
  int row = 0;
};

const char* const kModule =
    "HloModule m\n\n%sum (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] "
    "parameter(1)\n"
    "  ROOT %add.1 = f32[] add(%a, %b), metadata={op_name=\"jit(f)/add\"}\n}\n";

TEST_F(TextViewTest, clickOnANameActivatesIt) {
  show(kModule);
  QSignalSpy activated(&view, &TextView::nameActivated), hovered(&view, &TextView::nameHovered);
  QTest::mouseMove(view.viewport(), at(5, 10));
  ASSERT_EQ(hovered.count(), 1);
  EXPECT_EQ(hovered[0][0].toString(), QStringLiteral("add.1"));
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(5, 10));
  ASSERT_EQ(activated.count(), 1);
  EXPECT_EQ(activated[0][0].toString(), QStringLiteral("add.1"));
  EXPECT_EQ(activated[0][1].toInt(), 5);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(5, 3));  // ROOT is no name
  EXPECT_EQ(activated.count(), 1);
}

TEST_F(TextViewTest, dragSelectsAndCopies) {
  show(kModule);
  QTest::mousePress(view.viewport(), Qt::LeftButton, {}, at(3, 1.6));
  QMouseEvent move(QEvent::MouseMove, QPointF(at(4, 3.6)), view.viewport()->mapToGlobal(QPointF(at(4, 3.6))),
                   Qt::NoButton, Qt::LeftButton, {});
  QApplication::sendEvent(view.viewport(), &move);
  QTest::mouseRelease(view.viewport(), Qt::LeftButton, {}, at(4, 3.6));
  EXPECT_EQ(view.caret().selectedText(), QStringLiteral("%a = f32[] parameter(0)\n  %b"));
  QTest::keyClick(&view, Qt::Key_C, Qt::ControlModifier);
  EXPECT_EQ(QApplication::clipboard()->text(), view.caret().selectedText());
}

TEST_F(TextViewTest, keyboardMovesAndSelects) {
  show(kModule);
  QTest::keyClick(&view, Qt::Key_Down);
  QTest::keyClick(&view, Qt::Key_Down);
  QTest::keyClick(&view, Qt::Key_End);
  EXPECT_EQ(view.caret().place(), (TextPosition{2, 36}));
  QTest::keyClick(&view, Qt::Key_Right);
  EXPECT_EQ(view.caret().place(), (TextPosition{3, 0}));
  for (int i = 0; i < 4; ++i) QTest::keyClick(&view, Qt::Key_Right, Qt::ShiftModifier);
  EXPECT_EQ(view.caret().selectedText(), QStringLiteral("  %a"));
  QTest::keyClick(&view, Qt::Key_End, Qt::ControlModifier);
  EXPECT_EQ(view.caret().place().line, 6u);
}

TEST_F(TextViewTest, gutterClickFoldsAndGoToUnfolds) {
  show(kModule);
  EXPECT_EQ(view.shown().rows().count(), 7u);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(10, 2 * row + row / 2));
  EXPECT_EQ(view.shown().rows().count(), 3u);
  view.goTo({4, 2});
  EXPECT_EQ(view.shown().rows().count(), 7u);
  EXPECT_EQ(view.caret().place(), (TextPosition{4, 2}));
  view.shown().setAllFolded(true);
  EXPECT_EQ(view.shown().rows().count(), 3u);
}

TEST_F(TextViewTest, foldedTailOpensWithAClick) {
  show(kModule);
  view.shown().setTailsFolded(true);
  QSignalSpy activated(&view, &TextView::nameActivated);
  // "  ROOT %add.1 = f32[] add(%a, %b), metadata={…}": the fold starts at column 44.
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at(5, 45));
  view.goTo({5, 0});
  QTest::keyClick(&view, Qt::Key_End);
  EXPECT_EQ(view.caret().place().column, 66u);
  EXPECT_EQ(activated.count(), 0);
}

TEST_F(TextViewTest, findCountsAndSteps) {
  show(kModule);
  QSignalSpy changed(&view.search(), &TextSearch::changed);
  view.search().setJobs(jobs.queue());
  view.search().find({QStringLiteral("parameter")});
  ASSERT_TRUE(changed.wait());
  EXPECT_EQ(changed.last()[1].toInt(), 2);
  view.findNext();
  EXPECT_EQ(view.caret().selectedText(), QStringLiteral("parameter"));
  EXPECT_EQ(view.caret().place().line, 3u);
  view.findNext();
  EXPECT_EQ(view.caret().place().line, 4u);
  view.findNext();
  EXPECT_EQ(view.caret().place().line, 3u);
  view.findNext(true);
  EXPECT_EQ(view.caret().place().line, 4u);
  EXPECT_EQ(changed.last()[0].toInt(), 2);
}

TEST_F(TextViewTest, aMatchIsSeenFromItsBegin) {
  view.resize(400, 300);
  show(std::string(200, 'x') + " needle\nneedle\nab needle\n");
  QSignalSpy changed(&view.search(), &TextSearch::changed);
  view.search().setJobs(jobs.queue());
  view.search().find({QStringLiteral("needle")});
  ASSERT_TRUE(changed.wait());
  view.findNext();
  EXPECT_GT(view.horizontalScrollBar()->value(), 100);
  EXPECT_LE(view.horizontalScrollBar()->value(), 201);
  // Where a line's begin fits besides, it is seen too.
  for (int line = 1; line <= 2; ++line) {
    view.findNext();
    EXPECT_EQ(view.caret().place().line, static_cast<uint32_t>(line));
    EXPECT_EQ(view.horizontalScrollBar()->value(), 0);
  }
}

TEST_F(TextViewTest, findOpensWhatHidesTheMatch) {
  show(kModule);
  view.shown().setTailsFolded(true);
  view.shown().setAllFolded(true);
  QSignalSpy changed(&view.search(), &TextSearch::changed);
  view.search().setJobs(jobs.queue());
  view.search().find({QStringLiteral("jit\\(\\w\\)"), true});
  ASSERT_TRUE(changed.wait());
  view.findNext();
  EXPECT_EQ(view.caret().selectedText(), QStringLiteral("jit(f)"));
  EXPECT_EQ(view.shown().rows().count(), 7u);
}

TEST_F(TextViewTest, findBarShowsTheCountAndBadExpressions) {
  show(kModule);
  FindBar bar(&view, jobs.queue());
  bar.open();
  auto* line = bar.findChild<QLineEdit*>();
  auto* label = bar.findChild<QLabel*>();
  QTest::keyClicks(line, QStringLiteral("f32[]"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return label->text() == QStringLiteral("1 of 6"); }))
      << label->text().toStdString() << ": while one types the view goes to the first";
  EXPECT_EQ(view.caret().selectedText(), QStringLiteral("f32[]"));
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_EQ(label->text(), QStringLiteral("2 of 6"));
  for (QToolButton* button : bar.findChildren<QToolButton*>(QString(), Qt::FindDirectChildrenOnly)) {
    EXPECT_FALSE(button->toolTip().isEmpty() && button->text().isEmpty());
    if (button->text() == QStringLiteral(".*")) button->click();
  }
  EXPECT_TRUE(QTest::qWaitFor([&] { return label->text() == QStringLiteral("not a valid expression"); }));
  QTest::keyClick(&bar, Qt::Key_Escape);
  EXPECT_FALSE(bar.isVisible());
}

TEST_F(TextViewTest, controlGAsksForALineAndColonGoesThere) {
  show(kModule);
  FindBar bar(&view, jobs.queue());
  QTest::keyClick(&view, Qt::Key_G, Qt::ControlModifier);
  auto* box = bar.findChild<QLineEdit*>();
  ASSERT_EQ(box->text(), ":");
  QTest::keyClicks(box, "5");
  EXPECT_EQ(view.caret().place().line, 4u);
  box->setText(":900");
  EXPECT_EQ(view.caret().place().line, view.lines().count() - 1) << "past the end is the end";
}

TEST_F(TextViewTest, ghostsAreDrawnAndAreNoPartOfTheText) {
  show(kModule);
  const QImage without = view.viewport()->grab().toImage();
  QStringList asked;
  view.additions().setGhosts([&](uint32_t line) {
    asked << QString::number(line);
    return line == 3 ? QString("4 B  1.25 Gflops  live 3 GiB") : QString();
  });
  const QImage with = view.viewport()->grab().toImage();
  EXPECT_NE(with, without);
  EXPECT_TRUE(asked.contains("3"));
  view.caret().selectAll();
  EXPECT_FALSE(view.caret().selectedText().contains("4 B"));
  // Where it would cover the text there is none.
  view.goTo({0, 0});
  view.resize(60 + static_cast<int>(16 * cell), 400);
  const QImage narrow = view.viewport()->grab().toImage();
  view.additions().setGhosts({});
  EXPECT_EQ(view.viewport()->grab().toImage(), narrow);
}

TEST_F(TextViewTest, aMillionLinesScrollToTheEnd) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "  %n = f32[] add(%a, %b)\n";
  show(std::move(text));
  view.goTo({999'999, 0});
  EXPECT_EQ(view.caret().place().line, 999'999u);
  EXPECT_GT(view.placed().firstRow, 999'900);
  EXPECT_FALSE(view.grab().isNull());
}

TEST_F(TextViewTest, paintsMarksDecorationsAndTheCurrentLine) {
  show(kModule);
  view.additions().setMarks({{3, ColourRole::kError}});
  view.additions().setDecorator([](uint32_t line) {
    LineDecoration decoration;
    if (line == 4)
      decoration = {
          .background = ColourRole::kAdded, .spanBackground = ColourRole::kAddedStrong, .spans = {{2, 2}}};
    return decoration;
  });
  view.goTo({1, 0});
  const QImage image = view.grab().toImage();
  auto pixel = [&](QPoint place) { return image.pixelColor(place); };
  const Theme& theme = lightTheme();
  EXPECT_EQ(pixel({2, 3 * row + 5}), theme.colour(ColourRole::kError));
  EXPECT_EQ(pixel({600, 4 * row + 2}), theme.colour(ColourRole::kAdded));
  EXPECT_EQ(pixel(QPoint(at(4, 2).x(), 4 * row + 1)), theme.colour(ColourRole::kAddedStrong));
  EXPECT_EQ(pixel({600, 1 * row + 2}), theme.colour(ColourRole::kCurrentLine));
  EXPECT_EQ(pixel({600, 3 * row + 2}), theme.colour(ColourRole::kSurface));
}

TEST_F(TextViewTest, controlWheelChangesTheFont) {
  show(kModule);
  const int before = view.font().pixelSize();
  QWheelEvent event(QPointF(50, 50), view.mapToGlobal(QPointF(50, 50)), {}, {0, 120}, Qt::NoButton,
                    Qt::ControlModifier, Qt::NoScrollPhase, false);
  QApplication::sendEvent(view.viewport(), &event);
  EXPECT_EQ(view.font().pixelSize(), before + 1);
}

// Counts how often the viewport is given another size, and ends it where that would go on for ever.
class ResizeCount : public QObject {
 public:
  explicit ResizeCount(TextView& view) : view_(view) { view.viewport()->installEventFilter(this); }
  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    if (event->type() == QEvent::Resize && ++count == 50)
      view_.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return false;
  }
  int count = 0;

 private:
  TextView& view_;
};

TEST_F(TextViewTest, aWideLineThatTheHorizontalBarHidesLetsTheBarBe) {
  std::string text;
  for (int line = 0; line < 40; ++line) text += (line == 10 ? std::string(300, 'x') : "short") + "\n";
  show(text);
  // At some of these heights the wide line is the last in sight, and behind the bar.
  for (int height = 9 * row; height < 14 * row; height += 2) {
    ResizeCount resized(view);
    view.resize(700, height);
    for (int turn = 0; turn < 10; ++turn) QCoreApplication::processEvents();
    EXPECT_LT(resized.count, 10) << height;
  }
}

}  // namespace
}  // namespace hilo
