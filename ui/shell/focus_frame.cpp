#include "ui/shell/focus_frame.h"

#include <QApplication>
#include <QEvent>
#include <QPainter>

#include "ui/style/theme.h"
#include "ui/widgets/view.h"

namespace hilo {
namespace {

constexpr int kPixels = 2;

class Line : public QWidget {
 public:
  explicit Line(QWidget& around) : QWidget(&around) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter(this).fillRect(rect(), themeOf(*this).colour(ColourRole::kAccent));
  }
};

View* viewAround(QWidget* widget) {
  while (widget != nullptr && dynamic_cast<View*>(widget) == nullptr) widget = widget->parentWidget();
  return dynamic_cast<View*>(widget);
}

bool isWithin(const QObject* object, const QObject& ancestor) {
  while (object != nullptr && object != &ancestor) object = object->parent();
  return object != nullptr;
}

}  // namespace

FocusFrame::FocusFrame(QWidget& window) : QObject(&window), window_(window) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusFrame::follow(QWidget* focused) {
  View* view = isWithin(focused, window_) ? viewAround(focused) : nullptr;
  if (view == framed_ && line_ != nullptr) return;
  takeAway();
  framed_ = view;
  if (view == nullptr) return;
  view->installEventFilter(this);
  line_ = new Line(*view);
  fit();
  line_->show();
}

void FocusFrame::takeAway() {
  if (framed_ != nullptr) framed_->removeEventFilter(this);
  delete line_;
  framed_ = nullptr;
}

void FocusFrame::setVisible(bool visible) {
  if (line_ != nullptr) line_->setVisible(visible);
}

// No more than a line, so that what is inside is painted and scrolled as if there were none.
void FocusFrame::fit() {
  const QRect all = framed_->rect();
  line_->setGeometry(all);
  line_->setMask(QRegion(all) - QRegion(all.adjusted(kPixels, kPixels, -kPixels, -kPixels)));
  line_->raise();
}

bool FocusFrame::eventFilter(QObject* watched, QEvent* event) {
  const bool moves = event->type() == QEvent::Resize || event->type() == QEvent::ChildAdded;
  if (moves && watched == framed_ && line_ != nullptr) fit();
  return QObject::eventFilter(watched, event);
}

}  // namespace hilo
