#include "ui/widgets/text_painter.h"

#include <algorithm>

#include <QPainter>

namespace hilo {
namespace {

constexpr int kMarkWidth = TextMetrics::kMarkWidth, kFoldWidth = TextMetrics::kFoldWidth;

}  // namespace

double TextPainter::columnX(uint32_t displayColumn) const {
  const double first = static_cast<double>(rowStart_) + placed_.firstColumn;
  return metrics_.textLeft() + (static_cast<double>(displayColumn) - first) * metrics_.cellWidth;
}

QRectF TextPainter::bandAt(double y) const {
  return QRectF(metrics_.gutterWidth, y, placed_.size.width() - metrics_.gutterWidth, metrics_.rowHeight);
}

void TextPainter::paint() {
  const double gutter = metrics_.gutterWidth;
  const int width = placed_.size.width(), height = placed_.size.height();
  const TextRows& rows = placed_.text.rows();
  painter_.fillRect(QRect({0, 0}, placed_.size), theme_.colour(ColourRole::kSurface));
  const int first = placed_.firstRow;
  const int last = std::min(static_cast<int>(rows.count()), first + placed_.rowsInSight() + 1);
  painter_.setClipRect(QRectF(gutter, 0, width - gutter, height));
  for (int row = first; row < last; ++row)
    paintRow(rows.row(static_cast<uint32_t>(row)), (row - first) * metrics_.rowHeight);
  painter_.setClipping(false);
  painter_.fillRect(QRectF(0, 0, gutter, height), theme_.colour(ColourRole::kSurfaceRaised));
  painter_.setPen(theme_.colour(ColourRole::kBorder));
  painter_.drawLine(QPointF(gutter, 0), QPointF(gutter, height));
  for (int row = first; row < last; ++row)
    paintGutter(rows.row(static_cast<uint32_t>(row)), (row - first) * metrics_.rowHeight);
}

void TextPainter::paintRow(const TextRow& row, double y) {
  if (row.kind == TextRow::Kind::kLine) return paintLine(row, y);
  if (row.kind == TextRow::Kind::kGap) return paintGap(row, y);
  painter_.fillRect(bandAt(y), theme_.colour(ColourRole::kWindow));
  painter_.fillRect(bandAt(y), QBrush(theme_.colour(ColourRole::kBorder), Qt::BDiagPattern));
}

void TextPainter::paintLine(const TextRow& row, double y) {
  const uint32_t line = row.line;
  rowStart_ = row.column;
  const DisplayLine& shown = placed_.text.display(line);
  paintBackgrounds(line, shown, y);
  paintText(shown, y);
  if (placed_.text.rows().isFolded(line)) {
    const QRectF dots(columnX(static_cast<uint32_t>(shown.text.size())) + metrics_.cellWidth, y + 2,
                      3 * metrics_.cellWidth, metrics_.rowHeight - 4);
    painter_.setPen(theme_.colour(ColourRole::kBorder));
    painter_.setBrush(theme_.colour(ColourRole::kHover));
    painter_.drawRoundedRect(dots, 3, 3);
    painter_.setPen(theme_.colour(ColourRole::kTextDim));
    painter_.drawText(dots, Qt::AlignCenter, QStringLiteral("…"));
  }
  if (!scene_.wrapped) paintGhost(line, shown, y);
  const bool hasCaret =
      scene_.caret && line == scene_.caret->line && shown.toDisplay(scene_.caret->column) >= row.column;
  if (hasCaret) {
    const double x = columnX(shown.toDisplay(scene_.caret->column));
    painter_.fillRect(QRectF(x - 0.5, y + 1, 1.5, metrics_.rowHeight - 2),
                      theme_.colour(ColourRole::kAccent));
  }
}

// Behind the text where there is room; else at the right edge, over the text, which goes on below it. Where
// that would leave little of the text there is none.
void TextPainter::paintGhost(uint32_t line, const DisplayLine& shown, double y) {
  const QString ghost = scene_.additions.ghostOf(line);
  if (ghost.isEmpty()) return;
  constexpr int kCellsBetween = 3, kFoldCells = 5;
  const double width = static_cast<double>(ghost.size() + 1) * metrics_.cellWidth;
  const auto end = static_cast<uint32_t>(shown.text.size()) + kCellsBetween +
                   (placed_.text.rows().isFolded(line) ? kFoldCells : 0);
  const double edge = std::max(placed_.size.width() - width, metrics_.gutterWidth);
  double x = columnX(end);
  if (x > edge) {
    constexpr int kLeastCells = 40;
    if (edge - metrics_.gutterWidth < kLeastCells * metrics_.cellWidth) return;
    x = edge;
    painter_.fillRect(
        QRectF(x - metrics_.cellWidth, y, placed_.size.width() - x + metrics_.cellWidth, metrics_.rowHeight),
        theme_.colour(groundOf(line)));
  }
  painter_.setPen(theme_.colour(ColourRole::kTextFaint));
  painter_.drawText(QPointF(x, y + metrics_.ascent), ghost);
}

void TextPainter::paintGap(const TextRow& row, double y) {
  const QRectF band = bandAt(y);
  painter_.fillRect(band, theme_.colour(ColourRole::kHover));
  painter_.setPen(theme_.colour(ColourRole::kTextDim));
  const QString text = row.line == 1 ? QStringLiteral("… 1 unchanged line")
                                     : QStringLiteral("… %1 unchanged lines").arg(row.line);
  painter_.drawText(band.adjusted(6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
}

void TextPainter::fillColumns(const DisplayLine& shown, uint32_t from, uint32_t to, double y,
                              ColourRole role) {
  const double left = columnX(shown.toDisplay(from));
  const double right = columnX(shown.toDisplay(to));
  painter_.fillRect(QRectF(left, y, std::max(right - left, 2.0), metrics_.rowHeight), theme_.colour(role));
}

ColourRole TextPainter::groundOf(uint32_t line) const {
  const ColourRole said = scene_.additions.decorationOf(line).background;
  if (said != ColourRole::kCount) return said;
  return line == scene_.currentLine ? ColourRole::kCurrentLine : ColourRole::kSurface;
}

void TextPainter::paintBackgrounds(uint32_t line, const DisplayLine& shown, double y) {
  const QRectF band = bandAt(y);
  const LineDecoration decoration = scene_.additions.decorationOf(line);
  painter_.fillRect(band, theme_.colour(groundOf(line)));
  if (decoration.band && decoration.background == ColourRole::kCount)
    painter_.fillRect(band, bandColour(*decoration.band, theme_.dark));
  if (decoration.spanBackground != ColourRole::kCount) {
    for (const auto& [start, length] : decoration.spans) {
      fillColumns(shown, start, start + length, y, decoration.spanBackground);
    }
  }
  paintOccurrences(shown, y);
  paintMatches(line, shown, y);
  paintSelection(line, shown, y);
}

void TextPainter::paintSelection(uint32_t line, const DisplayLine& shown, double y) {
  const TextPosition from = scene_.from, to = scene_.to;
  if (from == to || line < from.line || line > to.line) return;
  const uint32_t start = line == from.line ? shown.toDisplay(from.column) : 0;
  const auto length = static_cast<uint32_t>(shown.text.size());
  const double left = columnX(start);
  // A selected line end shows as a little more than the text.
  const double right =
      line == to.line ? columnX(shown.toDisplay(to.column)) : columnX(length) + metrics_.cellWidth / 2;
  if (right > left)
    painter_.fillRect(QRectF(left, y, right - left, metrics_.rowHeight),
                      theme_.colour(ColourRole::kSelection));
}

void TextPainter::paintOccurrences(const DisplayLine& shown, double y) {
  const QString& word = scene_.word;
  if (word.size() < 2) return;
  auto partOfName = [](QChar c) { return c.isLetterOrNumber() || c == u'_' || c == u'.' || c == u'-'; };
  for (qsizetype at = shown.text.indexOf(word); at >= 0; at = shown.text.indexOf(word, at + word.size())) {
    const qsizetype end = at + word.size();
    const bool whole = (at == 0 || !partOfName(shown.text[at - 1])) &&
                       (end == shown.text.size() || !partOfName(shown.text[end]));
    if (!whole) continue;
    const double left = columnX(static_cast<uint32_t>(at));
    painter_.fillRect(
        QRectF(left, y + 1, static_cast<double>(word.size()) * metrics_.cellWidth, metrics_.rowHeight - 2),
        theme_.colour(ColourRole::kOccurrence));
  }
}

void TextPainter::paintMatches(uint32_t line, const DisplayLine& shown, double y) {
  if (scene_.matches == nullptr) return;
  const auto& items = scene_.matches->items;
  auto at = std::partition_point(items.begin(), items.end(),
                                 [line](const TextMatch& match) { return match.at.line < line; });
  for (; at != items.end() && at->at.line == line; ++at) {
    const bool current =
        scene_.currentMatch && *scene_.currentMatch == static_cast<size_t>(at - items.begin());
    fillColumns(shown, at->at.column, at->at.column + at->length, y,
                current ? ColourRole::kFindCurrent : ColourRole::kFindMatch);
  }
}

void TextPainter::paintText(const DisplayLine& shown, double y) {
  const uint32_t firstColumn = rowStart_ + static_cast<uint32_t>(placed_.firstColumn);
  const auto inSight = static_cast<int>(placed_.size.width() / metrics_.cellWidth) + 2;
  const auto columns = static_cast<uint32_t>(scene_.wrapped ? placed_.columnsInSight() : inSight);
  const uint32_t lastColumn = std::min(firstColumn + columns, static_cast<uint32_t>(shown.text.size()));
  auto draw = [&](uint32_t from, uint32_t to, ColourRole role) {
    from = std::max(from, firstColumn);
    to = std::min(to, lastColumn);
    if (from >= to) return;
    painter_.setPen(theme_.colour(role));
    painter_.drawText(QPointF(columnX(from), y + metrics_.ascent), shown.text.mid(from, to - from));
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
    painter_.setPen(theme_.colour(ColourRole::kBorder));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRoundedRect(
        QRectF(columnX(piece.display), y + 1.5, piece.length * metrics_.cellWidth, metrics_.rowHeight - 3), 3,
        3);
  }
}

void TextPainter::paintGutter(const TextRow& row, double y) {
  if (row.kind != TextRow::Kind::kLine) return;
  if (const LineMark* mark = scene_.additions.markAt(row.line)) {
    painter_.fillRect(QRectF(0, y, kMarkWidth, metrics_.rowHeight), theme_.colour(mark->role));
  }
  const bool current = row.line == scene_.currentLine;
  painter_.setPen(theme_.colour(current ? ColourRole::kText : ColourRole::kTextFaint));
  const QRectF number(kMarkWidth, y, metrics_.gutterWidth - kMarkWidth - kFoldWidth, metrics_.rowHeight);
  if (row.column == 0)
    painter_.drawText(number, Qt::AlignRight | Qt::AlignVCenter, QString::number(row.line + 1));
  if (placed_.text.rows().regionAt(row.line) == nullptr) return;
  paintFoldMark(placed_.text.rows().isFolded(row.line), y);
}

void TextPainter::paintFoldMark(bool folded, double y) {
  const double x = metrics_.gutterWidth - kFoldWidth + 4, middle = y + metrics_.rowHeight / 2.0;
  const QPointF closed[3] = {{x + 1, middle - 4}, {x + 6, middle}, {x + 1, middle + 4}};
  const QPointF open[3] = {{x - 1, middle - 2}, {x + 7, middle - 2}, {x + 3, middle + 3}};
  painter_.setRenderHint(QPainter::Antialiasing);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(theme_.colour(ColourRole::kTextDim));
  painter_.drawConvexPolygon(folded ? closed : open, 3);
  painter_.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace hilo
