#include "ui/canvas/hover_card.h"

#include <QPainter>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

HoverCard::HoverCard(QWidget* parent) : QLabel(parent) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setTextFormat(Qt::RichText);
  setWordWrap(true);
  setMaximumWidth(460);
  setContentsMargins(kSpace + 2, kSpace, kSpace + 2, kSpace);
  setFont(uiFont(12));
  hide();
}

void HoverCard::showAt(QPoint place, const QString& html) {
  if (html.isEmpty()) {
    hide();
    return;
  }
  if (html != text()) setText(html);
  const int width = std::min(maximumWidth(), std::max(sizeHint().width(), 220));
  resize(width, heightForWidth(width));
  const QRect room = parentWidget()->rect().adjusted(4, 4, -4, -4);
  QPoint corner = place + QPoint(16, 18);
  if (corner.x() + this->width() > room.right())
    corner.setX(std::max(room.left(), place.x() - 12 - this->width()));
  if (corner.y() + height() > room.bottom()) corner.setY(std::max(room.top(), place.y() - 12 - height()));
  move(corner);
  raise();
  show();
}

void HoverCard::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Theme& theme = themeOf(*this);
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.setBrush(theme.colour(ColourRole::kSurfaceRaised));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCornerRadius, kCornerRadius);
  painter.end();
  QLabel::paintEvent(event);
}

}  // namespace hilo
