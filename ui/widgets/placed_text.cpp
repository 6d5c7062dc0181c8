#include "ui/widgets/placed_text.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>

namespace hilo {

TextMetrics measureText(const QFont& font, uint32_t lines) {
  const QFontMetricsF metrics(font);
  TextMetrics found;
  found.cellWidth = metrics.horizontalAdvance(u'0');
  found.rowHeight = static_cast<int>(std::ceil(metrics.height())) + 2;
  found.ascent = static_cast<int>(std::ceil(metrics.ascent())) + 1;
  const auto digits = static_cast<int>(QString::number(lines).size());
  found.gutterWidth =
      TextMetrics::kMarkWidth + 6 + std::max(digits, 3) * found.cellWidth + TextMetrics::kFoldWidth;
  return found;
}

int PlacedText::rowsInSight() const { return std::max(1, size.height() / metrics.rowHeight); }

int PlacedText::columnsInSight() const {
  return std::max(1, static_cast<int>((size.width() - metrics.textLeft()) / metrics.cellWidth));
}

double PlacedText::columnAt(int x) const {
  return (x - metrics.textLeft()) / metrics.cellWidth + firstColumn;
}

int PlacedText::rowAt(int y) const {
  const int row = firstRow + (y < 0 ? -1 : y / metrics.rowHeight);
  return std::clamp(row, 0, std::max(0, static_cast<int>(text.rows().count()) - 1));
}

std::optional<TextRow> PlacedText::lineRowAt(int y) const {
  const bool isBelow = y / metrics.rowHeight + firstRow >= static_cast<int>(text.rows().count());
  if (text.rows().count() == 0 || isBelow) return std::nullopt;
  const TextRow row = text.rows().row(static_cast<uint32_t>(rowAt(y)));
  return row.kind == TextRow::Kind::kLine ? std::optional(row) : std::nullopt;
}

std::optional<int> PlacedText::gapAt(int y) const {
  const int row = rowAt(y);
  const bool isIn = y / metrics.rowHeight + firstRow < static_cast<int>(text.rows().count());
  if (!isIn || text.rows().row(static_cast<uint32_t>(row)).kind != TextRow::Kind::kGap) return std::nullopt;
  return row;
}

std::optional<uint32_t> PlacedText::foldAt(QPoint place) const {
  const std::optional<TextRow> row = lineRowAt(place.y());
  if (!row || text.rows().regionAt(row->line) == nullptr) return std::nullopt;
  const double column = columnAt(place.x());
  const auto length = static_cast<double>(text.display(row->line).text.size());
  const bool onDots = text.rows().isFolded(row->line) && column > length && column < length + 5;
  return place.x() < metrics.gutterWidth || onDots ? std::optional(row->line) : std::nullopt;
}

std::optional<TextPosition> PlacedText::positionAt(QPoint place) const {
  const TextRows& rows = text.rows();
  if (rows.count() == 0) return TextPosition();
  TextRow row = rows.row(static_cast<uint32_t>(rowAt(place.y())));
  // A filler or gap has no place of its own.
  for (int at = rowAt(place.y()); row.kind != TextRow::Kind::kLine && at > 0;)
    row = rows.row(static_cast<uint32_t>(--at));
  if (row.kind != TextRow::Kind::kLine) return std::nullopt;
  const DisplayLine& shown = text.display(row.line);
  const auto column = row.column + static_cast<uint32_t>(std::max(0.0, columnAt(place.x()) + 0.5));
  return TextPosition{row.line, shown.toSource(std::min(column, static_cast<uint32_t>(shown.text.size())))};
}

QString PlacedText::nameAt(QPoint place) const {
  const std::optional<TextRow> row = lineRowAt(place.y());
  if (!row || place.x() < metrics.gutterWidth) return {};
  return text.nameAt(row->line, row->column + columnAt(place.x()), /*atEnd=*/false);
}

}  // namespace hilo
