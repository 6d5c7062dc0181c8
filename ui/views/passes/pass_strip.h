// The pipeline as a strip of cells, one a step. Click or keys: n and p step to the next and previous change,
// the arrows go one by one, Enter shows the module in the other views.
#pragma once

#include <QAbstractScrollArea>

#include "ui/views/passes/strip_layout.h"

namespace hilo {

class PassStrip : public QAbstractScrollArea {
  Q_OBJECT

 public:
  explicit PassStrip(QWidget* parent = nullptr);
  void setSteps(std::vector<StripStep> steps);
  const std::vector<StripStep>& steps() const { return steps_; }
  void setFolded(bool folded);
  // Shows these and the current one, and goes among them by n and p; nullopt: all.
  void setWanted(std::optional<std::vector<size_t>> steps);
  void setCurrent(size_t step);
  size_t current() const { return current_; }
  const std::vector<StripCell>& cells() const { return cells_; }

 Q_SIGNALS:
  void currentChanged(int step);
  void stepActivated(int step);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void layOut();
  size_t nextStep(int direction) const;
  void ensureVisible();
  void paintCell(QPainter& painter, const StripCell& cell) const;
  QString tipOf(const StripCell& cell) const;

  std::vector<StripStep> steps_;
  std::vector<StripCell> cells_;
  size_t current_ = 0;
  bool folded_ = true;
  std::optional<std::vector<size_t>> wanted_;
};

}  // namespace hilo
