// What the colours of the graph mean: one row for each role in the scene, or for each name of an overlay, or
// the ramp of its amounts. It lies in the lower left corner of the canvas, of whatever size that is.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/style/colours.h"
#include "ui/views/graph/graph_scene.h"
#include "ui/views/graph/shown_picture.h"

namespace hilo {

class GraphLegend : public QWidget {
  Q_OBJECT

 public:
  // Both outlive it.
  GraphLegend(CanvasWidget& canvas, const ShownPicture& picture);
  // The picture or its palette is another. It is looked at when the legend is seen.
  void refresh();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Row {
    QString text;
    NodeRole role = NodeRole::kUnknown;
    int category = -1;  // instead of the role
  };
  void setRoles();
  void setOverlay(const OverlayLegend& overlay);
  void place();
  void setRows(QString title, std::vector<Row> rows);
  void paintRow(QPainter& painter, const Row& row, int y) const;
  void paintEdgeMark(QPainter& painter, int y) const;
  void paintRamp(QPainter& painter, int y) const;

  CanvasWidget& canvas_;
  const ShownPicture& picture_;
  QString title_;
  std::vector<Row> rows_;
  QString low_, high_;  // of the ramp
  QString edges_;       // of marks on edges
  NodePalette palette_ = NodePalette::kOpcodeClass;
};

}  // namespace hilo
