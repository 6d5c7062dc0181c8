#include "ui/widgets/message_line.h"

#include <QEvent>

#include "ui/models/text_of.h"
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
  setToolTip({});
  setVisible(!text.isEmpty());
  tint();
}

void MessageLine::sayWhy(const Diagnostic& why) {
  constexpr qsizetype kNotesShown = 4;
  QStringList notes;
  for (const std::string& note : why.notes) notes << qs(note);
  QStringList lines = QStringList{qs(why.message)} + notes.mid(0, kNotesShown);
  if (notes.size() > kNotesShown) lines << QStringLiteral("and %1 more").arg(notes.size() - kNotesShown);
  say(lines.join(u'\n'), true);
  setToolTip(notes.join(u'\n'));
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
