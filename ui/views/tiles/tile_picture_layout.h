// Where the arrays of a tile's picture stand, and in each of them the tile. Pure.
#pragma once

#include <QRectF>

#include "core/analysis/tiling/tile_region.h"

namespace hilo {

// An array as a rectangle: its last two dimensions, rows down and columns across.
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

// The element at a point of the array, in its last two dimensions; clamped into the array.
struct ElementAt {
  int64_t row = 0, column = 0;
};
ElementAt elementAt(const TileRegion& region, const QRectF& array, QPointF point);

}  // namespace hilo
