#include "ui/canvas/axis_view.h"

#include <cmath>

namespace hilo {
namespace {

constexpr double kMargin = 0.01;         // of the length, on each side
constexpr double kLeastPerPixel = 1e-3;  // a thousand pixels a nanosecond or slot
constexpr double kSeenPixels = 24;

double mostPerPixel(double length, double width) {
  return std::max(kLeastPerPixel, length * (1 + 2 * kMargin) / std::max(1.0, width));
}

AxisView within(AxisView view, double length, double width) {
  view.perPixel = std::clamp(view.perPixel, kLeastPerPixel, mostPerPixel(length, width));
  const double shown = view.perPixel * width, room = length * kMargin;
  view.begin = std::clamp(view.begin, -room, std::max(-room, length + room - shown));
  return view;
}

}  // namespace

AxisView AxisView::fitting(ChartAxis axis, double length, double width) {
  return {axis, -length * kMargin, mostPerPixel(length, width)};
}

AxisView AxisView::around(ChartSpan span, double length, double width) const {
  const double wide = std::max(span.width(), kLeastPerPixel * width / 3);
  return within({axis, span.begin - wide, 3 * wide / std::max(1.0, width)}, length, width);
}

AxisView AxisView::zoomedAt(double x, double factor, double length, double width) const {
  AxisView next = *this;
  next.perPixel = std::clamp(perPixel / factor, kLeastPerPixel, mostPerPixel(length, width));
  next.begin = toAxis(x) - x * next.perPixel;
  return within(next, length, width);
}

AxisView AxisView::panned(double pixels, double length, double width) const {
  return within({axis, begin - pixels * perPixel, perPixel}, length, width);
}

AxisView AxisView::revealing(ChartSpan span, double length, double width) const {
  AxisView next = *this;
  if (span.width() / perPixel < 1 && span.width() > 0) next.perPixel = span.width() / kSeenPixels;
  const double shown = next.perPixel * width;
  const bool inside = span.begin >= next.begin && span.end <= next.begin + shown;
  const bool fills = span.begin <= next.begin && span.end >= next.begin + shown;
  if (next.perPixel != perPixel || (!inside && !fills))
    next.begin = span.width() > shown ? span.begin - shown / 4 : (span.begin + span.end - shown) / 2;
  return within(next, length, width);
}

std::vector<double> rulerTicks(const AxisView& view, double width, double pixels) {
  const double least = view.perPixel * pixels;
  double step = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {2.0, 2.5, 2.0}) {
    if (step >= least) break;
    step *= factor;
  }
  if (view.axis == ChartAxis::Slots) step = std::max(1.0, std::round(step));
  std::vector<double> ticks;
  for (double at = std::ceil(view.begin / step) * step + 0.0; at <= view.end(width) && ticks.size() < 1000;
       at += step)
    ticks.push_back(at);
  return ticks;
}

}  // namespace hilo
