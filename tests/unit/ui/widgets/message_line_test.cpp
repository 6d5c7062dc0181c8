// What a form says can be read in either theme, also when it changes after it was said.
#include "ui/widgets/message_line.h"

#include <gtest/gtest.h>

#include <QApplication>

#include "ui/style/theme.h"

namespace hilo {
namespace {

TEST(MessageLine, FollowsTheTheme) {
  MessageLine line(ColourRole::kText);
  for (const bool isError : {false, true}) {
    const ColourRole role = isError ? ColourRole::kError : ColourRole::kText;
    applyTheme(*qApp, lightTheme());
    line.say("two\nlines", isError);
    EXPECT_EQ(line.palette().color(QPalette::WindowText), lightTheme().colour(role));
    applyTheme(*qApp, darkTheme());
    EXPECT_EQ(line.palette().color(QPalette::WindowText), darkTheme().colour(role));
    EXPECT_EQ(line.saysError(), isError);
  }
  applyTheme(*qApp, lightTheme());
  line.say({});
  EXPECT_TRUE(line.isHidden());
}

TEST(MessageLine, AnErrorShowsItsFirstNotesAndHoldsAll) {
  MessageLine line(ColourRole::kText);
  line.sayWhy({.kind = "not-runnable", .message = "m cannot run", .notes = {"1", "2", "3", "4", "5", "6"}});
  EXPECT_TRUE(line.saysError());
  EXPECT_EQ(line.text(), "m cannot run\n1\n2\n3\n4\nand 2 more");
  EXPECT_EQ(line.toolTip(), "1\n2\n3\n4\n5\n6");
  line.say("Running ...");
  EXPECT_TRUE(line.toolTip().isEmpty());
}

}  // namespace
}  // namespace hilo
