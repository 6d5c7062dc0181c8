// The window driven as a person drives it: keys and mouse buttons sent to whatever has the focus.
#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/focus_frame.h"
#include "ui/views/bookmarks/bookmarks_view.h"
#include "ui/views/memory/memory_view.h"
#include "ui/views/overview/overview_view.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/search/search_view.h"
#include "ui/views/text/text_pane.h"
#include "ui/views/tree/tree_view.h"

namespace hilo {
namespace {

class KeyboardTest : public StudioTest {
 protected:
  void SetUp() override {
    StudioTest::SetUp();
    openSmall();
    window_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
  }
  // An open popup takes the keys, as on a screen.
  QWidget* focused() const {
    if (QWidget* popup = QApplication::activePopupWidget()) return popup;
    return QApplication::focusWidget() != nullptr ? QApplication::focusWidget() : window_.get();
  }
  void key(int key, Qt::KeyboardModifiers modifiers = {}) {
    // A popup that closes leaves no window active on the offscreen platform; a window system would.
    if (QApplication::activePopupWidget() == nullptr && !window_->isActiveWindow()) {
      window_->activateWindow();
      ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    }
    QTest::keyClick(focused(), static_cast<Qt::Key>(key), modifiers);
    settle();
  }
  void type(const QString& text) {
    QTest::keyClicks(focused(), text);
    settle();
  }
};

TEST_F(KeyboardTest, ThePaletteIsOpenedTypedIntoAndLeft) {
  key(Qt::Key_K, Qt::ControlModifier);
  ASSERT_TRUE(window_->palette().isVisible());
  type("sprea");
  key(Qt::Key_Return);
  EXPECT_FALSE(window_->palette().isVisible());
  EXPECT_EQ(selectedName(), "spread");
  key(Qt::Key_P, Qt::ControlModifier);
  ASSERT_TRUE(window_->palette().isVisible());
  key(Qt::Key_Escape);
  EXPECT_FALSE(window_->palette().isVisible());
  EXPECT_EQ(selectedName(), "spread");
}

TEST_F(KeyboardTest, TheViewThatHasTheKeyboardHasAFrame) {
  const auto& frame = *window_->findChild<FocusFrame*>();
  const auto framesWhatHasTheKeyboard = [&](const View& view) {
    EXPECT_EQ(frame.framed(), &view);
    EXPECT_TRUE(view.isAncestorOf(QApplication::focusWidget()) || &view == QApplication::focusWidget());
    ASSERT_NE(frame.line(), nullptr);
    EXPECT_TRUE(frame.line()->isVisible());
    EXPECT_EQ(frame.line()->parentWidget(), &view);
    EXPECT_EQ(frame.line()->geometry(), view.rect());
    EXPECT_FALSE(frame.line()->mask().contains(view.rect().center())) << "a line, and nothing inside it";
  };
  auto& text = window_->view<TextPane>();
  key(Qt::Key_2, Qt::ControlModifier);
  framesWhatHasTheKeyboard(text);
  window_->resize(900, 620);
  settle();
  framesWhatHasTheKeyboard(text);
  key(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
  framesWhatHasTheKeyboard(window_->view<SearchView>());
  window_->menuBar()->setFocus();
  EXPECT_EQ(frame.framed(), nullptr);
  EXPECT_EQ(frame.line(), nullptr);
}

TEST_F(KeyboardTest, BackAndForwardByKeysAndByTheSideButtonsOfTheMouse) {
  window_->goToName("dot.1");
  window_->goToName("out");
  settle();
  key(Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(selectedName(), "dot.1");
  key(Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(selectedName(), "out");
  QTest::mouseClick(window_.get(), Qt::BackButton);
  settle();
  EXPECT_EQ(selectedName(), "dot.1");
  QTest::mouseClick(window_.get(), Qt::ForwardButton);
  settle();
  EXPECT_EQ(selectedName(), "out");
}

TEST_F(KeyboardTest, EveryViewOfTheMiddleHasAKey) {
  key(Qt::Key_2, Qt::ControlModifier);
  EXPECT_TRUE(window_->view<TextPane>().isVisible());
  EXPECT_FALSE(window_->view<GraphArea>().isVisible());
  key(Qt::Key_1, Qt::ControlModifier);
  EXPECT_TRUE(window_->view<GraphArea>().isVisible());
  EXPECT_FALSE(window_->view<TextPane>().isVisible());
  key(Qt::Key_3, Qt::ControlModifier);
  EXPECT_TRUE(window_->view<GraphArea>().isVisible() && window_->view<TextPane>().isVisible());
  key(Qt::Key_4, Qt::ControlModifier);
  EXPECT_TRUE(window_->view<PassesView>().isVisible());
  key(Qt::Key_6, Qt::ControlModifier);
  EXPECT_TRUE(window_->view<OverviewView>().isVisible());
  key(Qt::Key_8, Qt::ControlModifier);
  EXPECT_TRUE(window_->view<MemoryView>().isVisible());
}

TEST_F(KeyboardTest, AQueryIsTypedAndItsHitsAreWalked) {
  key(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_EQ(QApplication::focusWidget(), &window_->view<SearchView>().box());
  type("type:f32 rank=2");
  key(Qt::Key_Escape);  // the list of completions
  settle();
  ASSERT_GE(window_->view<SearchView>().model().rowCount(), 4);
  key(Qt::Key_Return);
  ASSERT_EQ(QApplication::focusWidget(), &window_->view<SearchView>().table());
  key(Qt::Key_Home);
  key(Qt::Key_Down);
  EXPECT_EQ(selectedName(), window_->view<SearchView>().model().rows()[1].name);
}

TEST_F(KeyboardTest, TextIsSearchedWithTheKeysAlone) {
  key(Qt::Key_2, Qt::ControlModifier);
  key(Qt::Key_F, Qt::ControlModifier);
  type("broadcast(");
  key(Qt::Key_Return);
  key(Qt::Key_Escape);
  EXPECT_TRUE(window_->view<TextPane>()
                  .text()
                  .lines()
                  .lineText(window_->view<TextPane>().text().caret().place().line)
                  .contains("%spread"));
  EXPECT_EQ(selectedName(), "spread");
}

TEST_F(KeyboardTest, TheTreeIsFilteredAndWalked) {
  key(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
  type("redu");
  QTest::qWait(1000);  // the filter waits for the typing to stop
  settle();
  EXPECT_EQ(window_->view<TreeView>().model().filterMatches(), 1u);
  key(Qt::Key_Down);
  ASSERT_EQ(QApplication::focusWidget(), &window_->view<TreeView>().tree());
  key(Qt::Key_End);
  EXPECT_EQ(selectedName(), "reduced");
}

TEST_F(KeyboardTest, F6GoesThroughTheViewsAndBack) {
  QSet<QWidget*> seen;
  QList<QWidget*> way;
  for (int i = 0; i < 6; ++i) {
    key(Qt::Key_F6);
    seen.insert(QApplication::focusWidget());
    way << QApplication::focusWidget();
  }
  EXPECT_GE(seen.size(), 4);
  key(Qt::Key_F6, Qt::ShiftModifier);
  EXPECT_EQ(QApplication::focusWidget(), way[4]);
}

TEST_F(KeyboardTest, ABookmarkIsMadeNotedFoundAndRemoved) {
  window_->goToName("spread");
  key(Qt::Key_B, Qt::ControlModifier);
  BookmarksView& bookmarks = window_->view<BookmarksView>();
  ASSERT_EQ(bookmarks.model().rowCount(), 1);
  EXPECT_EQ(bookmarks.model().rows()[0].what, "broadcast f32[4,4] in main");
  bookmarks.table().setFocus();
  key(Qt::Key_Home);
  ASSERT_TRUE(bookmarks.note().isEnabled());
  bookmarks.note().setFocus();
  type("why so large?");
  key(Qt::Key_Return);
  EXPECT_EQ(bookmarks.model().rows()[0].bookmark.note, "why so large?");
  window_->goToName("out");
  bookmarks.table().setFocus();
  key(Qt::Key_Return);
  EXPECT_EQ(selectedName(), "spread");
  bookmarks.table().setFocus();
  key(Qt::Key_Delete);
  EXPECT_EQ(bookmarks.model().rowCount(), 0);
}

TEST_F(KeyboardTest, HitsAreGroupedSummedAndSavedAsCsv) {
  window_->view<SearchView>().search("type:f32 not opcode:parameter not opcode:constant");
  settle();
  window_->view<SearchView>().grouping().setCurrentIndex(static_cast<int>(GroupHits::kOpcode));
  const auto& groups = window_->view<SearchView>().groups().rows();
  ASSERT_EQ(groups.size(), 6u);  // negate, dot, reduce, broadcast, multiply, add
  EXPECT_EQ(groups[0].key, "negate");
  EXPECT_EQ(groups[0].bytes, 4 * 8 * 4);
  EXPECT_EQ(groups.back().bytes, 4);
  const QString csv = window_->view<SearchView>().table().asCsv(true);
  EXPECT_TRUE(csv.startsWith("name,opcode,shape,bytes,accessed,flops,time,source,computation,op_name\n"));
  EXPECT_TRUE(csv.contains("dot.1,dot,\"f32[4,4]\",64,320,256,2500,model.py:3,main,jit(f)/dot\n"))
      << csv.toStdString();
  // A group leads to its instructions.
  Q_EMIT window_->view<SearchView>().groupTable().activated(window_->view<SearchView>().groups().index(0, 0));
  settle();
  ASSERT_EQ(window_->view<SearchView>().model().rowCount(), 1);
  EXPECT_EQ(window_->view<SearchView>().model().rows()[0].name, "unused");
}

TEST_F(KeyboardTest, WhatIsDraggedOverIsTakenAndWhatIsDroppedOpens) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(write("dropped.hlo", kSmallModule))});
  QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(window_.get(), &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(window_.get(), &drop);
  settle();
  EXPECT_EQ(session_->current()->title, "dropped.hlo");
  QMimeData text;
  text.setText("no file");
  QDragEnterEvent other(QPoint(10, 10), Qt::CopyAction, &text, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(window_.get(), &other);
  EXPECT_FALSE(other.isAccepted());
}

TEST_F(KeyboardTest, RecentFilesOpenFromTheMenuNewestFirst) {
  window_->files().open(write("second.hlo", kSmallModule));
  settle();
  const QMenu* recent = nullptr;
  for (const QMenu* menu : window_->menuBar()->findChildren<QMenu*>()) {
    if (menu->title() == "Open &recent") recent = menu;
  }
  ASSERT_NE(recent, nullptr);
  ASSERT_GE(recent->actions().size(), 2);
  EXPECT_TRUE(recent->actions()[0]->text().endsWith("second.hlo"));
  recent->actions()[1]->trigger();
  settle();
  EXPECT_EQ(session_->current()->title, "small.hlo");
}

TEST_F(KeyboardTest, TheNextWindowIsAsTheLastWasAndReopensItsFiles) {
  key(Qt::Key_2, Qt::ControlModifier);
  window_->goToName("spread");
  window_->close();
  window_.reset();
  session_ = std::make_unique<Session>(jobs_, ":memory:");
  makeWindow();
  window_->activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
  key(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_NE(session_->current(), nullptr);
  EXPECT_EQ(session_->current()->title, "small.hlo");
  EXPECT_EQ(selectedName(), "spread");
  EXPECT_TRUE(window_->view<TextPane>().isVisible());
  EXPECT_FALSE(window_->view<GraphArea>().isVisible());
}

TEST_F(KeyboardTest, AboutCopiesWhatAReportNeeds) {
  window_->findChild<QAction*>("help.about")->trigger();
  settle();
  auto* text = window_->findChild<QLabel*>("about.text");
  ASSERT_NE(text, nullptr);
  for (const char* word : {"hilo 0.", "LLVM 22.", "SQLite 3.", "machine", "Qt "})
    EXPECT_TRUE(text->text().contains(word)) << text->text().toStdString();
  for (QPushButton* button : window_->findChildren<QPushButton*>()) {
    if (button->text().contains("bug report")) button->click();
  }
  EXPECT_EQ(QApplication::clipboard()->text(), text->text());
}

}  // namespace
}  // namespace hilo
