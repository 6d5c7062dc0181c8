// When a kernel's arrays live in shared memory: a box for each, by its operations from left to right and its
// bytes from the top down; under them how many bytes are taken. A click picks an array; the pointer over one
// shows its name, bytes and time.
#pragma once

#include <QWidget>

#include "core/analysis/kernel_layouts/inference/shared_memory_use.h"
#include "ui/canvas/hover_card.h"

namespace hilo {

class SharedMemoryStrip : public QWidget {
  Q_OBJECT

 public:
  explicit SharedMemoryStrip(QWidget* parent = nullptr);

  // The kernel outlives what is shown of it; null shows nothing.
  void setKernel(const inference::KernelDescription* kernel);
  const inference::SharedMemoryUse& use() const { return use_; }
  // "8,240 of 232,448 bytes at most, line 12: mosaic_gpu.async_load".
  QString title() const;
  // Of array `i` of use(); empty where it has no bytes.
  QRectF boxOf(size_t i) const;
  // What lies at a point, on top of the others; -1: nothing.
  int arrayAt(QPointF point) const;
  QSize minimumSizeHint() const override { return {260, 110}; }

 Q_SIGNALS:
  // A click on what slice_smem gives.
  void picked(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  QRectF boxArea() const;
  QRectF curveArea() const;
  double placeOf(inference::OpId step) const;
  QString nameOf(size_t array) const;
  QString factsOf(size_t array) const;
  void paintBoxes(QPainter& painter) const;
  void paintCurve(QPainter& painter) const;

  const inference::KernelDescription* kernel_ = nullptr;
  inference::SharedMemoryUse use_;
  HoverCard* card_;
};

}  // namespace hilo
