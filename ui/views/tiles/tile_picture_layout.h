// Where the arrays of a tile's picture stand, and in each of them the tile. Pure.
#pragma once

#include <QRectF>
#include <optional>

#include "core/analysis/tiling/tile_region.h"

namespace hilo {

// Which dimensions are drawn, rows down and columns across: of more than two those along which the tile can
// move, those with several elements in it before others; the last first. nullopt: there are not so many.
struct DrawnDimensions {
  std::optional<size_t> rows, columns;
};
DrawnDimensions drawnDimensions(const TileRegion& region);

// An array as a rectangle.
struct ArrayPlace {
  QRectF card;   // with title and room around
  QRectF array;  // of all its elements
};

// The first array large at the left, the others in a grid right of it, or below where it is narrow.
std::vector<ArrayPlace> placeArrays(const std::vector<TileRegion>& arrays, QSizeF area, double titleHeight);

// The elements of the tile, and what is swept by the steps of what is folded, in the array's rectangle; what
// lies outside of the array lies outside of it.
QRectF tileRect(const TileRegion& region, const QRectF& array);
QRectF sweptRect(const TileRegion& region, const QRectF& array);

// The element at a point of the array, in the dimensions that are drawn; clamped into the array.
struct ElementAt {
  int64_t row = 0, column = 0;
};
ElementAt elementAt(const TileRegion& region, const QRectF& array, QPointF point);

}  // namespace hilo
