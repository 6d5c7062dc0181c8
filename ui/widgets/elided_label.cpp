#include "ui/widgets/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace hilo {

QSize ElidedLabel::minimumSizeHint() const {
  constexpr int kLeastLetters = 4;
  return {fontMetrics().averageCharWidth() * kLeastLetters, QLabel::minimumSizeHint().height()};
}

QString ElidedLabel::shown() const {
  return fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width() - 2 * margin());
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !toolTip().isEmpty()) return QLabel::event(event);
  QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), shown() == text() ? QString() : text(),
                     this);
  return true;
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
  if (shown() == text()) return QLabel::paintEvent(event);
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  const QRect room = contentsRect().marginsRemoved({margin(), margin(), margin(), margin()});
  painter.drawText(room, static_cast<int>(alignment()) | Qt::TextSingleLine, shown());
}

}  // namespace hilo
