// A chart of a module's runs: the median of each with its interval, oldest left, a colour an engine.
#pragma once

#include <QWidget>

#include "ui/views/runs/run_history.h"

namespace hilo {

class HistoryWidget : public QWidget {
  Q_OBJECT

 public:
  explicit HistoryWidget(QWidget* parent = nullptr);
  void setHistory(RunHistory history);
  // The run that is marked; invalid: none.
  void setCurrent(RunId run);
  const RunHistory& history() const { return history_; }
  // Where a run's point is, in the widget; null when it is not shown.
  QPointF pointOf(RunId run) const;
  QSize sizeHint() const override { return {320, 170}; }
  QSize minimumSizeHint() const override { return {180, 120}; }

 Q_SIGNALS:
  void runClicked(hilo::RunId run);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRectF plot() const;
  QPointF place(const HistoryPoint& point, int64_t ns) const;
  const HistoryPoint* nearest(QPointF at) const;
  QColor colourOf(size_t series) const;
  void paintScale(QPainter& painter) const;
  void paintSeries(QPainter& painter, size_t series) const;
  void paintLegend(QPainter& painter) const;

  RunHistory history_;
  RunId current_;
};

}  // namespace hilo

Q_DECLARE_METATYPE(hilo::RunId)
