#include "ui/canvas/layout/crossings.h"

#include <algorithm>

namespace hilo {
namespace {

struct Segment {
  LayoutPoint a, b;
  uint32_t edge;
};

double side(LayoutPoint a, LayoutPoint b, LayoutPoint p) {
  return (static_cast<double>(b.x) - a.x) * (static_cast<double>(p.y) - a.y) -
         (static_cast<double>(b.y) - a.y) * (static_cast<double>(p.x) - a.x);
}

bool cross(const Segment& s, const Segment& t) {
  return side(s.a, s.b, t.a) * side(s.a, s.b, t.b) < 0 && side(t.a, t.b, s.a) * side(t.a, t.b, s.b) < 0;
}

}  // namespace

uint64_t drawnCrossings(const LayoutInput& input, const LayoutResult& result) {
  std::vector<Segment> segments;
  for (uint32_t edge = 0; edge < input.edges.size(); ++edge) {
    const auto line = result.line(edge);
    for (size_t i = 0; i + 1 < line.size(); ++i) segments.push_back({line[i], line[i + 1], edge});
  }
  auto top = [](const Segment& s) { return std::min(s.a.y, s.b.y); };
  std::sort(segments.begin(), segments.end(),
            [&](const Segment& s, const Segment& t) { return top(s) < top(t); });
  uint64_t crossings = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    const float bottom = std::max(segments[i].a.y, segments[i].b.y);
    for (size_t j = i + 1; j < segments.size() && top(segments[j]) <= bottom; ++j) {
      const LayoutEdge &e = input.edges[segments[i].edge], &f = input.edges[segments[j].edge];
      if (e.from == f.from || e.to == f.to || e.from == f.to || e.to == f.from) continue;
      crossings += cross(segments[i], segments[j]) ? 1 : 0;
    }
  }
  return crossings;
}

}  // namespace hilo
