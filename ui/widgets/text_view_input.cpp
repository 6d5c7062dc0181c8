// How a TextView answers mouse and keyboard.
#include <algorithm>

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

int TextView::rowAt(int y) const {
  const int row = firstRow() + (y < 0 ? -1 : y / rowHeight_);
  return std::clamp(row, 0, std::max(0, static_cast<int>(rows_.count()) - 1));
}

uint32_t TextView::displayColumnAt(int x) const {
  const double column = (x - textLeft()) / cellWidth_ + horizontalScrollBar()->value();
  return static_cast<uint32_t>(std::max(0.0, column + 0.5));
}

TextPosition TextView::positionAt(QPoint place) const {
  if (rows_.count() == 0) return {};
  TextRow row = rows_.row(static_cast<uint32_t>(rowAt(place.y())));
  // A filler or gap has no place of its own: the nearest line above, else below.
  for (int at = rowAt(place.y()); row.kind != TextRow::Kind::kLine && at > 0;)
    row = rows_.row(static_cast<uint32_t>(--at));
  if (row.kind != TextRow::Kind::kLine) return caret_;
  const DisplayLine& shown = display(row.line);
  const auto column = std::min(displayColumnAt(place.x()), static_cast<uint32_t>(shown.text.size()));
  return {row.line, shown.toSource(column)};
}

QString TextView::nameAt(QPoint place) const {
  if (place.x() < gutterWidth_ || rows_.count() == 0) return {};
  if (place.y() / rowHeight_ + firstRow() >= static_cast<int>(rows_.count())) return {};
  const TextRow row = rows_.row(static_cast<uint32_t>(rowAt(place.y())));
  if (row.kind != TextRow::Kind::kLine) return {};
  const double column = (place.x() - textLeft()) / cellWidth_ + horizontalScrollBar()->value();
  const DisplayLine& shown = display(row.line);
  for (const TextSpan& span : shown.spans) {
    if (span.role != ColourRole::kSyntaxName || column < span.start || column >= span.start + span.length)
      continue;
    const QString word = shown.text.mid(span.start, span.length);
    return word.startsWith(u'%') ? word.mid(1) : word;
  }
  return {};
}

bool TextView::clickedFold(QPoint place) {
  if (rows_.count() == 0 || place.y() / rowHeight_ + firstRow() >= static_cast<int>(rows_.count()))
    return false;
  const int index = rowAt(place.y());
  const TextRow row = rows_.row(static_cast<uint32_t>(index));
  if (row.kind == TextRow::Kind::kGap) {
    Q_EMIT gapActivated(index);
    return true;
  }
  if (row.kind != TextRow::Kind::kLine) return false;
  const DisplayLine& shown = display(row.line);
  const double column = (place.x() - textLeft()) / cellWidth_ + horizontalScrollBar()->value();
  const bool onDots = rows_.isFolded(row.line) && column > static_cast<double>(shown.text.size()) &&
                      column < static_cast<double>(shown.text.size()) + 5;
  if ((place.x() < gutterWidth_ || onDots) && rows_.regionAt(row.line) != nullptr) {
    rows_.setFolded(row.line, !rows_.isFolded(row.line));
    updateScrollBars();
    viewport()->update();
    return true;
  }
  if (column >= 0 && shown.isFoldAt(static_cast<uint32_t>(column))) {
    openTails_.insert(row.line);
    displayed_.erase(row.line);
    updateScrollBars();
    viewport()->update();
    return true;
  }
  return false;
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
  viewport()->setCursor(!name.isEmpty()            ? Qt::PointingHandCursor
                        : place.x() < gutterWidth_ ? Qt::ArrowCursor
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
  const QString text = lines_->lineText(place.line);
  auto inWord = [&](uint32_t at) {
    const QChar c = text[at];
    return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'-' || c == u'%';
  };
  uint32_t start = std::min(place.column, static_cast<uint32_t>(text.size())), end = start;
  while (start > 0 && inWord(start - 1)) --start;
  while (end < text.size() && inWord(end)) ++end;
  setCaret({place.line, end}, false);
  anchor_ = {place.line, start};
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

void TextView::moveCaretByRows(int rows, bool keepAnchor) {
  const auto count = static_cast<int>(rows_.count());
  if (wantedColumn_ < 0) wantedColumn_ = static_cast<int>(display(caret_.line).toDisplay(caret_.column));
  int row = std::clamp(static_cast<int>(rows_.rowOfLine(caret_.line)) + rows, 0, count - 1);
  const int step = rows < 0 ? -1 : 1;
  while (row > 0 && row < count - 1 && rows_.row(static_cast<uint32_t>(row)).kind != TextRow::Kind::kLine)
    row += step;
  const TextRow target = rows_.row(static_cast<uint32_t>(row));
  if (target.kind != TextRow::Kind::kLine) return;
  const int wanted = wantedColumn_;
  setCaret({target.line, display(target.line).toSource(static_cast<uint32_t>(wanted))}, keepAnchor);
  wantedColumn_ = wanted;
}

bool TextView::moveCaretByKey(QKeyEvent* event) {
  const bool keep = event->modifiers() & Qt::ShiftModifier;
  const bool control = event->modifiers() & Qt::ControlModifier;
  const auto length = static_cast<uint32_t>(lines_->lineText(caret_.line).size());
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
        place.column = static_cast<uint32_t>(lines_->lineText(place.line).size());
      }
      break;
    case Qt::Key_Right:
      if (place.column < length) {
        ++place.column;
      } else if (place.line + 1 < lines_->count()) {
        place = {place.line + 1, 0};
      }
      break;
    case Qt::Key_Home:
      if (control) place.line = 0;
      place.column = 0;
      break;
    case Qt::Key_End:
      if (control) place.line = lines_->count() - 1;
      place.column = static_cast<uint32_t>(lines_->lineText(place.line).size());
      break;
    default:
      return false;
  }
  wantedColumn_ = -1;
  setCaret(place, keep);
  return true;
}

void TextView::keyPressEvent(QKeyEvent* event) {
  if (rows_.count() > 0 && moveCaretByKey(event)) {
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
