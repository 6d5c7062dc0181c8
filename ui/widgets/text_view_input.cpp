// How a TextView answers mouse and keyboard.
#include <optional>

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

#include "ui/widgets/text_view.h"

namespace hilo {

// A place outside of what is selected takes the caret, as in any editor.
void TextView::contextMenuEvent(QContextMenuEvent* event) {
  if (event->reason() == QContextMenuEvent::Mouse) {
    const QPoint at = viewport()->mapFromGlobal(event->globalPos());
    const TextPosition place = placed().positionAt(at).value_or(caret_.place());
    const auto [first, last] = caret_.selection();
    if (place < first || last < place || first == last) caret_.moveTo(place);
  }
  const bool isAnySelected = caret_.place() != caret_.anchor();
  QMenu menu(this);
  menu.addAction("Copy", QKeySequence::Copy, &caret_, &TextCaret::copy)->setEnabled(isAnySelected);
  menu.addAction("Select all", QKeySequence::SelectAll, &caret_, &TextCaret::selectAll);
  menu.addAction("Find...", QKeySequence::Find, this, &TextView::findAsked);
  menu.addAction("Go to line...", this, &TextView::goToLineAsked);
  menu.addSeparator();
  Q_EMIT menuAsked(&menu);
  menu.exec(event->globalPos());
}

bool TextView::clickedFold(QPoint place) {
  const PlacedText placed = this->placed();
  if (const std::optional<int> gap = placed.gapAt(place.y())) {
    Q_EMIT gapActivated(*gap);
    return true;
  }
  if (const std::optional<uint32_t> line = placed.foldAt(place)) {
    text_.setFolded(*line, !text_.rows().isFolded(*line));
    return true;
  }
  const std::optional<TextRow> row = placed.lineRowAt(place.y());
  const double column = placed.columnAt(place.x());
  return row && column >= 0 && text_.openTailAt(row->line, static_cast<uint32_t>(column));
}

void TextView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressPlace_ = event->position().toPoint();
  pressMoved_ = false;
  selecting_ = !clickedFold(pressPlace_);
  if (!selecting_) return;
  const bool extends = event->modifiers() & Qt::ShiftModifier;
  caret_.moveTo(placed().positionAt(pressPlace_).value_or(caret_.place()), extends);
}

void TextView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint place = event->position().toPoint();
  if (selecting_ && (event->buttons() & Qt::LeftButton)) {
    pressMoved_ |= (place - pressPlace_).manhattanLength() > 4;
    if (pressMoved_) {
      caret_.moveTo(placed().positionAt(place).value_or(caret_.place()), true);
      showCaret();
    }
    return;
  }
  const QString name = placed().nameAt(place);
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
  const QString name = placed().nameAt(event->position().toPoint());
  if (!name.isEmpty()) Q_EMIT nameActivated(name, static_cast<int>(caret_.place().line));
}

void TextView::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto place = placed().positionAt(event->position().toPoint());
  const auto [start, end] = text_.wordAround(place.value_or(caret_.place()));
  caret_.select(start, end);
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

void TextView::keyPressEvent(QKeyEvent* event) {
  if (text_.rows().count() > 0 && caret_.moveByKey(*event, placed().rowsInSight() - 1)) return showCaret();
  if (event->matches(QKeySequence::Copy)) return caret_.copy();
  if (event->matches(QKeySequence::SelectAll)) return caret_.selectAll();
  if (event->matches(QKeySequence::Find)) return Q_EMIT findAsked();
  if (event->key() == Qt::Key_F3) return findNext(event->modifiers() & Qt::ShiftModifier);
  if (event->key() == Qt::Key_G && (event->modifiers() & Qt::ControlModifier)) return Q_EMIT goToLineAsked();
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    const int line = static_cast<int>(caret_.place().line);
    if (!caret_.name().isEmpty()) return Q_EMIT nameActivated(caret_.name(), line);
    return Q_EMIT lineActivated(line);
  }
  QAbstractScrollArea::keyPressEvent(event);
}

}  // namespace hilo
