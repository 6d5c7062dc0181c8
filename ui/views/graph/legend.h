// What the colours mean: one row for each role in the scene, or for each name of an overlay, or the ramp
// of its amounts.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/style/colours.h"
#include "ui/views/graph/graph_scene.h"

namespace hilo {

class GraphLegend : public QWidget {
 public:
  explicit GraphLegend(QWidget* parent);
  void setRoles(std::vector<NodeRole> roles, NodePalette palette);
  void setOverlay(const OverlayLegend& overlay);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Row {
    QString text;
    NodeRole role = NodeRole::kUnknown;
    int category = -1;  // instead of the role
  };
  void setRows(QString title, std::vector<Row> rows);
  void paintRow(QPainter& painter, const Row& row, int y) const;
  void paintEdgeMark(QPainter& painter, int y) const;
  void paintRamp(QPainter& painter, int y) const;

  QString title_;
  std::vector<Row> rows_;
  QString low_, high_;  // of the ramp
  QString edges_;       // of marks on edges
  NodePalette palette_ = NodePalette::kOpcodeClass;
};

}  // namespace hilo
