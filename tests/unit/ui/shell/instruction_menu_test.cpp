// One menu for the selected instruction, wherever it was asked for.
#include "ui/widgets/instruction_menu.h"

#include <QClipboard>
#include <QTest>
#include <QTimer>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/canvas/canvas_widget.h"
#include "ui/models/text_of.h"
#include "ui/views/bookmarks/bookmarks_view.h"
#include "ui/views/memory/memory_map.h"
#include "ui/views/passes/passes_view.h"
#include "ui/views/text/text_pane.h"

namespace hilo {
namespace {

class InstructionMenuTest : public StudioTest {
 protected:
  // The action called this in the menu of the selection, or in one of its menus; null where there is none.
  QAction* find(const QString& text) {
    addInstructionMenu(menu_, window_->context());
    std::vector<QMenu*> pending = {&menu_};
    while (!pending.empty()) {
      QMenu* at = pending.back();
      pending.pop_back();
      for (QAction* action : at->actions()) {
        if (action->text() == text) return action;
        if (action->menu() != nullptr) pending.push_back(action->menu());
      }
    }
    return nullptr;
  }
  QMenu menu_;
};

TEST_F(InstructionMenuTest, NothingSelectedHasNone) {
  openSmall();
  window_->bus().select({});
  addInstructionMenu(menu_, window_->context());
  EXPECT_TRUE(menu_.isEmpty());
}

TEST_F(InstructionMenuTest, GoesToAnotherView) {
  openSmall();
  window_->goToName("dot.1");
  find("Memory")->trigger();
  settle();
  EXPECT_TRUE(window_->view("memory")->isVisible());
  EXPECT_EQ(selectedName(), "dot.1");
}

TEST_F(InstructionMenuTest, CopiesWhatNamesIt) {
  openSmall();
  window_->goToName("dot.1");
  find("op_name")->trigger();
  EXPECT_EQ(QApplication::clipboard()->text(), "jit(f)/dot");
  find("Source line")->trigger();
  EXPECT_EQ(QApplication::clipboard()->text(), "model.py:3");
}

TEST_F(InstructionMenuTest, BookmarksIt) {
  openSmall();
  window_->goToName("dot.1");
  find("Bookmark")->trigger();
  settle();
  EXPECT_EQ(window_->view<BookmarksView>().table().model()->rowCount(), 1);
}

// The titles of the menu that is open, which is closed.
QStringList openMenu() {
  QStringList titles;
  if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
    for (const QAction* action : menu->actions()) titles << action->text();
    menu->close();
  }
  return titles;
}

TEST_F(InstructionMenuTest, CopiesAModuleOfItsOwnAndTheCommandThatOpensIt) {
  openSmall();
  window_->goToName("dot.1");
  find("As an HLO module")->trigger();
  const QString text = QApplication::clipboard()->text();
  EXPECT_TRUE(text.startsWith("HloModule") && text.contains("dot(")) << toStd(text);
  EXPECT_FALSE(text.contains("reduce("));
  find("Command that opens it")->trigger();
  EXPECT_TRUE(QApplication::clipboard()->text().startsWith("hilo-studio --select dot.1 "));
}

TEST_F(InstructionMenuTest, GraphMemoryAndTreeHaveItToo) {
  openSmall();
  window_->goToName("dot.1");
  settle();
  // A menu may run a loop of its own until it is closed.
  const auto ask = [](QWidget* where) {
    QStringList titles;
    QTimer closing;
    QObject::connect(&closing, &QTimer::timeout, [&] {
      if (titles.isEmpty()) titles = openMenu();
    });
    closing.start(20);
    const QPoint place = where->rect().center();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, place, where->mapToGlobal(place));
    QApplication::sendEvent(where, &event);
    EXPECT_TRUE(QTest::qWaitFor([&] { return !titles.isEmpty(); }, 5000));
    return titles;
  };
  EXPECT_TRUE(ask(window_->view<GraphArea>().findChild<CanvasWidget*>()).contains("%dot.1"));
  window_->showView("memory");
  settle();
  EXPECT_TRUE(ask(window_->view("memory")->findChild<MemoryMap*>()).contains("%dot.1"));
}

TEST_F(InstructionMenuTest, ItsHistoryComesToTheFront) {
  openSmall();
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"dce"}});
  settle();
  window_->showView("graph");
  window_->goToName("dot.1");
  settle();
  find("History in Passes")->trigger();
  settle();
  EXPECT_TRUE(window_->view<PassesView>().lists().history().isVisible());
  EXPECT_TRUE(window_->view<PassesView>().lists().history().title().startsWith("%dot.1"));
}

TEST_F(InstructionMenuTest, TheTextAsksForItAtTheLineOfTheMouse) {
  openSmall();
  window_->showView("text");
  settle();
  TextView& text = window_->view<TextPane>().text();
  QString asked;
  QObject::connect(&text, &TextView::menuAsked, [&](QMenu* menu) {
    asked = menu->actions().back()->text();
    QMetaObject::invokeMethod(menu, &QMenu::close, Qt::QueuedConnection);
  });
  window_->goToName("spread");
  settle();
  const QPoint place(60, 5);
  QContextMenuEvent event(QContextMenuEvent::Mouse, place, text.viewport()->mapToGlobal(place));
  QApplication::sendEvent(text.viewport(), &event);
  EXPECT_FALSE(asked.isEmpty());
}

}  // namespace
}  // namespace hilo
