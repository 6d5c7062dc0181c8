// How a TextView answers mouse and keyboard.
#include <algorithm>
#include <optional>

#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>

#include "ui/widgets/text_view.h"

namespace hilo {

void TextView::copy() const {
  if (const QString text = selectedText(); !text.isEmpty()) QApplication::clipboard()->setText(text);
}

// A place outside of what is selected takes the caret, as in any editor.
void TextView::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Mouse) {
    const TextPosition place = positionAt(viewport()->mapFromGlobal(event->globalPos()));
    const auto [first, last] = selection();
    if (place < first || last < place || first == last) setCaret(place, false);
  }
  QMenu menu(this);
  menu.addAction("Copy", QKeySequence::Copy, this, &TextView::copy)->setEnabled(!selectedText().isEmpty());
  menu.addAction("Select all", QKeySequence::SelectAll, this, &TextView::selectAll);
  menu.addAction("Find...", QKeySequence::Find, this, &TextView::findAsked);
  menu.addAction("Go to line...", this, &TextView::goToLineAsked);
  menu.addSeparator();
  Q_EMIT menuAsked(&menu);
  menu.exec(event->globalPos());
}

double TextView::columnAt(int x) const {
  return (x - metrics_.textLeft()) / metrics_.cellWidth + horizontalScrollBar()->value();
}

int TextView::rowAt(int y) const {
  const int row = firstRow() + (y < 0 ? -1 : y / metrics_.rowHeight);
  return std::clamp(row, 0, std::max(0, static_cast<int>(rows().count()) - 1));
}

// Null below the last row, and where there is no line of the text.
std::optional<TextRow> TextView::lineRowAt(int y) const {
  const bool isBelow = y / metrics_.rowHeight + firstRow() >= static_cast<int>(rows().count());
  if (rows().count() == 0 || isBelow) return std::nullopt;
  const TextRow row = rows().row(static_cast<uint32_t>(rowAt(y)));
  return row.kind == TextRow::Kind::kLine ? std::optional(row) : std::nullopt;
}

TextPosition TextView::positionAt(QPoint place) const {
  if (rows().count() == 0) return {};
  TextRow row = rows().row(static_cast<uint32_t>(rowAt(place.y())));
  // A filler or gap has no place of its own: the nearest line above, else below.
  for (int at = rowAt(place.y()); row.kind != TextRow::Kind::kLine && at > 0;)
    row = rows().row(static_cast<uint32_t>(--at));
  if (row.kind != TextRow::Kind::kLine) return caret_;
  const DisplayLine& shown = text_.display(row.line);
  const auto column = row.column + static_cast<uint32_t>(std::max(0.0, columnAt(place.x()) + 0.5));
  return {row.line, shown.toSource(std::min(column, static_cast<uint32_t>(shown.text.size())))};
}

QString TextView::nameAt(QPoint place) const {
  const std::optional<TextRow> row = lineRowAt(place.y());
  if (!row || place.x() < metrics_.gutterWidth) return {};
  return text_.nameAt(row->line, row->column + columnAt(place.x()), /*atEnd=*/false);
}

bool TextView::clickedFold(QPoint place) {
  const int index = rowAt(place.y());
  const std::optional<TextRow> row = lineRowAt(place.y());
  if (!row) {
    const bool isIn = place.y() / metrics_.rowHeight + firstRow() < static_cast<int>(rows().count());
    const bool isGap = isIn && rows().row(static_cast<uint32_t>(index)).kind == TextRow::Kind::kGap;
    if (isGap) Q_EMIT gapActivated(index);
    return isGap;
  }
  const double column = columnAt(place.x());
  const auto length = static_cast<double>(text_.display(row->line).text.size());
  const bool onDots = rows().isFolded(row->line) && column > length && column < length + 5;
  if ((place.x() < metrics_.gutterWidth || onDots) && rows().regionAt(row->line) != nullptr) {
    text_.rows().setFolded(row->line, !rows().isFolded(row->line));
    textChanged();
    return true;
  }
  if (column < 0 || !text_.openTailAt(row->line, static_cast<uint32_t>(column))) return false;
  textChanged();
  return true;
}

void TextView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressPlace_ = event->position().toPoint();
  pressMoved_ = false;
  if (clickedFold(pressPlace_)) {
    selecting_ = false;
    return;
  }
  selecting_ = true;
  wantedColumn_ = -1;
  setCaret(positionAt(pressPlace_), event->modifiers() & Qt::ShiftModifier);
}

void TextView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint place = event->position().toPoint();
  if (selecting_ && (event->buttons() & Qt::LeftButton)) {
    pressMoved_ |= (place - pressPlace_).manhattanLength() > 4;
    if (pressMoved_) {
      setCaret(positionAt(place), true);
      showCaret();
    }
    return;
  }
  const QString name = nameAt(place);
  viewport()->setCursor(!name.isEmpty()                    ? Qt::PointingHandCursor
                        : place.x() < metrics_.gutterWidth ? Qt::ArrowCursor
                                                           : Qt::IBeamCursor);
  if (name == hoveredName_) return;
  hoveredName_ = name;
  Q_EMIT nameHovered(name);
}

void TextView::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = selecting_ && !pressMoved_ && event->button() == Qt::LeftButton;
  selecting_ = false;
  if (!click || (event->modifiers() & Qt::ShiftModifier)) return;
  const QString name = nameAt(event->position().toPoint());
  if (!name.isEmpty()) Q_EMIT nameActivated(name, static_cast<int>(caret_.line));
}

void TextView::mouseDoubleClickEvent(QMouseEvent* event) {
  const TextPosition place = positionAt(event->position().toPoint());
  const auto [start, end] = text_.wordAround(place);
  setCaret(end, false);
  anchor_ = start;
  viewport()->update();
}

void TextView::leaveEvent(QEvent* event) {
  QAbstractScrollArea::leaveEvent(event);
  if (hoveredName_.isEmpty()) return;
  hoveredName_.clear();
  Q_EMIT nameHovered({});
}

void TextView::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    setCodeFontPx(fontPx_ + (event->angleDelta().y() > 0 ? 1 : -1));
    event->accept();
    return;
  }
  QAbstractScrollArea::wheelEvent(event);
}

void TextView::moveCaretByRows(int by, bool keepAnchor) {
  const auto count = static_cast<int>(rows().count());
  if (wantedColumn_ < 0)
    wantedColumn_ = static_cast<int>(text_.display(caret_.line).toDisplay(caret_.column));
  int row = std::clamp(static_cast<int>(rows().rowOfLine(caret_.line)) + by, 0, count - 1);
  const int step = by < 0 ? -1 : 1;
  while (row > 0 && row < count - 1 && rows().row(static_cast<uint32_t>(row)).kind != TextRow::Kind::kLine)
    row += step;
  const TextRow target = rows().row(static_cast<uint32_t>(row));
  if (target.kind != TextRow::Kind::kLine) return;
  const int wanted = wantedColumn_;
  setCaret({target.line, text_.display(target.line).toSource(static_cast<uint32_t>(wanted))}, keepAnchor);
  wantedColumn_ = wanted;
}

bool TextView::moveCaretByKey(QKeyEvent* event) {
  const bool keep = event->modifiers() & Qt::ShiftModifier;
  const bool control = event->modifiers() & Qt::ControlModifier;
  const auto length = text_.lengthOf(caret_.line);
  TextPosition place = caret_;
  switch (event->key()) {
    case Qt::Key_Up:
      moveCaretByRows(-1, keep);
      return true;
    case Qt::Key_Down:
      moveCaretByRows(+1, keep);
      return true;
    case Qt::Key_PageUp:
      moveCaretByRows(1 - rowsInSight(), keep);
      return true;
    case Qt::Key_PageDown:
      moveCaretByRows(rowsInSight() - 1, keep);
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
      if (place.column < length) {
        ++place.column;
      } else if (place.line + 1 < lines().count()) {
        place = {place.line + 1, 0};
      }
      break;
    case Qt::Key_Home:
      if (control) place.line = 0;
      place.column = 0;
      break;
    case Qt::Key_End:
      if (control) place.line = lines().count() - 1;
      place.column = text_.lengthOf(place.line);
      break;
    default:
      return false;
  }
  wantedColumn_ = -1;
  setCaret(place, keep);
  return true;
}

void TextView::keyPressEvent(QKeyEvent* event) {
  if (rows().count() > 0 && moveCaretByKey(event)) {
    showCaret();
    return;
  }
  if (event->matches(QKeySequence::Copy)) return copy();
  if (event->matches(QKeySequence::SelectAll)) return selectAll();
  if (event->matches(QKeySequence::Find)) {
    Q_EMIT findAsked();
    return;
  }
  if (event->key() == Qt::Key_F3) return findNext(event->modifiers() & Qt::ShiftModifier);
  if (event->key() == Qt::Key_G && (event->modifiers() & Qt::ControlModifier)) {
    Q_EMIT goToLineAsked();
    return;
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    if (!caretWord_.isEmpty()) Q_EMIT nameActivated(caretWord_, static_cast<int>(caret_.line));
    if (caretWord_.isEmpty()) Q_EMIT lineActivated(static_cast<int>(caret_.line));
    return;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace hilo
