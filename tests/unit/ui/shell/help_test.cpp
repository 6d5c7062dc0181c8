// Help and preferences: keys of the view in focus first, the guide's pages and headings, what a person sets.
#include <QCheckBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/models/text_of.h"
#include "ui/shell/guide.h"
#include "ui/shell/key_list.h"
#include "ui/shell/source_editor.h"
#include "ui/shell/views.h"
#include "ui/widgets/table_view.h"

namespace hilo {
namespace {

class HelpTest : public StudioTest {
 protected:
  QDialog* dialog(const QString& title) {
    for (QDialog* each : window_->findChildren<QDialog*>()) {
      if (each->windowTitle() == title) return each;
    }
    return nullptr;
  }
};

TEST_F(HelpTest, KeysOfTheViewInFocusStandFirst) {
  const std::vector<KeyRow> rows = keyRows(*window_, "schedule");
  EXPECT_EQ(rows.front().where, "Schedule");
  EXPECT_TRUE(std::ranges::any_of(rows, [](const KeyRow& row) { return row.where == "Menu"; }));
  for (const KeyRow& row : rows) EXPECT_FALSE(row.where.isEmpty()) << toStd(row.keys);
}

TEST_F(HelpTest, KeysAreFilteredByWords) {
  window_->action("help.keys")->trigger();
  QDialog* keys = dialog("Keyboard");
  ASSERT_NE(keys, nullptr);
  auto* table = keys->findChild<TableView*>();
  const int all = table->model()->rowCount();
  keys->findChild<QLineEdit*>()->setText("peak");
  ASSERT_EQ(table->model()->rowCount(), 1);
  EXPECT_GT(all, 60);
  EXPECT_EQ(table->model()->index(0, 0).data(), "Memory");
}

TEST_F(HelpTest, TheGuideOpensAtTheSectionOfTheView) {
  window_->showView("memory");
  window_->view("memory")->setFocus();
  ASSERT_TRUE(window_->action("help.view")->isEnabled());
  showGuide(*window_, titleOfView("memory"));
  QDialog* guide = dialog("User guide");
  ASSERT_NE(guide, nullptr);
  auto* page = guide->findChild<QTextBrowser*>();
  EXPECT_EQ(page->textCursor().block().text(), "Memory");
}

TEST_F(HelpTest, TheTourOpensItsSampleAndItsPage) {
  ASSERT_TRUE(window_->action("help.tour")->isEnabled());
  window_->action("help.tour")->trigger();
  settle();
  EXPECT_TRUE(window_->windowTitle().contains("transformer_step")) << window_->windowTitle().toStdString();
  QDialog* guide = dialog("User guide");
  ASSERT_NE(guide, nullptr);
  EXPECT_EQ(guide->findChild<QTextBrowser*>()->document()->firstBlock().text(), "First tour");
}

TEST_F(HelpTest, HeadingsAreFoundAsLinksHaveThem) {
  EXPECT_EQ(headingAnchor("Runs and comparisons"), "runs-and-comparisons");
  EXPECT_EQ(headingAnchor("XLA's `kWhile`"), "xlas-kwhile");
}

TEST_F(HelpTest, PreferencesChangeWhatTheySay) {
  window_->action("edit.preferences")->trigger();
  QDialog* preferences = dialog("Preferences");
  ASSERT_NE(preferences, nullptr);
  auto* dark = preferences->findChild<QCheckBox*>("view.dark");
  ASSERT_NE(dark, nullptr);
  dark->setChecked(true);
  preferences->findChild<QLineEdit*>()->setText("code -g {file}:{line}");
  preferences->findChild<QPlainTextEdit*>()->setPlainText(folder_.path() + "\n");
  EXPECT_FALSE(window_->action("view.dark")->isChecked());
  preferences->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Ok)->click();
  EXPECT_TRUE(window_->action("view.dark")->isChecked());
  EXPECT_EQ(settings_->get("editor").toString(), "code -g {file}:{line}");
  EXPECT_EQ(settings_->get("sourceRoots").toStringList(), QStringList{folder_.path()});
  window_->setTheme(false);
}

TEST(SourceEditor, NoShellSeesThePath) {
  const EditorCall call = editorCall("code -g {file}:{line}", "/a b/$(x).py", 7);
  EXPECT_EQ(call.words, (QStringList{"code", "-g", "/a b/$(x).py:7"}));
  EXPECT_EQ(editorCall("vscode://file{file}:{line}", "/m.py", 3).url.toString(), "vscode://file/m.py:3");
  EXPECT_TRUE(editorCall(" ", "/m.py", 3).url.isLocalFile());
}

}  // namespace
}  // namespace hilo
