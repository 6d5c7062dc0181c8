// A corner of an array twice: by its indices, and as it lies in memory from its first byte on. Where each
// cell is, and what is under a point, is pure.
#pragma once

#include <QRect>
#include <optional>

#include "core/analysis/layouts/array_addresses.h"

namespace hilo {

struct ArrayCell {
  std::vector<int64_t> element;  // empty: padding
  int64_t bit = 0;               // where it lies
  friend bool operator==(const ArrayCell&, const ArrayCell&) = default;
};

class ArrayPicture {
 public:
  // Within a width; as high as it needs.
  ArrayPicture(ArrayAddresses addresses, int width);

  const ArrayAddresses& addresses() const { return addresses_; }
  // The two dimensions that go down and across: those that lie innermost in memory. -1: it has no such.
  int rowDimension() const { return rowDimension_; }
  int columnDimension() const { return columnDimension_; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  bool isCut() const;  // not all of the array is there
  int cellWidth() const { return cellWidth_; }
  int height() const;

  // Grids as they are painted, cell by cell.
  QRect indexCell(int row, int column) const;
  ArrayCell atIndex(int row, int column) const;
  int memoryCells() const { return memoryCells_; }
  QRect memoryCell(int place) const;
  ArrayCell atMemory(int place) const;
  // The first lines of both grids.
  int indexTop() const { return kHead; }
  int memoryTop() const { return indexTop() + rows_ * kLine + 2 * kHead; }

  // What is under a point of the widget.
  std::optional<ArrayCell> at(QPoint point) const;
  // 0 to 1: how far into the memory that is drawn an element lies.
  double shareOf(const ArrayCell& cell) const;

  static constexpr int kLine = 18, kHead = 20, kLeft = 44;

 private:
  ArrayAddresses addresses_;
  int rowDimension_ = -1, columnDimension_ = -1;
  int rows_ = 1, columns_ = 1;
  int cellWidth_ = 0, memoryColumns_ = 1, memoryCells_ = 0;
};

// "(3, 5) at byte 212", "padding at byte 8".
std::string cellText(const ArrayCell& cell);

}  // namespace hilo
