// Every view on small and large windows, in both themes: no control stands on another one, none leaves its
// parent, no text is cut. QT_SCALE_FACTOR=2 is a screen of high density, as the test test_shell_2x has it.
// HILO_PICTURES=FOLDER keeps pictures; HILO_GEOMETRY_MODEL names another module.
#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QSplitterHandle>
#include <QTabBar>

#include "tests/unit/ui/shell/studio_fixture.h"

namespace hilo {
namespace {

std::string pathOf(const QWidget* widget) {
  QString path;
  for (; widget != nullptr && !widget->isWindow(); widget = widget->parentWidget()) {
    const QString name = widget->objectName().isEmpty() ? widget->accessibleName() : widget->objectName();
    path = QString("/%1(%2)").arg(widget->metaObject()->className(), name) + path;
  }
  return path.toStdString();
}

// What a person reads or presses, without what scrolls with a sheet.
bool isControl(const QWidget& widget) {
  // A dock behind another one is "visible", beyond the window's edge.
  if (!widget.isVisible() || widget.visibleRegion().isEmpty()) return false;
  if (widget.inherits("QDockWidgetTitleButton")) return false;
  for (const QWidget* each = widget.parentWidget(); each != nullptr; each = each->parentWidget()) {
    if (qobject_cast<const QAbstractScrollArea*>(each) != nullptr) return false;
  }
  return qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
         qobject_cast<const QLabel*>(&widget) != nullptr ||
         qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QLineEdit*>(&widget) != nullptr;
}

std::vector<QWidget*> controlsIn(const QWidget& root) {
  std::vector<QWidget*> found;
  for (QWidget* each : root.findChildren<QWidget*>()) {
    const QWidget* parent = each->parentWidget();
    const bool isPart = qobject_cast<const QComboBox*>(parent) != nullptr ||
                        qobject_cast<const QLineEdit*>(parent) != nullptr ||
                        parent->inherits("QAbstractSpinBox") ||
                        qobject_cast<const QTabBar*>(parent) != nullptr || parent->inherits("QTabBar");
    if (!isPart && isControl(*each)) found.push_back(each);
  }
  return found;
}

QRect onWindow(const QWidget& widget) {
  return QRect(widget.mapTo(widget.window(), QPoint()), widget.size());
}

void expectInside(const QWidget& widget) {
  EXPECT_TRUE(widget.parentWidget()->rect().contains(widget.geometry()))
      << pathOf(&widget) << " leaves its parent: " << widget.geometry().right() << " of "
      << widget.parentWidget()->width() << ", " << widget.geometry().bottom() << " of "
      << widget.parentWidget()->height();
}

// A text that wraps or is made shorter with dots says so by a small hint of its own.
void expectRoomForText(const QWidget& widget) {
  const QSize least = widget.minimumSizeHint();
  EXPECT_GE(widget.width() + 1, least.width()) << pathOf(&widget) << " is cut";
  EXPECT_GE(widget.height() + 1, least.height()) << pathOf(&widget) << " is cut in height";
}

bool holds(const QWidget* outer, const QWidget* inner) { return outer->isAncestorOf(inner); }

void expectNoOverlap(const std::vector<QWidget*>& controls) {
  for (size_t a = 0; a < controls.size(); ++a) {
    for (size_t b = a + 1; b < controls.size(); ++b) {
      const QWidget *first = controls[a], *second = controls[b];
      if (holds(first, second) || holds(second, first)) continue;
      const QRect common = onWindow(*first).intersected(onWindow(*second));
      EXPECT_FALSE(common.width() > 1 && common.height() > 1)
          << pathOf(first) << " and " << pathOf(second) << " have " << common.width() << "x"
          << common.height() << " in common";
    }
  }
}

class GeometryTest : public StudioTest, public testing::WithParamInterface<QSize> {
 protected:
  void keepPicture(const QString& view, bool dark) {
    const QString folder = qEnvironmentVariable("HILO_PICTURES");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    window_->grab().save(QString("%1/%2_%3x%4_%5.png")
                             .arg(folder, view)
                             .arg(window_->width())
                             .arg(window_->height())
                             .arg(dark ? "dark" : "light"));
  }
  void openModel() {
    const QString model = qEnvironmentVariable("HILO_GEOMETRY_MODEL");
    if (model.isEmpty()) return openSmall();
    window_->files().open(model);
    settle();
  }
};

TEST_P(GeometryTest, NothingIsCutOrOverlapped) {
  makeWindow();
  window_->resize(GetParam());
  EXPECT_EQ(window_->devicePixelRatio(), std::max(1.0, qEnvironmentVariable("QT_SCALE_FACTOR").toDouble()));
  openModel();
  window_->goToName("dot.1");
  for (const bool dark : {false, true}) {
    window_->setTheme(dark);
    for (const QString& view : viewNames()) {
      if (view == "window") continue;
      SCOPED_TRACE(view.toStdString() + (dark ? " dark" : " light"));
      window_->showView(view);
      settle();
      EXPECT_EQ(window_->size(), GetParam());
      const std::vector<QWidget*> controls = controlsIn(*window_);
      EXPECT_GT(controls.size(), 5u);
      for (const QWidget* each : controls) {
        expectInside(*each);
        expectRoomForText(*each);
      }
      expectNoOverlap(controls);
      keepPicture(view, dark);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, GeometryTest,
                         testing::Values(QSize(1024, 700), QSize(1440, 900), QSize(1300, 600)));

}  // namespace
}  // namespace hilo
