// A tree of amounts as nested rectangles: area says how much, nesting says of what. Click selects, Enter or a
// double click activates, arrows go to neighbours, Backspace and Escape to the parent.
#pragma once

#include <QWidget>
#include <vector>

namespace hilo {

struct TreemapNode {
  QString label;
  QString amount;  // of the whole node, as a person reads it
  double value = 0;
  uint32_t parent = 0;
  std::vector<uint32_t> children;  // largest first; their values sum to this node's at most
};

class Treemap : public QWidget {
  Q_OBJECT

 public:
  explicit Treemap(QWidget* parent = nullptr);
  // Node 0 is the root.
  void setNodes(std::vector<TreemapNode> nodes);
  void setEmptyText(const QString& text);
  void setCurrent(int node);
  int current() const { return current_; }
  // The innermost node drawn there; -1 when there is none.
  int nodeAt(QPoint place) const;
  QRect rectOf(int node) const;
  QSize minimumSizeHint() const override { return {160, 120}; }

 Q_SIGNALS:
  void currentChanged(int node);
  void activated(int node);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // A chain of nodes each of which is all there is in the one before is one cell: of the last of them.
  struct Cell {
    uint32_t node = 0;
    uint32_t above = 0;  // node of the cell it is drawn in, or the root
    int depth = 0;
    QRectF rect;
    bool divided = false;  // its children are drawn in it
  };
  void layOut();
  void layOutBelow(uint32_t node, const QRectF& area, int depth);
  void paintCell(QPainter& painter, const Cell& cell) const;
  uint32_t endOfChain(uint32_t node) const;
  const Cell* cellOf(int node) const;
  void moveBy(QPoint direction);
  QString pathOf(uint32_t node, uint32_t above = 0) const;

  std::vector<TreemapNode> nodes_;
  std::vector<Cell> cells_;  // parents before children
  QString empty_;
  double largestLeaf_ = 1;  // of the cells that are not divided
  int current_ = -1;
};

}  // namespace hilo
