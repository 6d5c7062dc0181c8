#include "ui/widgets/text_view.h"

#include <algorithm>
#include <tuple>

#include <QPainter>
#include <QScrollBar>

#include "ui/style/metrics.h"

namespace hilo {

TextView::TextView(QWidget* parent)
    : QAbstractScrollArea(parent), search_(new TextSearch(this)), fontPx_(kCodeFontPx) {
  setFont(codeFont(fontPx_));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setCursor(Qt::IBeamCursor);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  connect(search_, &TextSearch::changed, viewport(), qOverload<>(&QWidget::update));
  connect(search_, &TextSearch::failed, viewport(), qOverload<>(&QWidget::update));
  measure();
}

void TextView::setText(std::shared_ptr<const std::string> text) { setContent(TextContent(std::move(text))); }

void TextView::setContent(TextContent content) {
  text_.setContent(std::move(content));
  additions_.marks.clear();
  caret_ = anchor_ = {};
  caretWord_.clear();
  measure();
  textChanged();
  verticalScrollBar()->setValue(0);
  horizontalScrollBar()->setValue(0);
  search_->setLines(text_.sharedLines());
}

// Its lines, or which of them are shown.
void TextView::textChanged() {
  updateScrollBars();
  viewport()->update();
}

void TextView::setLexer(LineLexer lexer) {
  text_.setLexer(std::move(lexer));
  viewport()->update();
}

void TextView::setMarks(std::vector<LineMark> marks) {
  additions_.marks = std::move(marks);
  std::ranges::sort(additions_.marks, {}, &LineMark::line);
  viewport()->update();
}

void TextView::setDecorator(std::function<LineDecoration(uint32_t line)> decorator) {
  additions_.decorator = std::move(decorator);
  viewport()->update();
}

void TextView::refresh() { viewport()->update(); }

void TextView::setGhosts(std::function<QString(uint32_t line)> ghosts) {
  additions_.ghosts = std::move(ghosts);
  viewport()->update();
}

void TextView::setTablesFolded(bool folded) {
  text_.setTablesFolded(folded);
  textChanged();
}

void TextView::setFoldable(bool foldable) {
  text_.setFoldable(foldable);
  textChanged();
}

void TextView::setAllFolded(bool folded) {
  text_.rows().setAllFolded(folded);
  textChanged();
}

void TextView::setRows(std::vector<TextRow> rows) {
  text_.setRows(std::move(rows));
  textChanged();
}

void TextView::setTailsFolded(bool folded) {
  text_.setTailsFolded(folded);
  textChanged();
}

void TextView::updateScrollBars() {
  const int inSight = rowsInSight();
  verticalScrollBar()->setPageStep(inSight);
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(rows().count()) - inSight + 1));
  // As wide as the widest line in sight, and never less than where the view is.
  uint32_t widest = 0;
  const int last = std::min(static_cast<int>(rows().count()), firstRow() + inSight + 1);
  for (int row = firstRow(); row < last; ++row) {
    const TextRow shown = rows().row(static_cast<uint32_t>(row));
    if (shown.kind != TextRow::Kind::kLine) continue;
    widest = std::max(widest, static_cast<uint32_t>(text_.display(shown.line).text.size()));
  }
  const int columns = columnsInSight();
  horizontalScrollBar()->setPageStep(columns);
  if (wrapped_) return horizontalScrollBar()->setRange(0, 0);
  horizontalScrollBar()->setRange(
      0, std::max(horizontalScrollBar()->value(), static_cast<int>(widest) + 4 - columns));
}

int TextView::columnsInSight() const {
  return std::max(1, static_cast<int>((viewport()->width() - metrics_.textLeft()) / metrics_.cellWidth));
}

void TextView::setWrapped(bool wrapped) {
  wrapped_ = wrapped;
  updateScrollBars();
  viewport()->update();
}

int TextView::firstRow() const { return verticalScrollBar()->value(); }

void TextView::setFirstRow(int row) { verticalScrollBar()->setValue(row); }

int TextView::rowsInSight() const { return std::max(1, viewport()->height() / metrics_.rowHeight); }

void TextView::setCodeFontPx(int px) {
  fontPx_ = std::clamp(px, 7, 40);
  setFont(codeFont(fontPx_));
  measure();
  updateScrollBars();
  viewport()->update();
}

void TextView::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  updateScrollBars();
}

void TextView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
    // A style sheet may have put the application's font back.
    if (font().pixelSize() != fontPx_ || !font().fixedPitch()) setFont(codeFont(fontPx_));
    measure();
    viewport()->update();
  }
}

void TextView::scrollContentsBy(int dx, int dy) {
  if (dy != 0) updateScrollBars();
  viewport()->update();
  if (dx != 0 || dy != 0) Q_EMIT scrolled();
}

void TextView::goTo(TextPosition place) {
  place.line = std::min(place.line, lines().count() - 1);
  if (text_.reveal(place.line)) updateScrollBars();
  setCaret(place, false);
  const int row = static_cast<int>(rows().rowOfLine(place.line));
  const bool inSight = row >= firstRow() && row < firstRow() + rowsInSight();
  if (!inSight) verticalScrollBar()->setValue(row - rowsInSight() / 3);
  showCaret();
}

void TextView::setCaret(TextPosition place, bool keepAnchor) {
  place.line = std::min(place.line, lines().count() - 1);
  const bool moved = place != caret_;
  caret_ = place;
  if (!keepAnchor) anchor_ = place;
  caretWord_ = text_.nameAt(place.line, text_.display(place.line).toDisplay(place.column), /*atEnd=*/true);
  viewport()->update();
  if (moved) Q_EMIT cursorMoved(static_cast<int>(caret_.line), static_cast<int>(caret_.column));
}

void TextView::showCaret() {
  const int row = static_cast<int>(rows().rowOfLine(caret_.line));
  if (row < firstRow()) verticalScrollBar()->setValue(row);
  if (row >= firstRow() + rowsInSight()) verticalScrollBar()->setValue(row - rowsInSight() + 1);
  updateScrollBars();
  const int column = static_cast<int>(text_.display(caret_.line).toDisplay(caret_.column));
  QScrollBar* bar = horizontalScrollBar();
  const int columns = bar->pageStep();
  // What is selected within the line, as a match is, with both its ends where they fit.
  int begin = column, end = column;
  if (anchor_.line == caret_.line) {
    const int other = static_cast<int>(text_.display(anchor_.line).toDisplay(anchor_.column));
    if (std::abs(other - column) < columns) std::tie(begin, end) = std::minmax(other, column);
  }
  if (begin < bar->value()) bar->setValue(end + 8 < columns ? 0 : std::max(0, begin - 8));
  if (end >= bar->value() + columns) {
    bar->setRange(0, std::max(bar->maximum(), end - columns + 8));
    bar->setValue(end - columns + 8);
  }
}

QString TextView::selectedText() const {
  const auto [from, to] = selection();
  return text_.text(from, to);
}

void TextView::selectAll() {
  anchor_ = {};
  caret_ = text_.end();
  viewport()->update();
}

void TextView::setHighlightedWord(const QString& word) {
  additions_.highlighted = word;
  viewport()->update();
}

void TextView::findNext(bool backward) {
  const auto [from, to] = selection();
  goToMatch(search_->step(from, to, backward));
}

void TextView::findFrom(TextPosition place) { goToMatch(search_->step(place, place, false)); }

void TextView::goToMatch(const TextMatch* found) {
  if (found == nullptr) return;
  // What was found must be seen, also inside a folded tail.
  text_.openTailAt(found->at.line, text_.display(found->at.line).toDisplay(found->at.column));
  goTo({found->at.line, found->at.column + found->length});
  anchor_ = found->at;
  showCaret();
  viewport()->update();
}

void TextView::measure() { metrics_ = measureText(font(), text_.lines().count()); }

void TextView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  painter.setFont(font());
  const auto [from, to] = selection();
  const TextScene scene{
      .text = text_,
      .additions = additions_,
      .metrics = metrics_,
      .matches = search_->matches(),
      .currentMatch = search_->current(),
      .from = from,
      .to = to,
      .caret = hasFocus() ? std::optional(caret_) : std::nullopt,
      .currentLine = caret_.line,
      .word = additions_.highlighted.isEmpty() ? caretWord_ : additions_.highlighted,
      .firstRow = firstRow(),
      .firstColumn = horizontalScrollBar()->value(),
      .wrappedColumns = wrapped_ ? std::optional(columnsInSight()) : std::nullopt,
      .size = viewport()->size(),
  };
  TextPainter(painter, themeOf(*this), scene).paint();
}

}  // namespace hilo
