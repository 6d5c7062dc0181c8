// Finds the items near a place without looking at all of them: a uniform grid of cells, each with the items
// that touch it. Items that would fill many cells are kept in a list of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <QRectF>

#include "ui/canvas/scene.h"

namespace hilo {

class GridIndex {
 public:
  GridIndex() = default;

  static GridIndex ofRects(std::span<const QRectF> rects);

  struct Line {
    const ScenePoint* points;
    uint32_t count;
  };
  // An item is in the cells its segments' boxes touch.
  static GridIndex ofLines(std::span<const Line> lines);

  // Calls visit(item) once for each item that may touch `area`, in no order. Not for two threads at once.
  template <typename Visit>
  void visit(const QRectF& area, Visit visit) const {
    for (uint32_t item : large_) visit(item);
    if (columns_ == 0) return;
    ++epoch_;
    const Span x = columnsOf(area.left(), area.right());
    const Span y = rowsOf(area.top(), area.bottom());
    for (int row = y.first; row <= y.last; ++row) {
      for (int column = x.first; column <= x.last; ++column) {
        const size_t cell =
            static_cast<size_t>(row) * static_cast<size_t>(columns_) + static_cast<size_t>(column);
        for (uint32_t i = start_[cell]; i < start_[cell + 1]; ++i) {
          const uint32_t item = items_[i];
          if (seen_[item] == epoch_) continue;
          seen_[item] = epoch_;
          visit(item);
        }
      }
    }
  }

 private:
  struct Span {
    int first;
    int last;
  };
  struct Entry {
    uint32_t cell;
    uint32_t item;
  };

  void setBounds(const QRectF& bounds, size_t itemCount);
  void addBox(uint32_t item, const QRectF& box, std::vector<Entry>& entries) const;
  void fill(size_t itemCount, const std::vector<Entry>& entries);
  Span columnsOf(double left, double right) const;
  Span rowsOf(double top, double bottom) const;

  static constexpr size_t kLargeCells = 256;

  QRectF bounds_;
  double cellWidth_ = 1;
  double cellHeight_ = 1;
  int columns_ = 0;
  int rows_ = 0;
  std::vector<uint32_t> start_;
  std::vector<uint32_t> items_;
  std::vector<uint32_t> large_;
  mutable std::vector<uint32_t> seen_;
  mutable uint32_t epoch_ = 0;
};

}  // namespace hilo
