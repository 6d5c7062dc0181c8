// Back leads to what was looked at in another document.
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"

namespace hilo {
namespace {

using BackBetweenDocumentsTest = StudioTest;

TEST_F(BackBetweenDocumentsTest, LeadsBackToTheInstructionInTheOtherOne) {
  openSmall();
  window_->goToName("dot.1");
  settle();
  window_->files().open(
      write("other.hlo", QByteArray(kSmallModule).replace("HloModule small", "HloModule other")));
  settle();
  ASSERT_EQ(session_->current()->title, "other.hlo");
  ASSERT_TRUE(window_->action("go.back")->isEnabled());
  for (int n = 0; n < 3 && session_->current()->title != "small.hlo"; ++n) {
    window_->action("go.back")->trigger();
    settle();
  }
  EXPECT_EQ(session_->current()->title, "small.hlo");
  EXPECT_EQ(selectedName(), "dot.1");
}

}  // namespace
}  // namespace hilo
