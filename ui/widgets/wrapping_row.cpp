#include "ui/widgets/wrapping_row.h"

#include <QWidget>

namespace hilo {
namespace {

int widthOf(const QLayoutItem& item) { return item.sizeHint().expandedTo(item.minimumSize()).width(); }

}  // namespace

WrappingRow::WrappingRow(int spacing) { setSpacing(spacing); }
WrappingRow::~WrappingRow() = default;

void WrappingRow::add(QWidget* widget, int stretch) {
  addWidget(widget);
  places_.back().stretch = stretch;
}

void WrappingRow::addItem(QLayoutItem* item) { places_.push_back({std::unique_ptr<QLayoutItem>(item)}); }

QLayoutItem* WrappingRow::itemAt(int index) const {
  return index < 0 || index >= count() ? nullptr : places_[static_cast<size_t>(index)].item.get();
}

QLayoutItem* WrappingRow::takeAt(int index) {
  if (index < 0 || index >= count()) return nullptr;
  QLayoutItem* item = places_[static_cast<size_t>(index)].item.release();
  places_.erase(places_.begin() + index);
  return item;
}

QSize WrappingRow::sizeHint() const {
  int width = 0, height = 0;
  for (const Place& at : places_) {
    if (at.item->isEmpty()) continue;
    width += widthOf(*at.item) + spacing();
    height = std::max(height, at.item->sizeHint().height());
  }
  const QMargins margins = contentsMargins();
  return QSize(width, height).grownBy(margins);
}

QSize WrappingRow::minimumSize() const {
  QSize least;
  for (const Place& at : places_) {
    if (!at.item->isEmpty()) least = least.expandedTo(at.item->minimumSize());
  }
  return least.grownBy(contentsMargins());
}

void WrappingRow::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  place(rect, true);
}

int WrappingRow::place(const QRect& rect, bool applies) const {
  const QRect room = rect.marginsRemoved(contentsMargins());
  std::vector<const Place*> row;
  int used = 0, height = 0, top = room.top();
  const auto endRow = [&] {
    if (applies) placeRow(row, QRect(room.left(), top, room.width(), height));
    top += height + spacing();
    row.clear();
    used = height = 0;
  };
  for (const Place& at : places_) {
    if (at.item->isEmpty()) continue;
    const int width = widthOf(*at.item);
    if (!row.empty() && used + spacing() + width > room.width()) endRow();
    used += (row.empty() ? 0 : spacing()) + width;
    height = std::max(height, at.item->sizeHint().height());
    row.push_back(&at);
  }
  if (!row.empty()) endRow();
  const QMargins margins = contentsMargins();
  return top - spacing() - room.top() + margins.top() + margins.bottom();
}

void WrappingRow::placeRow(const std::vector<const Place*>& row, const QRect& rect) const {
  int left = rect.width() - spacing() * static_cast<int>(row.size() - 1), stretches = 0;
  for (const Place* at : row) {
    left -= widthOf(*at->item);
    stretches += at->stretch;
  }
  int x = rect.left();
  for (const Place* at : row) {
    const int more = stretches > 0 ? std::max(left, 0) * at->stretch / stretches : 0;
    const int width = std::min(widthOf(*at->item) + more, rect.width());
    at->item->setGeometry(QRect(x, rect.top(), width, rect.height()));
    x += width + spacing();
  }
}

}  // namespace hilo
