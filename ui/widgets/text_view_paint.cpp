// What a TextView looks like. Every function here touches only the rows in sight.
#include <algorithm>
#include <cmath>

#include <QPainter>
#include <QScrollBar>

#include "ui/style/metrics.h"
#include "ui/widgets/text_view.h"

namespace hilo {
namespace {

constexpr int kMarkWidth = 4;
constexpr int kFoldWidth = 14;

}  // namespace

void TextView::measure() {
  const QFontMetricsF metrics(font());
  cellWidth_ = metrics.horizontalAdvance(u'0');
  rowHeight_ = static_cast<int>(std::ceil(metrics.height())) + 2;
  ascent_ = static_cast<int>(std::ceil(metrics.ascent())) + 1;
  const auto digits = static_cast<int>(QString::number(lines_->count()).size());
  gutterWidth_ = kMarkWidth + 6 + std::max(digits, 3) * cellWidth_ + kFoldWidth;
}

double TextView::columnX(uint32_t displayColumn) const {
  return textLeft() + (static_cast<double>(displayColumn) - horizontalScrollBar()->value()) * cellWidth_;
}

void TextView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = themeOf(*this);
  painter.fillRect(viewport()->rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(font());
  const int first = firstRow();
  const int last = std::min(static_cast<int>(rows_.count()), first + rowsInSight() + 1);
  painter.setClipRect(QRectF(gutterWidth_, 0, viewport()->width() - gutterWidth_, viewport()->height()));
  for (int row = first; row < last; ++row) paintRow(painter, row, (row - first) * rowHeight_);
  painter.setClipping(false);
  painter.fillRect(QRectF(0, 0, gutterWidth_, viewport()->height()),
                   theme.colour(ColourRole::kSurfaceRaised));
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.drawLine(QPointF(gutterWidth_, 0), QPointF(gutterWidth_, viewport()->height()));
  for (int row = first; row < last; ++row) {
    paintGutter(painter, rows_.row(static_cast<uint32_t>(row)), (row - first) * rowHeight_);
  }
}

void TextView::paintRow(QPainter& painter, int index, double y) {
  const TextRow row = rows_.row(static_cast<uint32_t>(index));
  const Theme& theme = themeOf(*this);
  const QRectF band(gutterWidth_, y, viewport()->width() - gutterWidth_, rowHeight_);
  if (row.kind == TextRow::Kind::kFiller) {
    painter.fillRect(band, theme.colour(ColourRole::kWindow));
    painter.fillRect(band, QBrush(theme.colour(ColourRole::kBorder), Qt::BDiagPattern));
    return;
  }
  if (row.kind == TextRow::Kind::kGap) return paintGap(painter, row, y);
  const DisplayLine& shown = display(row.line);
  paintBackgrounds(painter, row.line, shown, y);
  paintText(painter, shown, y);
  if (rows_.isFolded(row.line)) {
    const QRectF dots(columnX(static_cast<uint32_t>(shown.text.size())) + cellWidth_, y + 2, 3 * cellWidth_,
                      rowHeight_ - 4);
    painter.setPen(theme.colour(ColourRole::kBorder));
    painter.setBrush(theme.colour(ColourRole::kHover));
    painter.drawRoundedRect(dots, 3, 3);
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(dots, Qt::AlignCenter, QStringLiteral("…"));
  }
  paintGhost(painter, row.line, shown, y);
  if (hasFocus() && row.line == caret_.line) {
    const double x = columnX(shown.toDisplay(caret_.column));
    painter.fillRect(QRectF(x - 0.5, y + 1, 1.5, rowHeight_ - 2), theme.colour(ColourRole::kAccent));
  }
}

// Behind the text where there is room; else at the right edge, over the text, which goes on below it. Where
// that would leave little of the text there is none.
void TextView::paintGhost(QPainter& painter, uint32_t line, const DisplayLine& shown, double y) {
  const QString ghost = ghosts_ ? ghosts_(line) : QString();
  if (ghost.isEmpty()) return;
  constexpr int kCellsBetween = 3, kFoldCells = 5;
  const Theme& theme = themeOf(*this);
  const double width = static_cast<double>(ghost.size() + 1) * cellWidth_;
  const auto end =
      static_cast<uint32_t>(shown.text.size()) + kCellsBetween + (rows_.isFolded(line) ? kFoldCells : 0);
  const double edge = std::max(viewport()->width() - width, gutterWidth_);
  double x = columnX(end);
  if (x > edge) {
    constexpr int kLeastCells = 40;
    if (edge - gutterWidth_ < kLeastCells * cellWidth_) return;
    x = edge;
    painter.fillRect(QRectF(x - cellWidth_, y, viewport()->width() - x + cellWidth_, rowHeight_),
                     theme.colour(groundOf(line)));
  }
  painter.setPen(theme.colour(ColourRole::kTextFaint));
  painter.drawText(QPointF(x, y + ascent_), ghost);
}

void TextView::paintGap(QPainter& painter, const TextRow& row, double y) {
  const Theme& theme = themeOf(*this);
  const QRectF band(gutterWidth_, y, viewport()->width() - gutterWidth_, rowHeight_);
  painter.fillRect(band, theme.colour(ColourRole::kHover));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const QString text = row.line == 1 ? QStringLiteral("… 1 unchanged line")
                                     : QStringLiteral("… %1 unchanged lines").arg(row.line);
  painter.drawText(band.adjusted(6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void TextView::fillColumns(QPainter& painter, const DisplayLine& shown, uint32_t from, uint32_t to, double y,
                           ColourRole role) {
  const double left = columnX(shown.toDisplay(from));
  const double right = columnX(shown.toDisplay(to));
  painter.fillRect(QRectF(left, y, std::max(right - left, 2.0), rowHeight_), themeOf(*this).colour(role));
}

ColourRole TextView::groundOf(uint32_t line) const {
  const ColourRole said = decorator_ ? decorator_(line).background : ColourRole::kCount;
  if (said != ColourRole::kCount) return said;
  return line == caret_.line ? ColourRole::kCurrentLine : ColourRole::kSurface;
}

void TextView::paintBackgrounds(QPainter& painter, uint32_t line, const DisplayLine& shown, double y) {
  const Theme& theme = themeOf(*this);
  const QRectF band(gutterWidth_, y, viewport()->width() - gutterWidth_, rowHeight_);
  const LineDecoration decoration = decorator_ ? decorator_(line) : LineDecoration();
  painter.fillRect(band, theme.colour(groundOf(line)));
  if (decoration.spanBackground != ColourRole::kCount) {
    for (const auto& [start, length] : decoration.spans) {
      fillColumns(painter, shown, start, start + length, y, decoration.spanBackground);
    }
  }
  paintOccurrences(painter, shown, y);
  paintMatches(painter, line, shown, y);
  const auto [from, to] = selection();
  if (from == to || line < from.line || line > to.line) return;
  const uint32_t start = line == from.line ? shown.toDisplay(from.column) : 0;
  const auto length = static_cast<uint32_t>(shown.text.size());
  const double left = columnX(start);
  // A selected line end shows as a little more than the text.
  const double right =
      line == to.line ? columnX(shown.toDisplay(to.column)) : columnX(length) + cellWidth_ / 2;
  if (right > left)
    painter.fillRect(QRectF(left, y, right - left, rowHeight_), theme.colour(ColourRole::kSelection));
}

void TextView::paintOccurrences(QPainter& painter, const DisplayLine& shown, double y) {
  const QString& word = highlighted_.isEmpty() ? caretWord_ : highlighted_;
  if (word.size() < 2) return;
  auto partOfName = [](QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'-'; };
  for (qsizetype at = shown.text.indexOf(word); at >= 0; at = shown.text.indexOf(word, at + word.size())) {
    const qsizetype end = at + word.size();
    const bool whole = (at == 0 || !partOfName(shown.text[at - 1])) &&
                       (end == shown.text.size() || !partOfName(shown.text[end]));
    if (!whole) continue;
    const double left = columnX(static_cast<uint32_t>(at));
    painter.fillRect(QRectF(left, y + 1, static_cast<double>(word.size()) * cellWidth_, rowHeight_ - 2),
                     themeOf(*this).colour(ColourRole::kOccurrence));
  }
}

void TextView::paintMatches(QPainter& painter, uint32_t line, const DisplayLine& shown, double y) {
  if (matches_ == nullptr) return;
  const auto& items = matches_->items;
  auto at = std::partition_point(items.begin(), items.end(),
                                 [line](const TextMatch& match) { return match.at.line < line; });
  for (; at != items.end() && at->at.line == line; ++at) {
    const bool current = currentMatch_ && *currentMatch_ == static_cast<size_t>(at - items.begin());
    fillColumns(painter, shown, at->at.column, at->at.column + at->length, y,
                current ? ColourRole::kFindCurrent : ColourRole::kFindMatch);
  }
}

void TextView::paintText(QPainter& painter, const DisplayLine& shown, double y) {
  const Theme& theme = themeOf(*this);
  const auto firstColumn = static_cast<uint32_t>(horizontalScrollBar()->value());
  const auto columns = static_cast<uint32_t>(viewport()->width() / cellWidth_) + 2;
  const uint32_t lastColumn = std::min(firstColumn + columns, static_cast<uint32_t>(shown.text.size()));
  auto draw = [&](uint32_t from, uint32_t to, ColourRole role) {
    from = std::max(from, firstColumn);
    to = std::min(to, lastColumn);
    if (from >= to) return;
    painter.setPen(theme.colour(role));
    painter.drawText(QPointF(columnX(from), y + ascent_), shown.text.mid(from, to - from));
  };
  uint32_t at = 0;
  for (const TextSpan& span : shown.spans) {
    if (span.start >= lastColumn) break;
    draw(at, span.start, ColourRole::kText);
    draw(span.start, span.start + span.length, span.role);
    at = span.start + span.length;
  }
  draw(at, static_cast<uint32_t>(shown.text.size()), ColourRole::kText);
  for (const DisplayLine::Piece& piece : shown.pieces) {
    if (!piece.fold || piece.display >= lastColumn) continue;
    painter.setPen(theme.colour(ColourRole::kBorder));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(
        QRectF(columnX(piece.display), y + 1.5, piece.length * cellWidth_, rowHeight_ - 3), 3, 3);
  }
}

void TextView::paintGutter(QPainter& painter, const TextRow& row, double y) {
  if (row.kind != TextRow::Kind::kLine) return;
  const Theme& theme = themeOf(*this);
  if (const LineMark* mark = markAt(row.line)) {
    painter.fillRect(QRectF(0, y, kMarkWidth, rowHeight_), theme.colour(mark->role));
  }
  const bool current = row.line == caret_.line;
  painter.setPen(theme.colour(current ? ColourRole::kText : ColourRole::kTextFaint));
  painter.drawText(QRectF(kMarkWidth, y, gutterWidth_ - kMarkWidth - kFoldWidth, rowHeight_),
                   Qt::AlignRight | Qt::AlignVCenter, QString::number(row.line + 1));
  if (rows_.regionAt(row.line) == nullptr) return;
  const double x = gutterWidth_ - kFoldWidth + 4, middle = y + rowHeight_ / 2.0;
  const bool folded = rows_.isFolded(row.line);
  const QPointF closed[3] = {{x + 1, middle - 4}, {x + 6, middle}, {x + 1, middle + 4}};
  const QPointF open[3] = {{x - 1, middle - 2}, {x + 7, middle - 2}, {x + 3, middle + 3}};
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.colour(ColourRole::kTextDim));
  painter.drawConvexPolygon(folded ? closed : open, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace hilo
