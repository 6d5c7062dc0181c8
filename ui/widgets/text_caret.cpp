#include "ui/widgets/text_caret.h"

#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>

namespace hilo {

QString TextCaret::selectedText() const {
  const auto [from, to] = selection();
  return text_.text(from, to);
}

void TextCaret::copy() const {
  if (const QString text = selectedText(); !text.isEmpty()) QGuiApplication::clipboard()->setText(text);
}

void TextCaret::moveTo(TextPosition place, bool keepAnchor) {
  place.line = std::min(place.line, text_.lines().count() - 1);
  const bool isElsewhere = place != place_;
  place_ = place;
  if (!keepAnchor) anchor_ = place;
  wantedColumn_ = -1;
  name_ = text_.nameAt(place.line, text_.display(place.line).toDisplay(place.column), /*atEnd=*/true);
  Q_EMIT changed();
  if (isElsewhere) Q_EMIT moved(static_cast<int>(place.line), static_cast<int>(place.column));
}

void TextCaret::select(TextPosition anchor, TextPosition place) {
  moveTo(place);
  anchor_ = anchor;
  Q_EMIT changed();
}

void TextCaret::selectAll() {
  anchor_ = {};
  place_ = text_.end();
  Q_EMIT changed();
}

void TextCaret::reset() {
  place_ = anchor_ = {};
  name_.clear();
}

void TextCaret::moveByRows(int by, bool keepAnchor) {
  const TextRows& rows = text_.rows();
  const auto count = static_cast<int>(rows.count());
  const int wanted = wantedColumn_ >= 0
                         ? wantedColumn_
                         : static_cast<int>(text_.display(place_.line).toDisplay(place_.column));
  int row = std::clamp(static_cast<int>(rows.rowOfLine(place_.line)) + by, 0, count - 1);
  const int step = by < 0 ? -1 : 1;
  while (row > 0 && row < count - 1 && rows.row(static_cast<uint32_t>(row)).kind != TextRow::Kind::kLine)
    row += step;
  const TextRow target = rows.row(static_cast<uint32_t>(row));
  if (target.kind != TextRow::Kind::kLine) return;
  moveTo({target.line, text_.display(target.line).toSource(static_cast<uint32_t>(wanted))}, keepAnchor);
  wantedColumn_ = wanted;
}

bool TextCaret::moveByKey(const QKeyEvent& event, int page) {
  const bool keep = event.modifiers() & Qt::ShiftModifier;
  const bool control = event.modifiers() & Qt::ControlModifier;
  TextPosition place = place_;
  switch (event.key()) {
    case Qt::Key_Up:
      moveByRows(-1, keep);
      return true;
    case Qt::Key_Down:
      moveByRows(+1, keep);
      return true;
    case Qt::Key_PageUp:
      moveByRows(-page, keep);
      return true;
    case Qt::Key_PageDown:
      moveByRows(+page, keep);
      return true;
    case Qt::Key_Left:
      if (place.column > 0) {
        --place.column;
      } else if (place.line > 0) {
        --place.line;
        place.column = text_.lengthOf(place.line);
      }
      break;
    case Qt::Key_Right:
      if (place.column < text_.lengthOf(place.line)) {
        ++place.column;
      } else if (place.line + 1 < text_.lines().count()) {
        place = {place.line + 1, 0};
      }
      break;
    case Qt::Key_Home:
      if (control) place.line = 0;
      place.column = 0;
      break;
    case Qt::Key_End:
      if (control) place.line = text_.lines().count() - 1;
      place.column = text_.lengthOf(place.line);
      break;
    default:
      return false;
  }
  moveTo(place, keep);
  return true;
}

}  // namespace hilo
