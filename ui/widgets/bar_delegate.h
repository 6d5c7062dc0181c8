// Draws the numbers of a column as bars, the greatest as long as the cell is wide, with their text over them.
#pragma once

#include <QStyledItemDelegate>

namespace hilo {

class BarDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  // What a full bar stands for; TableRole::kExact says what each cell's does.
  void setMost(double most) { most_ = most; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  double most_ = 1;
};

}  // namespace hilo
