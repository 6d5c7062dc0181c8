#include "ui/views/layouts/array_picture.h"

#include <fmt/format.h>

#include <algorithm>

namespace hilo {
namespace {

constexpr int kMostRows = 12, kMostColumns = 64, kMostMemoryLines = 6, kLeastCell = 34, kMostCell = 52;

// Those longer than one that lie innermost, the innermost first.
std::vector<int> innermost(const ArrayAddresses& addresses) {
  std::vector<int> dimensions;
  const PhysicalLayout& layout = addresses.layout;
  for (size_t n = layout.majorToMinor.size(); n-- > 0;) {
    if (layout.sizes[n] > 1) dimensions.push_back(static_cast<int>(layout.majorToMinor[n]));
  }
  return dimensions;
}

}  // namespace

ArrayPicture::ArrayPicture(ArrayAddresses addresses, int width) : addresses_(std::move(addresses)) {
  const std::vector<int> inner = innermost(addresses_);
  if (!inner.empty()) columnDimension_ = inner[0];
  if (inner.size() > 1) {
    rowDimension_ = std::min(inner[0], inner[1]);
    columnDimension_ = std::max(inner[0], inner[1]);
  }
  const int room = std::max(kLeastCell, width - kLeft - 8);
  const auto sizeOf = [&](int d) {
    return d < 0 ? int64_t{1} : addresses_.shape.dimension(static_cast<size_t>(d));
  };
  rows_ = static_cast<int>(std::min<int64_t>(sizeOf(rowDimension_), kMostRows));
  const int most = std::min(kMostColumns, room / kLeastCell);
  columns_ = static_cast<int>(std::clamp<int64_t>(sizeOf(columnDimension_), 1, std::max(1, most)));
  cellWidth_ = std::clamp(room / columns_, kLeastCell, kMostCell);
  memoryColumns_ = std::max(1, room / cellWidth_);
  memoryCells_ = static_cast<int>(
      std::min<int64_t>(addresses_.layout.paddedElements, int64_t{kMostMemoryLines} * memoryColumns_));
}

bool ArrayPicture::isCut() const { return int64_t{rows_} * columns_ < addresses_.shape.elementCount(); }

int ArrayPicture::height() const {
  const int lines = (memoryCells_ + memoryColumns_ - 1) / memoryColumns_;
  return memoryTop() + lines * kLine + kLine;
}

QRect ArrayPicture::indexCell(int row, int column) const {
  return {kLeft + column * cellWidth_, indexTop() + row * kLine, cellWidth_, kLine};
}

ArrayCell ArrayPicture::atIndex(int row, int column) const {
  ArrayCell cell{.element = std::vector<int64_t>(addresses_.shape.rank(), 0)};
  if (rowDimension_ >= 0) cell.element[static_cast<size_t>(rowDimension_)] = row;
  if (columnDimension_ >= 0) cell.element[static_cast<size_t>(columnDimension_)] = column;
  cell.bit = addresses_.bitOf(cell.element);
  return cell;
}

QRect ArrayPicture::memoryCell(int place) const {
  return {kLeft + place % memoryColumns_ * cellWidth_, memoryTop() + place / memoryColumns_ * kLine,
          cellWidth_, kLine};
}

ArrayCell ArrayPicture::atMemory(int place) const {
  ArrayCell cell{.bit = 8 * addresses_.prefixBytes + place * addresses_.elementBits};
  if (auto element = addresses_.elementAt(cell.bit)) cell.element = *std::move(element);
  return cell;
}

std::optional<ArrayCell> ArrayPicture::at(QPoint point) const {
  if (addresses_.shape.elementCount() == 0 || point.x() < kLeft) return std::nullopt;
  const int column = (point.x() - kLeft) / cellWidth_;
  if (const int row = point.y() - indexTop(); row >= 0 && row < rows_ * kLine && column < columns_)
    return atIndex(row / kLine, column);
  if (point.y() < memoryTop() || column >= memoryColumns_) return std::nullopt;
  const int place = (point.y() - memoryTop()) / kLine * memoryColumns_ + column;
  return place < memoryCells_ ? std::optional(atMemory(place)) : std::nullopt;
}

double ArrayPicture::shareOf(const ArrayCell& cell) const {
  const int64_t last = std::max(addresses_.bitOf(atIndex(rows_ - 1, columns_ - 1).element),
                                (memoryCells_ - 1) * addresses_.elementBits);
  return last <= 0 ? 0 : static_cast<double>(cell.bit) / static_cast<double>(last);
}

std::string cellText(const ArrayCell& cell) {
  const std::string where = cell.bit % 8 == 0 ? fmt::format("byte {}", cell.bit / 8)
                                              : fmt::format("byte {}, bit {}", cell.bit / 8, cell.bit % 8);
  return cell.element.empty() ? fmt::format("padding at {}", where)
                              : fmt::format("({}) at {}", fmt::join(cell.element, ", "), where);
}

}  // namespace hilo
