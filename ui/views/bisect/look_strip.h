// A search as a strip: a cell a step, coloured by what was seen or follows, with the order in which they were
// looked at; below it the numbers of rewrites that the bad pass was tried with. Click a cell, or the arrow
// keys: the look is chosen.
#pragma once

#include <QWidget>

#include "ui/views/bisect/look_layout.h"

namespace hilo {

class LookStrip : public QWidget {
  Q_OBJECT

 public:
  explicit LookStrip(QWidget* parent = nullptr);
  void setSearch(Bisection search);
  const Bisection& search() const { return search_; }
  // Stands where there are no steps.
  void setEmptyText(const QString& text);
  // By its place in Bisection::looks; -1: none.
  void setChosen(int look);
  const LookLayout& layoutOfLooks() const { return layout_; }

 Q_SIGNALS:
  void chosen(int look);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void paintCell(QPainter& painter, const StepCell& cell) const;
  void paintFuel(QPainter& painter) const;
  QString tipAt(QPoint place) const;

  Bisection search_;
  LookLayout layout_;
  QString emptyText_;
  int chosen_ = -1;
};

}  // namespace hilo
