// A grid of elements, each in its colour; those that are marked stand out, the others pale. A click selects
// an element, arrow keys go to its neighbours, what the pointer is over is told.
#pragma once

#include <QWidget>
#include <functional>

#include "ui/canvas/hover_card.h"
#include "ui/views/kernel_layouts/drawn_layout.h"

namespace hilo {

class ElementPicture : public QWidget {
  Q_OBJECT

 public:
  explicit ElementPicture(const QString& name, QWidget* parent = nullptr);

  // `colours` by element; `label` is what a cell says where there is room, `facts` what the pointer is told.
  void setGrid(ElementGrid grid, const std::vector<QRgb>& colours, std::function<QString(int64_t)> label,
               std::function<QString(int64_t)> facts);
  // `selected` is -1 for none. Marked elements that are not in the grid mean nothing.
  void mark(int64_t selected, const std::vector<int64_t>& marked);

  const ElementGrid& grid() const { return grid_; }
  int64_t selected() const { return selected_; }
  bool isMarked(int64_t element) const { return std::ranges::binary_search(marked_, element); }
  // Of a cell; empty where there is no grid.
  QRectF cellRect(int64_t row, int64_t column) const;
  // The element at a point; -1 beside the grid.
  int64_t elementAt(QPointF point) const;
  QSize minimumSizeHint() const override { return {160, 120}; }

 Q_SIGNALS:
  void picked(qint64 element);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QSizeF cellSize() const;
  void paintHeads(QPainter& painter) const;
  void paintLabels(QPainter& painter) const;
  void moveBy(int64_t rows, int64_t columns);

  ElementGrid grid_;
  QImage image_;  // a pixel a cell
  std::function<QString(int64_t)> label_, facts_;
  std::vector<int64_t> marked_;  // sorted
  int64_t selected_ = -1;
  HoverCard* card_;
};

}  // namespace hilo
