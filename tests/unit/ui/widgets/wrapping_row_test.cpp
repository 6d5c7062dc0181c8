// A bar keeps every widget whole: in one row where there is room, else in several.
#include "ui/widgets/wrapping_row.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QVBoxLayout>

namespace hilo {
namespace {

class WrappingRowTest : public testing::Test {
 protected:
  WrappingRowTest() {
    auto* column = new QVBoxLayout(&window);
    row = new WrappingRow(4);
    for (const char* text : {"First", "Second button", "Third"}) buttons.push_back(new QPushButton(text));
    line = new QLineEdit;
    row->add(buttons[0]);
    row->add(line, 1);
    row->add(buttons[1]);
    row->add(buttons[2]);
    column->addLayout(row);
    column->addStretch();
    window.show();
  }
  void setWidth(int width) {
    window.resize(width, 300);
    QTest::qWait(1);
  }

  QWidget window;
  WrappingRow* row = nullptr;
  std::vector<QPushButton*> buttons;
  QLineEdit* line = nullptr;
};

TEST_F(WrappingRowTest, OneRowThatFillsItsWidth) {
  setWidth(1000);
  EXPECT_EQ(buttons[0]->y(), buttons[2]->y());
  EXPECT_GT(line->width(), line->sizeHint().width());
  EXPECT_EQ(buttons[2]->geometry().right(), row->geometry().right());
}

TEST_F(WrappingRowTest, NarrowItTakesMoreRowsAndCutsNothing) {
  setWidth(240);
  EXPECT_LT(buttons[0]->y(), buttons[2]->y());
  for (const QPushButton* button : buttons) {
    EXPECT_GE(button->width(), button->sizeHint().width());
    EXPECT_LE(button->geometry().right(), row->geometry().right());
  }
  EXPECT_EQ(row->geometry().height(), row->heightForWidth(row->geometry().width()));
}

TEST_F(WrappingRowTest, WhatIsHiddenTakesNoRoom) {
  setWidth(1000);
  const int before = line->width();
  buttons[1]->hide();
  QTest::qWait(1);
  EXPECT_EQ(line->width(), before + buttons[1]->sizeHint().width() + 4);
}

}  // namespace
}  // namespace hilo
