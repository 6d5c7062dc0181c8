// What a layout takes and gives. Coordinates are abstract pixels, y grows downward, the drawing starts at
// (0, 0). Plain values: a layout reads nothing else and may run on any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace hilo {

struct LayoutPoint {
  float x = 0;
  float y = 0;
  friend bool operator==(const LayoutPoint&, const LayoutPoint&) = default;
};

// Where a node must stand: at either end of the drawing (the ports through which edges enter and leave an
// open group) or wherever its edges want it.
enum class LayoutPin : uint8_t { kFree, kFirst, kLast };

struct LayoutNode {
  float width = 0;
  float height = 0;
  LayoutPin pin = LayoutPin::kFree;
};

// An end is at `offset` from the node's centre, across the direction of flow; kAnyOffset lets
// the layout choose.
inline constexpr float kAnyOffset = std::numeric_limits<float>::infinity();

struct LayoutEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  float fromOffset = kAnyOffset;
  float toOffset = kAnyOffset;
};

enum class LayoutDirection : uint8_t { kDown, kRight };

struct LayoutInput {
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;  // edges may be parallel, cyclic, or loops; loops get an empty line
  LayoutDirection direction = LayoutDirection::kDown;
  bool inRow = false;  // parts that are not joined stand side by side in the order of their nodes
  float nodeGap = 20;
  float layerGap = 36;
  bool thorough = true;  // up to a tenth of a second for fewer crossings
};

enum class LayoutEngine : uint8_t {
  kAuto,    // the own engine's, or dot's where a graph is small, dot is installed and its lines cross less
  kDraft,   // the own engine's in a few milliseconds; says where kAuto may do better
  kDot,     // Graphviz's `dot` in a process of its own
  kLayered  // the own engine, near-linear
};

struct LayoutResult {
  std::vector<LayoutPoint> centres;  // one a node
  // Edge e runs along points[lineStart[e] .. lineStart[e + 1]), from `from` to `to`.
  std::vector<uint32_t> lineStart;
  std::vector<LayoutPoint> points;
  // 1 for an edge too long to be led around the nodes between its ends: it is one straight line, to be
  // drawn as two stubs.
  std::vector<uint8_t> shortened;
  float width = 0;
  float height = 0;
  LayoutEngine engine = LayoutEngine::kLayered;  // the one that drew
  bool refined = true;                           // false: kAuto would have drawn better
  Diagnostics notes;                             // why it was not the one asked for

  std::span<const LayoutPoint> line(size_t edge) const {
    return std::span(points).subspan(lineStart[edge], lineStart[edge + 1] - lineStart[edge]);
  }
};

// Fails with kind "cancelled" when the token asks to stop, "graph-too-large" past 2^31 points.
Result<LayoutResult> layoutGraph(const LayoutInput& input, LayoutEngine engine, const CancelToken& cancel);

// The nodes above which kAuto does not ask dot: its time grows faster than quadratically.
inline constexpr size_t kDotNodeLimit = 300;

}  // namespace hilo
