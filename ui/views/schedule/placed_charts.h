// Charts placed one below the other on one axis, in a window: where an event is drawn, and which lies at a
// place. Places are pixels of the window. A value without widgets.
#pragma once

#include <QRectF>
#include <QString>
#include <memory>
#include <utility>
#include <vector>

#include "ui/canvas/axis_view.h"
#include "ui/views/schedule/chart_rows.h"
#include "ui/views/schedule/shown_order.h"

namespace hilo {

struct TimelineChart {
  std::shared_ptr<const ShownOrder> order;
  QString title;
  bool active = true;  // the one edits go to
};

// Above and below all charts.
inline constexpr double kTimelineRuler = 24, kTimelineFooter = 22;

class PlacedCharts {
 public:
  void setCharts(std::vector<TimelineChart> charts);
  void setSize(QSizeF size);
  void setView(const AxisView& view) { view_ = view; }
  // How far down the rows are scrolled.
  void setTop(double top) { top_ = top; }

  const std::vector<TimelineChart>& charts() const { return charts_; }
  bool empty() const { return charts_.empty(); }
  // Of the chart that edits go to, else of the first: -1 and null where there is none.
  int activeIndex() const;
  const ShownOrder* activeOrder() const { return orderOf(activeIndex()); }
  const ShownOrder* orderOf(int chart) const;

  const AxisView& view() const { return view_; }
  double top() const { return top_; }
  // Of the longest chart, on the axis.
  double length() const;
  // All rows as they stand, scrolled or not.
  double height() const { return height_; }
  QSizeF size() const { return size_; }
  // Where lanes are drawn, below the ruler and beside their names.
  QRectF plot() const;
  // Of a chart, their tops counted from where nothing is scrolled.
  std::span<const ChartRow> rowsOf(size_t chart) const { return rows_[chart]; }
  double toX(double at) const { return plot().left() + view_.toX(at); }
  double toAxis(double x) const { return view_.toAxis(x - plot().left()); }

  // The event under a place and the chart it is in; kNoEvent and -1 where there is none.
  std::pair<int, uint32_t> eventAt(QPointF place) const;
  const Instruction* instructionAt(QPointF place) const;
  // Where an event is drawn; empty when it is not in sight.
  QRectF rectOf(int chart, uint32_t event) const;

 private:
  void layOut();

  std::vector<TimelineChart> charts_;
  std::vector<std::vector<ChartRow>> rows_;  // one a chart
  AxisView view_;
  QSizeF size_;
  double height_ = 0, top_ = 0;
};

}  // namespace hilo
