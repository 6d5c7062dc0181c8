#include "ui/views/tiles/tile_picture_layout.h"

#include <algorithm>
#include <cmath>

namespace hilo {
namespace {

constexpr double kMargin = 10;      // room for what a tile has outside of its array
constexpr double kThinnest = 14;    // of an array with few rows or columns
constexpr double kMostRatio = 6;    // of the sides
constexpr double kNarrow = 520;     // below it the others stand under the first
constexpr double kSmallCard = 130;  // least width of a card

struct Extent {
  double rows = 1, columns = 1;
};

struct Drawn {
  const RegionDimension *rows = nullptr, *columns = nullptr;
};

Drawn drawn(const TileRegion& region) {
  const DrawnDimensions which = drawnDimensions(region);
  return {which.rows ? &region.dimensions[*which.rows] : nullptr,
          which.columns ? &region.dimensions[*which.columns] : nullptr};
}

double sizeOf(const RegionDimension* d) {
  return d == nullptr ? 1 : static_cast<double>(std::max<int64_t>(1, d->size));
}

Extent extentOf(const TileRegion& region) {
  const Drawn of = drawn(region);
  return {sizeOf(of.rows), sizeOf(of.columns)};
}

// As large as fits, with the array's own ratio of sides within bounds.
QRectF arrayIn(const QRectF& card, Extent extent, double titleHeight) {
  const QRectF room = card.adjusted(kMargin, titleHeight + kMargin, -kMargin, -kMargin);
  if (room.width() <= 0 || room.height() <= 0) return {room.topLeft(), QSizeF(1, 1)};
  const double ratio = std::clamp(extent.columns / extent.rows, 1 / kMostRatio, kMostRatio);
  double width = std::min(room.width(), room.height() * ratio);
  double height = width / ratio;
  if (extent.rows == 1) height = std::min(room.height(), kThinnest);
  if (extent.columns == 1) width = std::min(room.width(), kThinnest);
  return {room.topLeft(), QSizeF(width, height)};
}

// Columns of the grid whose cards come nearest to squares.
int columnsFor(size_t count, const QRectF& area) {
  int best = 1;
  double bestSide = 0;
  for (int columns = 1; columns <= static_cast<int>(count); ++columns) {
    const int rows = (static_cast<int>(count) + columns - 1) / columns;
    const double side = std::min(area.width() / columns, area.height() / rows);
    if (area.width() / columns < kSmallCard && columns > 1) break;
    if (side > bestSide) {
      best = columns;
      bestSide = side;
    }
  }
  return best;
}

struct Span {
  double from = 0, to = 1;
};

// A tile of the whole dimension of one element looks like the array.
Span spanIn(const RegionDimension* d, int64_t low, int64_t high) {
  if (d == nullptr || d->size < 1) return {};
  const auto size = static_cast<double>(d->size);
  return {static_cast<double>(low) / size, static_cast<double>(high + 1) / size};
}

QRectF within(const QRectF& array, Span rows, Span columns) {
  return {QPointF(array.left() + columns.from * array.width(), array.top() + rows.from * array.height()),
          QPointF(array.left() + columns.to * array.width(), array.top() + rows.to * array.height())};
}

int64_t indexAt(const RegionDimension* d, double share) {
  if (d == nullptr || d->size < 1) return 0;
  return std::clamp<int64_t>(static_cast<int64_t>(std::floor(share * static_cast<double>(d->size))), 0,
                             d->size - 1);
}

bool hasSeveral(const RegionDimension& d) { return d.count > 1 || d.sweptLow < d.sweptHigh; }

// There are elements that the tile has not.
bool movesIn(const RegionDimension& d) { return d.sweptLow > 0 || d.sweptHigh < d.size - 1; }

}  // namespace

DrawnDimensions drawnDimensions(const TileRegion& region) {
  std::vector<size_t> order;
  for (size_t d = region.dimensions.size(); d-- > 0;) order.push_back(d);
  const auto of = [&](size_t d) -> const RegionDimension& { return region.dimensions[d]; };
  const bool canMove =
      std::ranges::any_of(order, [&](size_t d) { return hasSeveral(of(d)) && movesIn(of(d)); });
  std::ranges::stable_sort(order, {}, [&](size_t d) {
    if (movesIn(of(d)) && (hasSeveral(of(d)) || !canMove)) return 0;
    return hasSeveral(of(d)) ? 1 : 2;
  });
  if (order.empty()) return {};
  if (order.size() == 1) return {.rows = std::nullopt, .columns = order[0]};
  return {.rows = std::min(order[0], order[1]), .columns = std::max(order[0], order[1])};
}

std::vector<ArrayPlace> placeArrays(const std::vector<TileRegion>& arrays, QSizeF area, double titleHeight) {
  std::vector<ArrayPlace> places;
  if (arrays.empty()) return places;
  const bool isNarrow = area.width() < kNarrow;
  const size_t others = arrays.size() - 1;
  const double share = others == 0 ? 1 : 0.45;
  const QRectF first(0, 0, isNarrow ? area.width() : area.width() * share,
                     isNarrow ? area.height() * share : area.height());
  const QRectF rest = isNarrow ? QRectF(0, first.bottom(), area.width(), area.height() - first.height())
                               : QRectF(first.right(), 0, area.width() - first.width(), area.height());
  places.push_back({first, arrayIn(first, extentOf(arrays[0]), titleHeight)});
  if (others == 0) return places;
  const int columns = columnsFor(others, rest);
  const int rows = (static_cast<int>(others) + columns - 1) / columns;
  const double width = rest.width() / columns, height = rest.height() / rows;
  for (size_t i = 0; i < others; ++i) {
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    const QRectF card(rest.left() + column * width, rest.top() + row * height, width, height);
    places.push_back({card, arrayIn(card, extentOf(arrays[i + 1]), titleHeight)});
  }
  return places;
}

QRectF tileRect(const TileRegion& region, const QRectF& array) {
  const auto [rows, columns] = drawn(region);
  return within(array, rows == nullptr ? Span() : spanIn(rows, rows->low(), rows->high()),
                columns == nullptr ? Span() : spanIn(columns, columns->low(), columns->high()));
}

QRectF sweptRect(const TileRegion& region, const QRectF& array) {
  const auto [rows, columns] = drawn(region);
  return within(array, rows == nullptr ? Span() : spanIn(rows, rows->sweptLow, rows->sweptHigh),
                columns == nullptr ? Span() : spanIn(columns, columns->sweptLow, columns->sweptHigh));
}

ElementAt elementAt(const TileRegion& region, const QRectF& array, QPointF point) {
  const auto [rows, columns] = drawn(region);
  return {indexAt(rows, (point.y() - array.top()) / array.height()),
          indexAt(columns, (point.x() - array.left()) / array.width())};
}

}  // namespace hilo
