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

}  // namespace
}  // namespace hilo
