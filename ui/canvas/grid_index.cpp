#include "ui/canvas/grid_index.h"

#include <algorithm>
#include <cmath>

namespace hilo {

void GridIndex::setBounds(const QRectF& bounds, size_t itemCount) {
  bounds_ = bounds;
  if (itemCount == 0) return;
  // About four items a cell, and no more than a million cells.
  const double cells = std::clamp(static_cast<double>(itemCount) / 4, 1.0, 1e6);
  const double width = std::max(bounds.width(), 1.0);
  const double height = std::max(bounds.height(), 1.0);
  const double side = std::sqrt(width * height / cells);
  columns_ = std::clamp(static_cast<int>(std::ceil(width / side)), 1, 4096);
  rows_ = std::clamp(static_cast<int>(std::ceil(height / side)), 1, 4096);
  cellWidth_ = width / columns_;
  cellHeight_ = height / rows_;
}

GridIndex::Span GridIndex::columnsOf(double left, double right) const {
  auto column = [&](double x) {
    return std::clamp(static_cast<int>(std::floor((x - bounds_.left()) / cellWidth_)), 0, columns_ - 1);
  };
  return {column(left), column(right)};
}

GridIndex::Span GridIndex::rowsOf(double top, double bottom) const {
  auto row = [&](double y) {
    return std::clamp(static_cast<int>(std::floor((y - bounds_.top()) / cellHeight_)), 0, rows_ - 1);
  };
  return {row(top), row(bottom)};
}

void GridIndex::addBox(uint32_t item, const QRectF& box, std::vector<Entry>& entries) const {
  const Span x = columnsOf(box.left(), box.right());
  const Span y = rowsOf(box.top(), box.bottom());
  for (int row = y.first; row <= y.last; ++row) {
    for (int column = x.first; column <= x.last; ++column) {
      const auto cell =
          static_cast<uint32_t>(row) * static_cast<uint32_t>(columns_) + static_cast<uint32_t>(column);
      if (!entries.empty() && entries.back().cell == cell && entries.back().item == item) continue;
      entries.push_back({cell, item});
    }
  }
}

void GridIndex::fill(size_t itemCount, const std::vector<Entry>& entries) {
  const size_t cells = static_cast<size_t>(columns_) * static_cast<size_t>(rows_);
  start_.assign(cells + 1, 0);
  for (const Entry& entry : entries) ++start_[entry.cell + 1];
  for (size_t cell = 0; cell < cells; ++cell) start_[cell + 1] += start_[cell];
  items_.resize(entries.size());
  std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
  for (const Entry& entry : entries) items_[next[entry.cell]++] = entry.item;
  seen_.assign(itemCount, 0);
}

GridIndex GridIndex::ofRects(std::span<const QRectF> rects) {
  GridIndex index;
  QRectF bounds;
  for (const QRectF& rect : rects) bounds |= rect;
  index.setBounds(bounds, rects.size());
  if (rects.empty()) return index;
  std::vector<Entry> entries;
  entries.reserve(rects.size() * 2);
  for (uint32_t i = 0; i < rects.size(); ++i) {
    const double cells =
        (rects[i].width() / index.cellWidth_ + 1) * (rects[i].height() / index.cellHeight_ + 1);
    if (cells > static_cast<double>(kLargeCells)) {
      index.large_.push_back(i);
    } else {
      index.addBox(i, rects[i], entries);
    }
  }
  index.fill(rects.size(), entries);
  return index;
}

GridIndex GridIndex::ofLines(std::span<const Line> lines) {
  GridIndex index;
  double left = 0, top = 0, right = 0, bottom = 0;
  bool any = false;
  for (const Line& line : lines) {
    for (uint32_t i = 0; i < line.count; ++i) {
      const QPointF p = line.points[i];
      left = any ? std::min(left, p.x()) : p.x();
      right = any ? std::max(right, p.x()) : p.x();
      top = any ? std::min(top, p.y()) : p.y();
      bottom = any ? std::max(bottom, p.y()) : p.y();
      any = true;
    }
  }
  if (!any) return index;
  index.setBounds(QRectF(QPointF(left, top), QPointF(right, bottom)), lines.size());
  std::vector<Entry> entries;
  entries.reserve(lines.size() * 4);
  for (uint32_t i = 0; i < lines.size(); ++i) {
    const size_t before = entries.size();
    for (uint32_t k = 0; k + 1 < lines[i].count && entries.size() - before <= kLargeCells; ++k) {
      const QPointF a = lines[i].points[k], b = lines[i].points[k + 1];
      index.addBox(i,
                   QRectF(QPointF(std::min(a.x(), b.x()), std::min(a.y(), b.y())),
                          QPointF(std::max(a.x(), b.x()), std::max(a.y(), b.y()))),
                   entries);
    }
    if (entries.size() - before > kLargeCells) {
      entries.resize(before);
      index.large_.push_back(i);
    }
  }
  index.fill(lines.size(), entries);
  return index;
}

}  // namespace hilo
