// Which part of a chart's axis the window shows: x = (at - begin) / perPixel. A value with pure operations; x
// counts from the left edge of the plot.
#pragma once

#include <vector>

#include "core/analysis/schedule/schedule_chart.h"

namespace hilo {

struct AxisView {
  ChartAxis axis = ChartAxis::Time;
  double begin = 0;
  double perPixel = 1;

  double toX(double at) const { return (at - begin) / perPixel; }
  double toAxis(double x) const { return begin + x * perPixel; }
  double end(double width) const { return toAxis(width); }

  // All of `length`, with a little room on both sides.
  static AxisView fitting(ChartAxis axis, double length, double width);
  // A span with as much around it on both sides.
  AxisView around(ChartSpan span, double length, double width) const;
  // What is at x stays there. Not nearer than a few pixels a nanosecond or slot, not farther than everything.
  AxisView zoomedAt(double x, double factor, double length, double width) const;
  AxisView panned(double pixels, double length, double width) const;
  // As little as needed to show the span, at the same scale unless it is too small to see.
  AxisView revealing(ChartSpan span, double length, double width) const;
  friend bool operator==(const AxisView&, const AxisView&) = default;
};

// Where lines of a ruler stand: round numbers of the axis, some `pixels` apart.
std::vector<double> rulerTicks(const AxisView& view, double width, double pixels);

}  // namespace hilo
