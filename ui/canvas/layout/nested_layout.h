// Layout of groups within groups. Each open group is laid out by itself, its children's sizes first; so
// opening one group lays out that group and shifts its ancestors, and everything else comes from the cache.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ui/canvas/layout/layout_cache.h"

namespace hilo {

inline constexpr uint32_t kNoNode = UINT32_MAX;

struct NestedNode {
  uint32_t parent = kNoNode;  // an earlier node that is a group, or none
  float width = 0;            // as drawn when not open
  float height = 0;
  bool group = false;
  bool open = false;   // groups only
  bool inRow = false;  // open groups: what is not joined in it stands side by side
};

// Between any two nodes, shown or not. What is hidden in a closed group is drawn from and to that group.
struct NestedEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  uint8_t kind = 0;  // edges of different kinds are not bundled
  int64_t bytes = 0;
};

struct NestedInput {
  std::vector<NestedNode> nodes;
  std::vector<NestedEdge> edges;
  float headerHeight = 30;  // room for an open group's title
  float padding = 14;       // around the content of an open group
  float nodeGap = 20;
  float layerGap = 36;
  LayoutEngine engine = LayoutEngine::kAuto;
};

struct NestedRect {
  float x = 0;
  float y = 0;
  float width = 0;
  float height = 0;
};

// All edges of one kind between two shown nodes.
struct NestedBundle {
  uint32_t from = 0;
  uint32_t to = 0;
  uint8_t kind = 0;
  bool shortened = false;
  uint32_t count = 0;
  int64_t bytes = 0;
  uint32_t firstPoint = 0;
  uint32_t pointCount = 0;
};

struct NestedResult {
  std::vector<uint8_t> visible;   // per node
  std::vector<NestedRect> rects;  // per node; empty where hidden
  std::vector<NestedBundle> bundles;
  std::vector<LayoutPoint> points;
  float width = 0;
  float height = 0;
  uint32_t groupsLaidOut = 0;  // not found in the cache
  bool refined = true;         // false: kAuto would have drawn a group better
  Diagnostics notes;           // one of a kind

  std::span<const LayoutPoint> line(const NestedBundle& bundle) const {
    return std::span(points).subspan(bundle.firstPoint, bundle.pointCount);
  }
};

// With more than some thousand nodes shown, groups not in the cache are drawn in less time unless kDot is
// asked for. Fails as layoutGraph does. Any thread; `cache` may be shared.
Result<NestedResult> layoutNested(const NestedInput& input, LayoutCache& cache, const CancelToken& cancel);

}  // namespace hilo
