// One menu for the selected instruction, wherever it was asked for.
#include "ui/widgets/instruction_menu.h"

#include <QClipboard>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/views/bookmarks/bookmarks_view.h"
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
