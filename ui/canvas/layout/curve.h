// Flattens the curves edges are drawn with, once, so that drawing is polylines only.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/canvas/layout/layout.h"

namespace hilo {

// Appends a to b as a cubic that leaves and enters along y, without `a` itself; in as many pieces as its bend
// needs, at most `mostPieces`.
inline void appendFlowCurve(std::vector<LayoutPoint>& points, LayoutPoint a, LayoutPoint b,
                            int mostPieces = 12) {
  const float sideways = std::abs(a.x - b.x);
  if (sideways < 1.5f) {
    points.push_back(b);
    return;
  }
  constexpr float kSidewaysAPiece = 6;
  const int pieces = std::min(mostPieces, 4 + static_cast<int>(sideways / kSidewaysAPiece));
  for (int i = 1; i < pieces; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(pieces);
    const float ease = t * t * (3 - 2 * t);
    const float along = 0.5f * (3 * t * (1 - t) * (1 - t) + 3 * t * t * (1 - t)) + t * t * t;
    points.push_back({a.x + (b.x - a.x) * ease, a.y + (b.y - a.y) * along});
  }
  points.push_back(b);
}

// Appends the cubic with control points p[0..3], without p[0].
inline void appendBezier(std::vector<LayoutPoint>& points, const LayoutPoint* p, int pieces = 12) {
  for (int i = 1; i <= pieces; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(pieces);
    const float s = 1 - t;
    const float w0 = s * s * s, w1 = 3 * s * s * t, w2 = 3 * s * t * t, w3 = t * t * t;
    points.push_back({w0 * p[0].x + w1 * p[1].x + w2 * p[2].x + w3 * p[3].x,
                      w0 * p[0].y + w1 * p[1].y + w2 * p[2].y + w3 * p[3].y});
  }
}

}  // namespace hilo
