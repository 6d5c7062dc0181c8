// What holds of the whole window: every control has a name for screen readers, it fits half a small screen,
// docks come off and go back.
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScreen>
#include <QTest>

#include "tests/unit/ui/shell/studio_fixture.h"
#include "ui/canvas/canvas_widget.h"
#include "ui/shell/studio_window.h"
#include "ui/views/search/search_view.h"
#include "ui/widgets/text_view.h"

namespace hilo {
namespace {

class WindowLayoutTest : public StudioTest {};

TEST_F(WindowLayoutTest, IsNoLargerThanItsScreen) {
  window_->resize(5000, 4000);
  showOnScreen(*window_);
  const QSize room = window_->screen()->availableSize();
  EXPECT_LE(window_->width(), room.width());
  EXPECT_LE(window_->height(), room.height());
}

// A widget that a person can reach with the keyboard, and that is no part of a composite one.
bool isControl(const QWidget& widget) {
  if (widget.focusPolicy() == Qt::NoFocus || widget.focusProxy() != nullptr) return false;
  const QWidget* parent = widget.parentWidget();
  const bool partOfAnother = qobject_cast<const QAbstractSpinBox*>(parent) != nullptr ||
                             qobject_cast<const QComboBox*>(parent) != nullptr ||
                             qobject_cast<const QAbstractItemView*>(parent) != nullptr ||
                             (parent != nullptr && parent->inherits("QComboBoxPrivateContainer"));
  if (partOfAnother || widget.inherits("QTabBar") || widget.inherits("QScrollBar")) return false;
  return qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
         qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
         qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QLineEdit*>(&widget) != nullptr ||
         qobject_cast<const QPlainTextEdit*>(&widget) != nullptr ||
         qobject_cast<const TextView*>(&widget) != nullptr ||
         qobject_cast<const CanvasWidget*>(&widget) != nullptr;
}

QString spokenName(QWidget& widget) {
  if (!widget.accessibleName().isEmpty()) return widget.accessibleName();
  const auto* button = qobject_cast<QAbstractButton*>(&widget);
  return button == nullptr ? QString() : button->text();
}

QString pathOf(const QWidget* widget) {
  QString path;
  for (; widget != nullptr; widget = widget->parentWidget())
    path = QString("%1(%2) ").arg(widget->metaObject()->className(), widget->objectName()) + path;
  return path;
}

TEST_F(WindowLayoutTest, EveryControlHasANameForScreenReaders) {
  openSmall();
  for (const QString& view : viewNames()) window_->showView(view);
  settle();
  int controls = 0;
  for (QWidget* widget : window_->findChildren<QWidget*>()) {
    if (!isControl(*widget)) continue;
    ++controls;
    EXPECT_FALSE(spokenName(*widget).isEmpty()) << pathOf(widget).toStdString();
  }
  EXPECT_GT(controls, 40);
}

TEST_F(WindowLayoutTest, FitsHalfOfASmallScreen) {
  openSmall();
  QString widths;
  for (const QString& view : viewNames()) {
    widths += QString("%1 %2, ").arg(view).arg(window_->drawn(view)->minimumSizeHint().width());
  }
  SCOPED_TRACE("least widths: " + widths.toStdString());
  const QSize least = window_->minimumSizeHint();
  EXPECT_LE(least.width(), 683) << "half of 1366";
  EXPECT_LE(least.height(), 700) << "768 less a title and a panel";
  window_->resize(683, 700);
  settle();
  EXPECT_EQ(window_->size(), QSize(683, 700));
  for (const QString& view : viewNames()) {
    window_->showView(view);
    settle();
    EXPECT_EQ(window_->size(), QSize(683, 700)) << "showing " << view.toStdString();
  }
}

TEST_F(WindowLayoutTest, AWindowThatBeginsSmallStaysSo) {
  window_.reset();
  window_ = std::make_unique<MainWindow>(WindowSetup{jobs_, *session_, *settings_, nullptr});
  window_->resize(1000, 700);
  window_->show();
  openSmall();
  EXPECT_EQ(window_->size(), QSize(1000, 700));
  // The graph has more than half of it; what else there is stands behind the tree.
  EXPECT_GE(window_->view<GraphArea>().width(), 560);
  for (const char* dock : {"dock.inspector", "dock.source"})
    EXPECT_TRUE(window_->tabifiedDockWidgets(window_->findChild<QDockWidget*>("dock.tree"))
                    .contains(window_->findChild<QDockWidget*>(dock)))
        << dock;
}

TEST_F(WindowLayoutTest, DocksComeOffAndStayJoined) {
  openSmall();
  auto* dock = window_->findChild<QDockWidget*>("dock.search");
  ASSERT_NE(dock, nullptr);
  // A double click on its title tears a dock off.
  QWidget* title = dock;
  QTest::mouseDClick(title, Qt::LeftButton, {}, QPoint(dock->width() / 2, 8));
  ASSERT_TRUE(dock->isFloating());
  EXPECT_TRUE(dock->isVisible());
  settle();
  // It stays joined to the window it came from.
  window_->goToName("dot.1");
  EXPECT_EQ(selectedName(), "dot.1");
  dock->setFloating(false);
  settle();
  EXPECT_FALSE(dock->isFloating());
  EXPECT_TRUE(window_->isAncestorOf(&window_->view<SearchView>()));
}

}  // namespace
}  // namespace hilo
