// Layouts of all values along a chain as stripes: a line a value, its dimensions from minor (left) to major,
// one colour an axis of the array, whatever number each instruction gives it. A copy or transpose stands out
// by an arrow, and the colours below it are in another order.
#pragma once

#include <QWidget>

#include "core/analysis/layouts/layout_moves.h"

namespace hilo {

// A dimension, or the part of one that is an axis of its own.
struct LayoutStripe {
  int dimension = 0;
  int64_t size = 1;
  int axis = 0;
  friend bool operator==(const LayoutStripe&, const LayoutStripe&) = default;
};
// From minor to major, without dimensions of size one.
std::vector<LayoutStripe> stripesOf(const LayoutChainLink& link);

class LayoutStripes : public QWidget {
  Q_OBJECT

 public:
  explicit LayoutStripes(QWidget* parent = nullptr);

  void setChain(std::vector<LayoutChainLink> chain, int current);
  const std::vector<LayoutChainLink>& chain() const { return chain_; }
  int current() const { return current_; }
  void setCurrent(int line);
  // -1 outside of lines.
  int lineAt(QPoint point) const;
  QSize sizeHint() const override;

 Q_SIGNALS:
  void currentChanged(int line);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int wordsWidth() const;
  void paintLine(QPainter& painter, int line, int words) const;

  std::vector<LayoutChainLink> chain_;
  int current_ = -1;
};

}  // namespace hilo
