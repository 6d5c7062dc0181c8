// A text placed in a window: which row, line and column lies under a point. Points are pixels of the window,
// columns those of lines as drawn. A value without widgets, good until the text or the window changes.
#pragma once

#include <optional>

#include <QFont>
#include <QPoint>
#include <QSize>

#include "ui/widgets/shown_text.h"

namespace hilo {

// Pixels of a cell, a row and the gutter.
struct TextMetrics {
  static constexpr int kMarkWidth = 4, kFoldWidth = 14;  // of the gutter, at its left and right
  double cellWidth = 8;
  int rowHeight = 16;
  int ascent = 12;
  double gutterWidth = 40;
  double textLeft() const { return gutterWidth + 6; }
};
TextMetrics measureText(const QFont& font, uint32_t lines);

struct PlacedText {
  const ShownText& text;
  TextMetrics metrics;
  int firstRow = 0, firstColumn = 0;
  QSize size;  // of the window

  int rowsInSight() const;
  int columnsInSight() const;
  double columnAt(int x) const;
  // The last row below it, the first one above.
  int rowAt(int y) const;
  // Null below the last row, and where there is no line of the text.
  std::optional<TextRow> lineRowAt(int y) const;
  // The row of a gap under a point, or null.
  std::optional<int> gapAt(int y) const;
  // In the gutter beside a line that opens a region, or on the dots behind it when that is folded: the line.
  std::optional<uint32_t> foldAt(QPoint place) const;
  // The nearest place in the text; null where neither the row nor any above it is a line.
  std::optional<TextPosition> positionAt(QPoint place) const;
  // The name under a point without its leading '%', or "".
  QString nameAt(QPoint place) const;
};

}  // namespace hilo
