// A second window that follows the first: instructions meet by name, in whatever module is shown there.
#include <QStatusBar>
#include <QTest>
#include <QToolButton>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/models/time_cursor.h"
#include "ui/shell/studio_window.h"

namespace hilo {
namespace {

constexpr const char* kOtherModule = R"(HloModule other

ENTRY %main (x: f32[4,8]) -> f32[4,8] {
  %x = f32[4,8]{1,0} parameter(0)
  ROOT %out = f32[4,8]{1,0} abs(%x)
}
)";

class WindowFollowTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    windows_ = std::make_unique<StudioWindows>(poster_, *settings_, ":memory:", QString());
    const QString small = write("small.hlo", kSmallModule), other = write("other.hlo", kOtherModule);
    windows_->adopt(std::make_unique<StudioWindow>(poster_, ":memory:"), nullptr);
    first().show();
    first().files().open(small);
    wait(first());
    windows_->open({small}).show();
    wait(second());
    windows_->open({other}).show();
    wait(third());
  }
  void TearDown() override {
    windows_.reset();
    StudioTest::TearDown();
  }
  static void wait(MainWindow& window) {
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.idle(); }, 60'000));
    ASSERT_NE(window.session().current(), nullptr);
  }
  MainWindow& first() { return *windows_->at(0).window(); }
  MainWindow& second() { return *windows_->at(1).window(); }
  MainWindow& third() { return *windows_->at(2).window(); }
  static std::string nameIn(MainWindow& window, InstructionId id) {
    const Instruction* found = window.session().current()->module->instruction(id);
    return found == nullptr ? "" : std::string(found->name());
  }
  static std::string selectedIn(MainWindow& window) {
    return nameIn(window, window.bus().selected().instruction);
  }
  Moment momentOf(const char* name) {
    const Snapshot& shown = *first().session().current();
    return {shown.id, shown.module->findInstruction(name)->id(), 0.25};
  }
  static QToolButton* buttonOf(MainWindow& window) {
    for (auto* each : window.statusBar()->findChildren<QToolButton*>()) {
      if (each->defaultAction() != nullptr && each->defaultAction()->objectName() == "window.follow")
        return each;
    }
    return nullptr;
  }

  std::unique_ptr<StudioWindows> windows_;
};

TEST_F(WindowFollowTest, nothingIsTakenOverUntilItIsAskedFor) {
  first().goToName("dot.1");
  first().bus().time().place(momentOf("dot.1"));
  EXPECT_EQ(selectedIn(second()), "");
  EXPECT_FALSE(second().bus().time().placed().valid());
  EXPECT_EQ(buttonOf(first()), nullptr);
  ASSERT_NE(buttonOf(second()), nullptr);
  EXPECT_EQ(buttonOf(second())->text(), "Follow the first window");
}

TEST_F(WindowFollowTest, selectionAndTimeCursorFollow) {
  first().goToName("dot.1");
  buttonOf(second())->click();
  EXPECT_EQ(selectedIn(second()), "dot.1");
  EXPECT_EQ(buttonOf(second())->text(), "Follows the first window");
  first().bus().time().place(momentOf("reduced"));
  EXPECT_EQ(nameIn(second(), second().bus().time().placed().instruction), "reduced");
  EXPECT_EQ(second().bus().time().placed().part, 0.25);
  first().bus().time().point(momentOf("spread"));
  EXPECT_EQ(nameIn(second(), second().bus().time().pointed().instruction), "spread");
  first().bus().time().point({});
  EXPECT_FALSE(second().bus().time().pointed().valid());
  // One way: what is selected in the window that follows is its own.
  second().goToName("unused");
  EXPECT_EQ(selectedIn(first()), "dot.1");
  buttonOf(second())->click();
  first().goToName("reduced");
  EXPECT_EQ(selectedIn(second()), "unused");
}

TEST_F(WindowFollowTest, anotherModuleFollowsByNameAndSaysWhatItHasNot) {
  buttonOf(third())->click();
  first().goToName("out");
  EXPECT_EQ(selectedIn(third()), "out");
  EXPECT_EQ(third().session().current()->module->name(), "other");
  first().goToName("dot.1");
  EXPECT_EQ(selectedIn(third()), "out");
  EXPECT_EQ(third().statusBar()->currentMessage(), "dot.1 of the first window is not in this module");
}

TEST_F(WindowFollowTest, theNextWindowFollowsAsTheLastOneDid) {
  first().goToName("dot.1");
  buttonOf(second())->click();
  MainWindow& fourth = windows_->open({folder_.filePath("small.hlo")});
  fourth.show();
  wait(fourth);
  EXPECT_EQ(selectedIn(fourth), "dot.1");
}

TEST_F(WindowFollowTest, whenTheFirstClosesTheSecondIsFirst) {
  buttonOf(second())->click();
  first().close();
  ASSERT_TRUE(QTest::qWaitFor([&] { return windows_->count() == 2; }, 60'000));
  EXPECT_EQ(buttonOf(first()), nullptr);
  EXPECT_NE(buttonOf(second()), nullptr);
}

}  // namespace
}  // namespace hilo
