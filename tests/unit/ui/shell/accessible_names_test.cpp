// Whatever can take the focus, in every view, dialog and page, says what it is to a screen reader.

#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDialog>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <set>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/shell/command_palette.h"
#include "ui/views/passes/passes_view.h"
#include "ui/widgets/view_controls.h"

namespace hilo {
namespace {

class AccessibleNamesTest : public StudioTest {
 protected:
  static QString nameOf(QWidget* widget) {
    QAccessibleInterface* said = QAccessible::queryAccessibleInterface(widget);
    return said == nullptr ? QString() : said->text(QAccessible::Name);
  }
  // What Qt makes inside a control of ours speaks for that control.
  static bool isPartOfAnother(const QWidget* widget) {
    const QWidget* parent = widget->parentWidget();
    return widget->objectName().startsWith("qt_") || qobject_cast<const QScrollBar*>(widget) != nullptr ||
           qobject_cast<const QComboBox*>(parent) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(parent) != nullptr ||
           (qobject_cast<const QTabWidget*>(parent) != nullptr &&
            qobject_cast<const QTabBar*>(widget) != nullptr) ||
           // Bars that the window holds ready for docks to be stacked.
           (qobject_cast<const QMainWindow*>(parent) != nullptr &&
            qobject_cast<const QTabBar*>(widget) != nullptr && !widget->isVisible()) ||
           QByteArray(widget->metaObject()->className()) == "QComboBoxListView" ||
           QByteArray(widget->metaObject()->className()) == "QComboBoxPrivateContainer";
  }
  static void expectNames(QWidget* root, const QString& where) {
    int found = 0;
    QList<QWidget*> all = root->findChildren<QWidget*>();
    all.prepend(root);
    for (QWidget* widget : all) {
      if (widget->focusPolicy() == Qt::NoFocus || isPartOfAnother(widget)) continue;
      ++found;
      EXPECT_FALSE(nameOf(widget).isEmpty())
          << where.toStdString() << ": a " << widget->metaObject()->className() << " '"
          << widget->objectName().toStdString() << "' in a "
          << widget->parentWidget()->metaObject()->className();
    }
    EXPECT_GT(found, 0) << where.toStdString();
  }
};

TEST_F(AccessibleNamesTest, InEveryView) {
  openSmall();
  window_->view<PassesView>().run({.module = session_->current()->module, .passes = {"dce"}});
  settle();
  for (const QString& name : viewNames()) {
    window_->showView(name);
    settle();
    expectNames(window_->drawn(name), name);
  }
}

TEST_F(AccessibleNamesTest, OnTheWelcomePage) { expectNames(window_.get(), "window with nothing open"); }

TEST_F(AccessibleNamesTest, InDialogs) {
  openSmall();
  window_->files().open(write("other.hlo", QByteArray(kSmallModule).replace("small", "other")));
  settle();
  for (const char* name : {"module.passes", "module.diff", "help.keys"}) {
    window_->action(name)->trigger();
    settle();
    bool shown = false;
    for (QDialog* dialog : window_->findChildren<QDialog*>()) {
      if (!dialog->isVisible()) continue;
      shown = true;
      expectNames(dialog, name);
      QTest::keyClick(dialog, Qt::Key_Escape);
    }
    EXPECT_TRUE(shown) << name;
    settle();
  }
  window_->action("go.palette")->trigger();
  settle();
  expectNames(&window_->palette(), "palette");
}

// Two controls of one name cannot be told apart, neither by ear nor by what a copied command sets.
TEST_F(AccessibleNamesTest, ControlsOfAViewHaveNamesOfTheirOwn) {
  openSmall();
  for (const QString& name : viewNames()) {
    if (name == "window") continue;
    QWidget* view = window_->view(name);
    std::set<QString> names;
    for (const auto* box : view->findChildren<QComboBox*>())
      EXPECT_TRUE(names.insert(box->accessibleName()).second && !box->accessibleName().isEmpty())
          << name.toStdString() << " " << box->accessibleName().toStdString();
    for (const auto* tabs : view->findChildren<QTabWidget*>())
      EXPECT_TRUE(names.insert(tabs->accessibleName()).second && !tabs->accessibleName().isEmpty())
          << name.toStdString() << " " << tabs->accessibleName().toStdString();
  }
}

TEST_F(AccessibleNamesTest, ControlsAreReadAndSet) {
  openSmall();
  window_->showView("overview");
  settle();
  QWidget& view = *window_->view("overview");
  const QStringList values = controlValues(view);
  ASSERT_FALSE(values.isEmpty());
  auto* box = view.findChild<QComboBox*>();
  const QString other = box->itemText(box->count() - 1);
  ASSERT_TRUE(setControl(view, box->accessibleName() + "=" + other));
  EXPECT_EQ(box->currentText(), other);
  EXPECT_TRUE(controlValues(view).contains(box->accessibleName() + "=" + other));
  EXPECT_EQ(setControl(view, "no such thing=1").error().kind, "no-such-control");
  EXPECT_EQ(setControl(view, box->accessibleName() + "=nonsense").error().kind, "no-such-choice");
}

}  // namespace
}  // namespace hilo
