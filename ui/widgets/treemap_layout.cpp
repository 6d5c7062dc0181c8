#include "ui/widgets/treemap_layout.h"

#include <algorithm>
#include <numeric>

namespace hilo {
namespace {

// The worst ratio of sides in a row of `areas` along a side of length `side`.
double worstRatio(double least, double most, double sum, double side) {
  const double thick = sum / side;
  const auto ratio = [&](double area) { return std::max(thick * thick / area, area / (thick * thick)); };
  return std::max(ratio(least), ratio(most));
}

}  // namespace

std::vector<QRectF> layOutTreemap(const std::vector<double>& values, const QRectF& area) {
  std::vector<QRectF> placed(values.size());
  const size_t count =
      static_cast<size_t>(std::ranges::find_if(values, [](double v) { return !(v > 0); }) - values.begin());
  const double total = std::accumulate(values.begin(), values.begin() + static_cast<ptrdiff_t>(count), 0.0);
  if (total <= 0 || area.width() <= 0 || area.height() <= 0) return placed;
  const double scale = area.width() * area.height() / total;
  QRectF rest = area;
  for (size_t first = 0; first < count;) {
    const double side = std::min(rest.width(), rest.height());
    if (side <= 0) break;
    const double most = values[first] * scale;
    double sum = most;
    double worst = worstRatio(most, most, sum, side);
    size_t last = first + 1;
    for (; last < count; ++last) {
      const double next = values[last] * scale;
      const double ratio = worstRatio(next, most, sum + next, side);
      if (ratio > worst) break;
      worst = ratio;
      sum += next;
    }
    const double thick = sum / side;
    const bool column = rest.width() >= rest.height();
    double along = column ? rest.top() : rest.left();
    for (size_t n = first; n < last; ++n) {
      const double length = values[n] * scale / thick;
      placed[n] =
          column ? QRectF(rest.left(), along, thick, length) : QRectF(along, rest.top(), length, thick);
      along += length;
    }
    column ? rest.setLeft(std::min(rest.right(), rest.left() + thick))
           : rest.setTop(std::min(rest.bottom(), rest.top() + thick));
    first = last;
  }
  return placed;
}

}  // namespace hilo
