#include "ui/widgets/message_line.h"

#include <QEvent>

#include "ui/style/metrics.h"

namespace hilo {

MessageLine::MessageLine(ColourRole plain, QWidget* parent) : QLabel(parent), plain_(plain) {
  setAccessibleName("Message");
  setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  hide();
}

void MessageLine::say(const QString& text, bool isError) {
  isError_ = isError;
  setText(text);
  setAccessibleDescription(text);
  setVisible(!text.isEmpty());
  tint();
}

void MessageLine::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) tint();
}

void MessageLine::tint() {
  const QColor colour = themeOf(*this).colour(isError_ ? ColourRole::kError : plain_);
  if (palette().color(QPalette::WindowText) == colour) return;
  QPalette tinted;
  tinted.setColor(QPalette::WindowText, colour);
  setPalette(tinted);
}

}  // namespace hilo
