// Rectangles with areas in proportion to values, as near to squares as they go (Bruls, Huizing and van Wijk,
// "Squarified treemaps", 2000). Pure.
#pragma once

#include <QRectF>
#include <vector>

namespace hilo {

// One rectangle a value, in the order of `values`, which must be sorted from the largest down; values of 0 or
// less get an empty one.
std::vector<QRectF> layOutTreemap(const std::vector<double>& values, const QRectF& area);

}  // namespace hilo
