#include "ui/widgets/text_caret.h"

#include <gtest/gtest.h>

#include <QKeyEvent>
#include <QSignalSpy>

namespace hilo {
namespace {

class TextCaretTest : public testing::Test {
 protected:
  void show(std::string text) { shown.setContent(std::make_shared<const std::string>(std::move(text))); }
  bool key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    return caret.moveByKey(QKeyEvent(QEvent::KeyPress, key, modifiers), /*page=*/3);
  }

  ShownText shown;
  TextCaret caret{shown};
};

TEST_F(TextCaretTest, GoesDownInTheColumnWhereItStarted) {
  show("abcdef\nab\nabcdef\n");
  caret.moveTo({0, 5});
  key(Qt::Key_Down);
  EXPECT_EQ(caret.place(), (TextPosition{1, 2})) << "the line is shorter";
  key(Qt::Key_Down);
  EXPECT_EQ(caret.place(), (TextPosition{2, 5}));
  caret.moveTo({0, 1});
  key(Qt::Key_Down);
  EXPECT_EQ(caret.place(), (TextPosition{1, 1})) << "it was brought to another column since";
}

TEST_F(TextCaretTest, KeysSelectWithShiftAndTellWhereItWent) {
  show("one\ntwo\nthree\nfour\nfive");
  QSignalSpy moved(&caret, &TextCaret::moved);
  EXPECT_TRUE(key(Qt::Key_PageDown, Qt::ShiftModifier));
  EXPECT_EQ(caret.selectedText(), "one\ntwo\nthree\n");
  ASSERT_EQ(moved.count(), 1);
  EXPECT_EQ(moved[0], (QVariantList{3, 0}));
  key(Qt::Key_Left, Qt::ShiftModifier);
  EXPECT_EQ(caret.selection(), std::pair(TextPosition{}, TextPosition{2, 5}));
  key(Qt::Key_Home, Qt::ControlModifier);
  EXPECT_EQ(caret.selectedText(), "");
  EXPECT_FALSE(key(Qt::Key_A)) << "no key that moves";
  EXPECT_EQ(moved.count(), 3);
}

TEST_F(TextCaretTest, APlacePastTheEndIsTheLastLine) {
  show("one\ntwo");
  caret.moveTo({9, 1});
  EXPECT_EQ(caret.place(), (TextPosition{1, 1}));
  caret.select({0, 1}, {1, 2});
  EXPECT_EQ(caret.selectedText(), "ne\ntw");
  QSignalSpy moved(&caret, &TextCaret::moved);
  caret.reset();
  EXPECT_EQ(caret.place(), TextPosition());
  EXPECT_EQ(moved.count(), 0);
}

TEST_F(TextCaretTest, KnowsTheNameItStandsOn) {
  show("  %add.1 = f32[] add(%a, %b)");
  caret.moveTo({0, 8});
  EXPECT_EQ(caret.name(), "add.1") << "it ends there";
  caret.moveTo({0, 10});
  EXPECT_EQ(caret.name(), "");
}

}  // namespace
}  // namespace hilo
