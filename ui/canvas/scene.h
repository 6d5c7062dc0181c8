// What the canvas draws: boxes within boxes and lines between them, placed. A plain value made off the UI
// thread by whoever knows what it means; the canvas only draws, picks and moves.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>

#include "ui/style/colours.h"

namespace hilo {

// Given by the scene's maker, the same for the same thing from one scene to the next.
using SceneNodeId = quint64;
inline constexpr SceneNodeId kNoSceneNode = ~SceneNodeId{0};
inline constexpr uint32_t kNoIndex = UINT32_MAX;

// A fault is where something is wrong: told by a sign as well as by its colour, and seen from afar.
enum class SceneMark : uint8_t { kNone, kAdded, kRemoved, kChanged, kFault };

struct SceneNode {
  SceneNodeId id = kNoSceneNode;
  QRectF rect;
  uint32_t parent = kNoIndex;  // index of an earlier node, which is an open group
  QString title;
  QString subtitle;
  QStringList tags;  // short words in a row below: folded operands, what a closed group holds
  NodeRole role = NodeRole::kElementwise;
  SceneMark mark = SceneMark::kNone;
  bool group = false;
  bool open = false;        // groups: the children are in the scene
  bool dimmed = false;      // out of focus: drawn pale
  bool emphasised = false;  // with a strong border
  // Instead of the role's colour: 0 to 1 in the heat ramp, or the colours of a category; negative is neither.
  float heat = -1;
  int16_t category = -1;
  // Of a closed group: categories of what it holds and how much of it each is, most first; a bar at its foot.
  std::vector<std::pair<int16_t, float>> parts;
};

enum class SceneEdgeKind : uint8_t {
  kData,
  kControl,
  kAsync,    // from the start of something to its done
  kAlias,    // from an output to the parameter whose memory it takes; drawn while either end is selected
  kMissing,  // that ought to be there and is not
};

// A category of nodes that have no part in what the colours show.
inline constexpr int16_t kPlainNode = INT16_MAX;

struct SceneEdge {
  uint32_t from = 0;  // indices of nodes
  uint32_t to = 0;
  uint32_t firstPoint = 0;  // a polyline in Scene::points
  uint32_t pointCount = 0;
  uint32_t count = 1;  // how many edges this one stands for
  qint64 bytes = 0;    // in all of them; 0 when unknown
  SceneEdgeKind kind = SceneEdgeKind::kData;
  int16_t category = -1;   // in the category's colour
  bool shortened = false;  // drawn as two stubs unless an end is selected
  bool dimmed = false;
  bool lit = false;   // on a way to a fault
  int32_t note = -1;  // marked: of Scene::edgeNotes
};

// Lines are most of a large scene: half the bytes of a QPointF, and still a pixel in ten million.
struct ScenePoint {
  float x = 0;
  float y = 0;
  ScenePoint(float x, float y) : x(x), y(y) {}
  ScenePoint(QPointF point) : x(static_cast<float>(point.x())), y(static_cast<float>(point.y())) {}
  operator QPointF() const { return {x, y}; }
};

struct Scene {
  std::vector<SceneNode> nodes;  // groups before what they hold, so later ones lie on top
  std::vector<SceneEdge> edges;
  std::vector<ScenePoint> points;
  QStringList edgeNotes;     // what the cards of marked edges say
  double headerHeight = 30;  // of open groups

  std::span<const ScenePoint> line(const SceneEdge& edge) const {
    return std::span(points).subspan(edge.firstPoint, edge.pointCount);
  }
  // Everything drawn lies within it.
  QRectF bounds() const;
};

// The nodes for which `wanted` says so, with the groups around them and the edges between them.
Scene partOf(const Scene& scene, const std::function<bool(uint32_t node)>& wanted);

}  // namespace hilo
