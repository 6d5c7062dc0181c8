#include "ui/widgets/shown_text.h"

#include <algorithm>

namespace hilo {
namespace {

constexpr size_t kDisplayCacheLines = 600;
constexpr qsizetype kMaxCopyBytes = 256 << 20;

bool isOfWord(QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'-' || c == u'%'; }

}  // namespace

TextContent::TextContent(std::shared_ptr<const std::string> text)
    : lines(std::make_shared<const TextLines>(std::move(text))), regions(findFoldRegions(*lines)) {}

ShownText::ShownText() : lines_(std::make_shared<const TextLines>()), lexer_(lexHloLine) { resetRows(); }

void ShownText::setContent(TextContent content) {
  lines_ = std::move(content.lines);
  regions_ = std::move(content.regions);
  openTails_.clear();
  explicitRows_ = false;
  displayed_.clear();
  resetRows();
  Q_EMIT replaced();
}

void ShownText::resetRows() {
  if (explicitRows_) return;
  rows_ = TextRows(lines_->count(), foldable_ ? regions_ : std::vector<FoldRegion>());
  if (!foldTables_) return;
  rows_.setFoldedWhere([this](const FoldRegion& region) { return isTableHead(lines_->line(region.first)); });
}

void ShownText::setLexer(LineLexer lexer) {
  lexer_ = std::move(lexer);
  displayed_.clear();
  Q_EMIT changed();
}

void ShownText::setFoldable(bool foldable) {
  foldable_ = foldable;
  resetRows();
  Q_EMIT changed();
}

void ShownText::setTablesFolded(bool folded) {
  foldTables_ = folded;
  resetRows();
  Q_EMIT changed();
}

void ShownText::setTailsFolded(bool folded) {
  foldTails_ = folded;
  openTails_.clear();
  displayed_.clear();
  Q_EMIT changed();
}

void ShownText::setRows(std::vector<TextRow> rows) {
  explicitRows_ = true;
  rows_ = TextRows(std::move(rows));
  Q_EMIT changed();
}

void ShownText::setAllFolded(bool folded) {
  rows_.setAllFolded(folded);
  Q_EMIT changed();
}

void ShownText::setFolded(uint32_t line, bool folded) {
  rows_.setFolded(line, folded);
  Q_EMIT changed();
}

void ShownText::reveal(uint32_t line) {
  if (!explicitRows_ && rows_.reveal(line)) Q_EMIT changed();
}

bool ShownText::openTailAt(uint32_t line, uint32_t displayColumn) {
  if (!foldTails_ || !display(line).isFoldAt(displayColumn)) return false;
  openTails_.insert(line);
  displayed_.erase(line);
  Q_EMIT changed();
  return true;
}

const DisplayLine& ShownText::display(uint32_t line) const {
  auto found = displayed_.find(line);
  if (found != displayed_.end()) return *found->second;
  if (displayed_.size() >= kDisplayCacheLines) displayed_.clear();
  const bool fold = foldTails_ && !openTails_.contains(line);
  auto made = std::make_unique<DisplayLine>(makeDisplayLine(lines_->lineText(line), fold, lexer_));
  return *(displayed_[line] = std::move(made));
}

QString ShownText::nameAt(uint32_t line, double displayColumn, bool atEnd) const {
  const DisplayLine& shown = display(line);
  for (const TextSpan& span : shown.spans) {
    const uint32_t end = span.start + span.length;
    const bool isIn = displayColumn >= span.start && (displayColumn < end || (atEnd && displayColumn <= end));
    if (span.role != ColourRole::kSyntaxName || !isIn) continue;
    const QString word = shown.text.mid(span.start, span.length);
    return word.startsWith(u'%') ? word.mid(1) : word;
  }
  return {};
}

std::pair<TextPosition, TextPosition> ShownText::wordAround(TextPosition place) const {
  const QString text = lines_->lineText(place.line);
  const auto length = static_cast<uint32_t>(text.size());
  uint32_t start = std::min(place.column, length), end = start;
  while (start > 0 && isOfWord(text[start - 1])) --start;
  while (end < length && isOfWord(text[end])) ++end;
  return {{place.line, start}, {place.line, end}};
}

QString ShownText::text(TextPosition from, TextPosition to) const {
  if (from == to) return {};
  if (from.line == to.line) return lines_->lineText(from.line).mid(from.column, to.column - from.column);
  QString text = lines_->lineText(from.line).mid(from.column);
  for (uint32_t line = from.line + 1; line < to.line && text.size() < kMaxCopyBytes; ++line) {
    text += u'\n' + lines_->lineText(line);
  }
  return text + u'\n' + lines_->lineText(to.line).left(to.column);
}

}  // namespace hilo
