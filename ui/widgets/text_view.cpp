#include "ui/widgets/text_view.h"

#include <algorithm>
#include <tuple>

#include <QPainter>
#include <QScrollBar>

#include "ui/style/metrics.h"
#include "ui/widgets/text_painter.h"

namespace hilo {

TextView::TextView(QWidget* parent) : QAbstractScrollArea(parent), caret_(text_), fontPx_(kCodeFontPx) {
  setFont(codeFont(fontPx_));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setCursor(Qt::IBeamCursor);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&text_, &ShownText::replaced, this, &TextView::showStart);
  connect(&text_, &ShownText::changed, this, &TextView::layOut);
  connect(&additions_, &TextAdditions::changed, viewport(), qOverload<>(&QWidget::update));
  connect(&caret_, &TextCaret::changed, viewport(), qOverload<>(&QWidget::update));
  connect(&search_, &TextSearch::changed, viewport(), qOverload<>(&QWidget::update));
  connect(&search_, &TextSearch::failed, viewport(), qOverload<>(&QWidget::update));
  connect(&search_, &TextSearch::steppedTo, this, &TextView::goToMatch);
  layOut();
}

// Of another text.
void TextView::showStart() {
  additions_.setMarks({});
  caret_.reset();
  layOut();
  verticalScrollBar()->setValue(0);
  horizontalScrollBar()->setValue(0);
  search_.setLines(text_.sharedLines());
}

// By the font, the lines there are and which of them are shown.
void TextView::layOut() {
  metrics_ = measureText(font(), lines().count());
  updateScrollBars();
  viewport()->update();
}

PlacedText TextView::placed() const {
  return {.text = text_,
          .metrics = metrics_,
          .firstRow = verticalScrollBar()->value(),
          .firstColumn = horizontalScrollBar()->value(),
          .size = viewport()->size()};
}

void TextView::updateScrollBars() {
  const PlacedText placed = this->placed();
  const TextRows& rows = text_.rows();
  const int inSight = placed.rowsInSight(), columns = placed.columnsInSight();
  verticalScrollBar()->setPageStep(inSight);
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(rows.count()) - inSight + 1));
  // As wide as the widest line in sight, and never less than where the view is. In sight is what would be
  // without bars: were a line behind the horizontal bar left out, the bar would go and come for ever.
  PlacedText tall = placed;
  tall.size = maximumViewportSize();
  uint32_t widest = 0;
  const int first = verticalScrollBar()->value();
  const int last = std::min(static_cast<int>(rows.count()), first + tall.rowsInSight() + 1);
  for (int row = first; row < last; ++row) {
    const TextRow shown = rows.row(static_cast<uint32_t>(row));
    if (shown.kind != TextRow::Kind::kLine) continue;
    widest = std::max(widest, static_cast<uint32_t>(text_.display(shown.line).text.size()));
  }
  horizontalScrollBar()->setPageStep(columns);
  if (wrapped_) return horizontalScrollBar()->setRange(0, 0);
  horizontalScrollBar()->setRange(
      0, std::max(horizontalScrollBar()->value(), static_cast<int>(widest) + 4 - columns));
}

void TextView::setWrapped(bool wrapped) {
  wrapped_ = wrapped;
  updateScrollBars();
  viewport()->update();
}

void TextView::setFirstRow(int row) { verticalScrollBar()->setValue(row); }

void TextView::setCodeFontPx(int px) {
  fontPx_ = std::clamp(px, 7, 40);
  setFont(codeFont(fontPx_));
  layOut();
}

void TextView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  updateScrollBars();
}

void TextView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  // A style sheet may have put the application's font back.
  if (font().pixelSize() != fontPx_ || !font().fixedPitch()) setFont(codeFont(fontPx_));
  layOut();
}

void TextView::scrollContentsBy(int dx, int dy) {
  if (dy != 0) updateScrollBars();
  viewport()->update();
  if (dx != 0 || dy != 0) Q_EMIT scrolled();
}

void TextView::goTo(TextPosition place) {
  place.line = std::min(place.line, lines().count() - 1);
  text_.reveal(place.line);
  caret_.moveTo(place);
  const PlacedText placed = this->placed();
  const int row = static_cast<int>(text_.rows().rowOfLine(place.line));
  const bool inSight = row >= placed.firstRow && row < placed.firstRow + placed.rowsInSight();
  if (!inSight) setFirstRow(row - placed.rowsInSight() / 3);
  showCaret();
}

void TextView::showCaret() {
  const TextPosition caret = caret_.place(), anchor = caret_.anchor();
  const int row = static_cast<int>(text_.rows().rowOfLine(caret.line));
  const int inSight = placed().rowsInSight();
  if (row < verticalScrollBar()->value()) setFirstRow(row);
  if (row >= verticalScrollBar()->value() + inSight) setFirstRow(row - inSight + 1);
  updateScrollBars();
  const int column = static_cast<int>(text_.display(caret.line).toDisplay(caret.column));
  QScrollBar* bar = horizontalScrollBar();
  const int columns = bar->pageStep();
  // What is selected within the line, as a match is, with both its ends where they fit.
  int begin = column, end = column;
  if (anchor.line == caret.line) {
    const int other = static_cast<int>(text_.display(anchor.line).toDisplay(anchor.column));
    if (std::abs(other - column) < columns) std::tie(begin, end) = std::minmax(other, column);
  }
  if (begin < bar->value()) bar->setValue(end + 8 < columns ? 0 : std::max(0, begin - 8));
  if (end >= bar->value() + columns) {
    bar->setRange(0, std::max(bar->maximum(), end - columns + 8));
    bar->setValue(end - columns + 8);
  }
}

void TextView::findNext(bool backward) {
  const auto [from, to] = caret_.selection();
  search_.step(from, to, backward);
}

void TextView::goToMatch(const TextMatch& match) {
  const TextPosition begin = match.at, end{match.at.line, match.at.column + match.length};
  // What was found must be seen, also inside a folded tail.
  text_.openTailAt(begin.line, text_.display(begin.line).toDisplay(begin.column));
  goTo(end);
  caret_.select(begin, end);
  showCaret();
}

void TextView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setFont(font());
  const PlacedText placed = this->placed();
  const auto [from, to] = caret_.selection();
  const QString& asked = additions_.highlightedWord();
  const TextScene scene{
      .placed = placed,
      .additions = additions_,
      .matches = search_.matches(),
      .currentMatch = search_.current(),
      .from = from,
      .to = to,
      .caret = hasFocus() ? std::optional(caret_.place()) : std::nullopt,
      .currentLine = caret_.place().line,
      .word = asked.isEmpty() ? caret_.name() : asked,
      .wrapped = wrapped_,
  };
  TextPainter(painter, themeOf(*this), scene).paint();
}

}  // namespace hilo
