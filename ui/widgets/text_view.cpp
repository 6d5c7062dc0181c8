#include "ui/widgets/text_view.h"

#include <algorithm>

#include <QScrollBar>

#include "core/base/check.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr size_t kDisplayCacheLines = 600;
constexpr qsizetype kMaxCopyBytes = 256 << 20;

}  // namespace

TextView::TextView(QWidget* parent)
    : QAbstractScrollArea(parent),
      lines_(std::make_shared<const TextLines>()),
      lexer_(lexHloLine),
      fontPx_(kCodeFontPx) {
  setFont(codeFont(fontPx_));
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setCursor(Qt::IBeamCursor);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  resetRows();
  measure();
}

TextContent::TextContent(std::shared_ptr<const std::string> text)
    : lines(std::make_shared<const TextLines>(std::move(text))), regions(findFoldRegions(*lines)) {}

void TextView::setText(std::shared_ptr<const std::string> text) { setContent(TextContent(std::move(text))); }

void TextView::setContent(TextContent content) {
  lines_ = std::move(content.lines);
  regions_ = std::move(content.regions);
  marks_.clear();
  matches_ = nullptr;
  currentMatch_.reset();
  openTails_.clear();
  caret_ = anchor_ = {};
  caretWord_.clear();
  explicitRows_ = false;
  forgetDisplay();
  resetRows();
  measure();
  updateScrollBars();
  verticalScrollBar()->setValue(0);
  horizontalScrollBar()->setValue(0);
  viewport()->update();
  if (!query_.text.isEmpty()) findAgain();
}

void TextView::setLexer(LineLexer lexer) {
  lexer_ = std::move(lexer);
  forgetDisplay();
  viewport()->update();
}

void TextView::setMarks(std::vector<LineMark> marks) {
  marks_ = std::move(marks);
  std::sort(marks_.begin(), marks_.end(),
            [](const LineMark& a, const LineMark& b) { return a.line < b.line; });
  viewport()->update();
}

const LineMark* TextView::markAt(uint32_t line) const {
  const auto at = std::partition_point(marks_.begin(), marks_.end(),
                                       [line](const LineMark& mark) { return mark.line < line; });
  return at != marks_.end() && at->line == line ? &*at : nullptr;
}

void TextView::setDecorator(std::function<LineDecoration(uint32_t line)> decorator) {
  decorator_ = std::move(decorator);
  viewport()->update();
}

void TextView::refresh() { viewport()->update(); }

void TextView::setGhosts(std::function<QString(uint32_t line)> ghosts) {
  ghosts_ = std::move(ghosts);
  viewport()->update();
}

void TextView::resetRows() {
  if (explicitRows_) return;
  rows_ = TextRows(lines_->count(), foldable_ ? regions_ : std::vector<FoldRegion>());
  if (!foldTables_) return;
  rows_.setFoldedWhere([this](const FoldRegion& region) { return isTableHead(lines_->line(region.first)); });
}

void TextView::setTablesFolded(bool folded) {
  foldTables_ = folded;
  resetRows();
  updateScrollBars();
  viewport()->update();
}

void TextView::setFoldable(bool foldable) {
  foldable_ = foldable;
  resetRows();
  updateScrollBars();
  viewport()->update();
}

void TextView::setAllFolded(bool folded) {
  rows_.setAllFolded(folded);
  updateScrollBars();
  viewport()->update();
}

void TextView::setRows(std::vector<TextRow> rows) {
  explicitRows_ = true;
  rows_ = TextRows(std::move(rows));
  updateScrollBars();
  viewport()->update();
}

void TextView::setTailsFolded(bool folded) {
  foldTails_ = folded;
  openTails_.clear();
  forgetDisplay();
  updateScrollBars();
  viewport()->update();
}

const DisplayLine& TextView::display(uint32_t line) const {
  auto found = displayed_.find(line);
  if (found != displayed_.end()) return *found->second;
  if (displayed_.size() >= kDisplayCacheLines) displayed_.clear();
  const bool fold = foldTails_ && !openTails_.contains(line);
  auto made = std::make_unique<DisplayLine>(makeDisplayLine(lines_->lineText(line), fold, lexer_));
  return *(displayed_[line] = std::move(made));
}

void TextView::forgetDisplay() { displayed_.clear(); }

void TextView::updateScrollBars() {
  const int inSight = rowsInSight();
  verticalScrollBar()->setPageStep(inSight);
  verticalScrollBar()->setRange(0, std::max(0, static_cast<int>(rows_.count()) - inSight + 1));
  // As wide as the widest line in sight, and never less than where the view is.
  uint32_t widest = 0;
  const int last = std::min(static_cast<int>(rows_.count()), firstRow() + inSight + 1);
  for (int row = firstRow(); row < last; ++row) {
    const TextRow shown = rows_.row(static_cast<uint32_t>(row));
    if (shown.kind != TextRow::Kind::kLine) continue;
    widest = std::max(widest, static_cast<uint32_t>(display(shown.line).text.size()));
  }
  const int columns = std::max(1, static_cast<int>((viewport()->width() - textLeft()) / cellWidth_));
  horizontalScrollBar()->setPageStep(columns);
  horizontalScrollBar()->setRange(
      0, std::max(horizontalScrollBar()->value(), static_cast<int>(widest) + 4 - columns));
}

int TextView::firstRow() const { return verticalScrollBar()->value(); }

void TextView::setFirstRow(int row) { verticalScrollBar()->setValue(row); }

int TextView::rowsInSight() const { return std::max(1, viewport()->height() / rowHeight_); }

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
  place.line = std::min(place.line, lines_->count() - 1);
  if (!explicitRows_ && rows_.reveal(place.line)) updateScrollBars();
  setCaret(place, false);
  const int row = static_cast<int>(rows_.rowOfLine(place.line));
  const bool inSight = row >= firstRow() && row < firstRow() + rowsInSight();
  if (!inSight) verticalScrollBar()->setValue(row - rowsInSight() / 3);
  showCaret();
}

void TextView::setCaret(TextPosition place, bool keepAnchor) {
  place.line = std::min(place.line, lines_->count() - 1);
  const bool moved = place != caret_;
  caret_ = place;
  if (!keepAnchor) anchor_ = place;
  caretWord_ = wordAt(caret_);
  viewport()->update();
  if (moved) Q_EMIT cursorMoved(static_cast<int>(caret_.line), static_cast<int>(caret_.column));
}

void TextView::showCaret() {
  const int row = static_cast<int>(rows_.rowOfLine(caret_.line));
  if (row < firstRow()) verticalScrollBar()->setValue(row);
  if (row >= firstRow() + rowsInSight()) verticalScrollBar()->setValue(row - rowsInSight() + 1);
  updateScrollBars();
  const int column = static_cast<int>(display(caret_.line).toDisplay(caret_.column));
  QScrollBar* bar = horizontalScrollBar();
  const int columns = bar->pageStep();
  if (column < bar->value()) bar->setValue(std::max(0, column - 8));
  if (column >= bar->value() + columns) {
    bar->setRange(0, std::max(bar->maximum(), column - columns + 8));
    bar->setValue(column - columns + 8);
  }
}

QString TextView::wordAt(TextPosition place) const {
  const DisplayLine& shown = display(place.line);
  const uint32_t column = shown.toDisplay(place.column);
  for (const TextSpan& span : shown.spans) {
    if (span.role != ColourRole::kSyntaxName || column < span.start || column > span.start + span.length)
      continue;
    const QString word = shown.text.mid(span.start, span.length);
    return word.startsWith(u'%') ? word.mid(1) : word;
  }
  return {};
}

QString TextView::selectedText() const {
  const auto [from, to] = selection();
  if (from == to) return {};
  if (from.line == to.line) return lines_->lineText(from.line).mid(from.column, to.column - from.column);
  QString text = lines_->lineText(from.line).mid(from.column);
  for (uint32_t line = from.line + 1; line < to.line && text.size() < kMaxCopyBytes; ++line) {
    text += u'\n' + lines_->lineText(line);
  }
  return text + u'\n' + lines_->lineText(to.line).left(to.column);
}

void TextView::selectAll() {
  const uint32_t last = lines_->count() - 1;
  anchor_ = {};
  caret_ = {last, static_cast<uint32_t>(lines_->lineText(last).size())};
  viewport()->update();
}

void TextView::setHighlightedWord(const QString& word) {
  highlighted_ = word;
  viewport()->update();
}

void TextView::find(const FindQuery& query) {
  query_ = query;
  findAgain();
}

// A newer search stops the older one.
void TextView::findAgain() {
  CHECK(jobs_ != nullptr, "setJobs comes before find");
  if (query_.text.isEmpty()) {
    jobs_->cancelTag(findTag_);
    return showMatches(TextMatches());
  }
  jobs_->submit(
      findTag_, "Find " + query_.text.toStdString(),
      [lines = lines_, query = query_](JobContext& job) { return findAll(*lines, query, job.cancel()); },
      [this](Result<TextMatches> matches) { showMatches(std::move(matches)); }, &scope_, JobLane::Prompt);
}

void TextView::showMatches(Result<TextMatches> matches) {
  if (!matches && matches.error().kind == "cancelled") return;
  matches_ = matches ? std::make_shared<const TextMatches>(*std::move(matches)) : nullptr;
  currentMatch_.reset();
  viewport()->update();
  if (matches_ == nullptr) return Q_EMIT findFailed(QString::fromStdString(matches.error().message));
  Q_EMIT findChanged(0, static_cast<int>(matches_->items.size()), matches_->truncated);
}

void TextView::setJobs(JobQueue& jobs) {
  static uint32_t number = 0;
  jobs_ = &jobs;
  findTag_ = fmt::format("find:{}", number++);
}

void TextView::findNext(bool backward) {
  if (matches_ == nullptr || matches_->items.empty()) return;
  const auto& items = matches_->items;
  const auto [from, to] = selection();
  size_t next;
  if (backward) {
    const auto at = std::partition_point(items.begin(), items.end(),
                                         [&](const TextMatch& match) { return match.at < from; });
    next = at == items.begin() ? items.size() - 1 : static_cast<size_t>(at - items.begin()) - 1;
  } else {
    // The match the caret stands on counts until it has been stepped to.
    const TextPosition start = currentMatch_ ? to : from;
    const auto at = std::partition_point(items.begin(), items.end(),
                                         [&](const TextMatch& match) { return match.at < start; });
    next = at == items.end() ? 0 : static_cast<size_t>(at - items.begin());
  }
  stepTo(next);
}

void TextView::stepTo(size_t match) {
  currentMatch_ = match;
  const TextMatch& found = matches_->items[match];
  if (foldTails_) {
    // What was found must be seen, also inside a folded tail.
    const DisplayLine& shown = display(found.at.line);
    if (shown.isFoldAt(shown.toDisplay(found.at.column))) {
      openTails_.insert(found.at.line);
      displayed_.erase(found.at.line);
    }
  }
  goTo({found.at.line, found.at.column + found.length});
  anchor_ = found.at;
  viewport()->update();
  Q_EMIT findChanged(static_cast<int>(match) + 1, static_cast<int>(matches_->items.size()),
                     matches_->truncated);
}

}  // namespace hilo
