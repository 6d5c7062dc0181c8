// What the colours mean: one row for each role in the scene.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/style/colours.h"

namespace hilo {

class GraphLegend : public QWidget {
 public:
  explicit GraphLegend(QWidget* parent);
  void setRoles(std::vector<NodeRole> roles, NodePalette palette);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<NodeRole> roles_;
  NodePalette palette_ = NodePalette::kOpcodeClass;
};

}  // namespace hilo
