// Draws diagrams (ui/models/diagram.h) one below the other: title, grid with heads, note. Cells say
// more when hovered.
#pragma once

#include <QScrollArea>
#include <QWidget>

#include "ui/models/diagram.h"

namespace hilo {

class GridDiagram : public QWidget {
  Q_OBJECT

 public:
  explicit GridDiagram(QWidget* parent = nullptr);
  void setDiagrams(std::vector<Diagram> diagrams);
  const std::vector<Diagram>& diagrams() const { return diagrams_; }
  QSize sizeHint() const override;
  // The tip of the cell there; empty outside cells.
  QString tipAt(QPoint place) const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // Where one diagram stands.
  struct Placed {
    QRect whole;
    QPoint cells;  // of the first cell
    int cellWidth = 0;
    int headWidth = 0;
  };
  std::vector<Placed> place() const;
  void paintDiagram(QPainter& painter, const Diagram& diagram, const Placed& placed) const;

  std::vector<Diagram> diagrams_;
};

}  // namespace hilo
