// The picture of the graph that is on the canvas: which instruction a node stands for, and which node an
// instruction is shown as.
#pragma once

#include <memory>

#include "ui/canvas/canvas_widget.h"
#include "ui/views/graph/graph_picture.h"

namespace hilo {

class ShownPicture {
 public:
  // The canvas must outlive it.
  explicit ShownPicture(const CanvasWidget& canvas) : canvas_(canvas) {}

  // Null: there is none.
  void set(std::shared_ptr<const GraphPicture> picture);
  const GraphPicture* get() const { return picture_.get(); }
  const GraphPicture* operator->() const { return picture_.get(); }
  // Null, kNoIndex and "" where there is none.
  const Instruction* instructionAt(SceneNodeId key) const;
  uint32_t nodeOf(const Instruction* instruction) const;
  QString cardOf(SceneNodeId key, const ModuleCost* cost) const;

 private:
  const CanvasWidget& canvas_;
  std::shared_ptr<const GraphPicture> picture_;
};

}  // namespace hilo
