// The window and .hilo files: saving what is open, coming back to it, and what is kept on the way.
#include <QComboBox>
#include <QDockWidget>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/models/text_of.h"
#include "ui/shell/studio_window.h"
#include "ui/views/bookmarks/bookmarks_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/runs/runs_view.h"
#include "ui/views/search/search_view.h"

namespace hilo {
namespace {

class HiloFileTest : public StudioTest {
 protected:
  QString filePath() const { return folder_.filePath("report.hilo"); }
  void saveSmall() {
    openSmall();
    window_->files().saveAs(filePath());
    settle();
    ASSERT_TRUE(QFile::exists(filePath()));
    ASSERT_EQ(session_->file().path(), toStd(filePath()));
  }
  // As a program that was ended, however it ended, and started again.
  void startAnew() {
    window_.reset();
    session_ = std::make_unique<Session>(jobs_, ":memory:");
    makeWindow();
  }
};

TEST_F(HiloFileTest, WhatIsOpenComesBackAsItWasShown) {
  openSmall();
  window_->goToName("dot.1");
  window_->view<SearchView>().box().setText("opcode:multiply");
  window_->showView("overview");
  window_->files().saveAs(filePath());
  settle();
  QFile::remove(folder_.filePath("small.hlo"));
  startAnew();
  window_->files().open(filePath());
  settle();
  ASSERT_NE(session_->current(), nullptr);
  EXPECT_EQ(session_->current()->title, "small.hlo");
  EXPECT_EQ(selectedName(), "dot.1");
  EXPECT_EQ(window_->view<SearchView>().box().text(), "opcode:multiply");
  EXPECT_TRUE(window_->view("overview")->isVisible());
  EXPECT_TRUE(window_->windowTitle().contains("report.hilo")) << window_->windowTitle().toStdString();
  EXPECT_EQ(settings_->recent().front(), filePath());
}

TEST_F(HiloFileTest, WhatIsSelectedIsKeptWithoutSaving) {
  saveSmall();
  window_->goToName("spread");
  // No closing: the program is killed a second later.
  QTest::qWait(3000);
  settle();
  startAnew();
  window_->files().open(filePath());
  settle();
  EXPECT_EQ(selectedName(), "spread");
}

TEST_F(HiloFileTest, BookmarksNotesAndRunsGoIntoTheFileAtOnce) {
  openSmall();
  window_->goToName("dot.1");
  QTest::keyClick(window_.get(), Qt::Key_B, Qt::ControlModifier);
  settle();
  window_->files().saveAs(filePath());
  settle();
  window_->goToName("out");
  QTest::keyClick(window_.get(), Qt::Key_B, Qt::ControlModifier);
  settle();
  QTest::keyClicks(&window_->view<BookmarksView>().moduleNote(), "differs on one device");
  QTest::qWait(3000);
  QTest::keyClick(window_.get(), Qt::Key_R, Qt::ControlModifier);
  settle();
  startAnew();
  window_->files().open(filePath());
  settle();
  ASSERT_EQ(window_->view<BookmarksView>().model().rows().size(), 2u);
  EXPECT_EQ(window_->view<BookmarksView>().model().rows()[0].bookmark.name, "dot.1");
  EXPECT_EQ(window_->view<BookmarksView>().model().rows()[1].bookmark.name, "out");
  EXPECT_EQ(window_->view<BookmarksView>().moduleNote().toPlainText(), "differs on one device");
  ASSERT_EQ(window_->view<RunsView>().list().model().rows().size(), 1u);
  EXPECT_EQ(window_->view<RunsView>().list().model().rows()[0].moduleName, "small");
}

TEST_F(HiloFileTest, PassesThatRunAreKeptAtOnce) {
  saveSmall();
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"dce"}});
  settle();
  EXPECT_FALSE(session_->file().isModified());
  startAnew();
  window_->files().open(filePath());
  settle();
  ASSERT_EQ(session_->series().size(), 1u);
  const auto& steps = session_->series()[0].series->steps;
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].name, "dce");
  EXPECT_EQ((*steps[1].module())->findInstruction("unused"), nullptr);
}

// Reading a document again takes the place of what it held, its pass runs too.
TEST_F(HiloFileTest, ReloadingListsPassRunsOnce) {
  saveSmall();
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"dce"}});
  settle();
  const auto* box = window_->view<PassesView>().findChild<QComboBox*>();
  ASSERT_EQ(box->count(), 1);
  QTest::keyClick(window_.get(), Qt::Key_F5);
  settle();
  EXPECT_EQ(session_->series().size(), 1u);
  EXPECT_EQ(box->count(), 1);
  EXPECT_EQ(session_->documents().size(), 1u);
  QTest::keyClick(window_.get(), Qt::Key_F5);
  settle();
  EXPECT_EQ(box->count(), 1);
}

TEST_F(HiloFileTest, WhatPassesMadeClosesWithWhatTheyRanOver) {
  openSmall();
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"dce"}});
  settle();
  EXPECT_GT(window_->view<PassesView>().lists().changes().rowCount(), 0);
  session_->close(session_->documents().front()->id);
  settle();
  EXPECT_TRUE(session_->series().empty());
  EXPECT_EQ(window_->view<PassesView>().lists().changes().rowCount(), 0);
  EXPECT_TRUE(window_->view<PassesView>().strip().steps().empty());
}

TEST_F(HiloFileTest, AnotherFileIsKeptWhenItIsSaved) {
  saveSmall();
  EXPECT_FALSE(window_->isWindowModified());
  window_->files().open(write("other.hlo", QByteArray(kSmallModule).replace("small", "other")));
  settle();
  EXPECT_TRUE(window_->isWindowModified());
  QTest::keyClick(window_.get(), Qt::Key_S, Qt::ControlModifier);
  settle();
  EXPECT_FALSE(window_->isWindowModified());
  startAnew();
  window_->files().open(filePath());
  settle();
  ASSERT_EQ(session_->documents().size(), 2u);
  EXPECT_EQ(session_->current()->title, "other.hlo");
}

TEST_F(HiloFileTest, AFileThatIsNoneIsAProblem) {
  QFile::remove(filePath());
  write("report.hilo", QByteArray("SQLite format 3\0 and no more", 28));
  window_->files().open(filePath());
  settle();
  EXPECT_EQ(session_->current(), nullptr);
  EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
}

TEST_F(HiloFileTest, WindowsHaveSessionsOfTheirOwn) {
  saveSmall();
  StudioWindows windows(poster_, *settings_, ":memory:", {});
  MainWindow& first = windows.adopt(std::make_unique<StudioWindow>(poster_, ":memory:"), nullptr);
  first.show();
  first.files().open(folder_.filePath("small.hlo"));
  const auto wait = [](MainWindow& window) {
    ASSERT_TRUE(QTest::qWaitFor([&] { return window.idle(); }, 60'000));
  };
  wait(first);
  QTest::keyClick(&first, Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_EQ(windows.count(), 2u);
  MainWindow& second = *windows.at(1).window();
  wait(second);
  ASSERT_NE(second.session().current(), nullptr);
  EXPECT_EQ(second.session().current()->title, "small.hlo");
  second.goToName("dot.1");
  EXPECT_TRUE(second.bus().selected().instruction.valid());
  EXPECT_FALSE(first.bus().selected().instruction.valid());
  // A .hilo file does not push aside what is open.
  first.files().open(filePath());
  ASSERT_EQ(windows.count(), 3u);
  wait(*windows.at(2).window());
  EXPECT_EQ(windows.at(2).session().file().path(), toStd(filePath()));
  EXPECT_TRUE(first.session().file().path().empty());
  second.close();
  EXPECT_TRUE(QTest::qWaitFor([&] { return windows.count() == 2; }, 60'000));
}

}  // namespace
}  // namespace hilo
