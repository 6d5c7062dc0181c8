// Draws a scene through a view. What is drawn depends on how large nodes come out: full boxes with text,
// plain boxes, or, below about three pixels a node, group boxes over dots of colour and no edges.
#pragma once

#include <span>
#include <vector>

#include <QFont>
#include <QImage>
#include <QPen>
#include <QStaticText>

#include <absl/container/flat_hash_map.h>

#include "ui/canvas/scene.h"
#include "ui/canvas/scene_index.h"
#include "ui/canvas/view_transform.h"

class QPainter;

namespace hilo {

enum class DetailLevel : uint8_t { kDots, kBoxes, kFull };

// `nodePixels` is the height a typical node has on the screen.
DetailLevel detailLevel(double nodePixels);

// Of its role, or of what it has instead, pale where it is out of focus.
NodeColours coloursOf(const SceneNode& node, NodePalette palette, const Theme& theme);

struct PaintOptions {
  const Theme* theme = &lightTheme();
  NodePalette palette = NodePalette::kOpcodeClass;
  std::span<const uint32_t> selected;  // indices of nodes; the first is the main one
  uint32_t hovered = kNoIndex;
  uint32_t hoveredEdge = kNoIndex;
  double edgeOpacity = 1;
  // Rectangles to draw nodes at instead of their own, one a node, while they move; and the nodes to draw
  // then, all others being out of sight.
  std::span<const QRectF> moving;
  std::span<const uint32_t> movingNodes;
  bool everything = false;  // full detail and no culling, for export
};

// Keeps its buffers between frames; one painter draws one scene at a time. UI thread.
class ScenePainter {
 public:
  // Forgets what is kept of another scene.
  void reset();
  // `window` is the area painted, in device-independent pixels.
  void paint(QPainter& painter, const Scene& scene, const SceneIndex& index, const ViewTransform& view,
             QSize window, const PaintOptions& options);

 private:
  struct Label {
    QStaticText text;
    int width = -1;
  };
  struct Visible {
    std::vector<uint32_t> groups;
    std::vector<uint32_t> leaves;
    std::vector<uint32_t> edges;
  };

  QRectF rectOf(uint32_t node) const;
  void collect();
  void paintEdges(bool hotOnly);
  qint64 weakBytes();
  QColor edgeColour(const SceneEdge& edge, bool hot) const;
  void paintEdge(uint32_t edge, bool hot, double width, bool arrows);
  void paintArrow(QPointF before, QPointF tip, double size);
  void paintEdgeLabels();
  bool isFree(const QRectF& pill, std::span<const QRectF> taken) const;
  void paintStubs(std::span<const QPointF> line);
  void paintDiamond(QPointF centre);
  void paintCross(QPointF centre, const QColor& colour);
  void paintOpenGroup(uint32_t node);
  ColourRole groundOf(uint32_t group) const;
  // `taken`: where titles were painted before, inner groups first; this one's is added.
  void paintGroupTitle(uint32_t group, const QRectF& rect, std::vector<QRectF>& taken);
  void paintDots();
  void paintBoxes();
  void paintLeaf(uint32_t node);
  void paintLeafText(uint32_t node, const QRectF& rect, const QColor& colour);
  void paintTags(const SceneNode& node, const QRectF& strip, const QColor& colour);
  QRectF findable(uint32_t node, double gap) const;
  void paintFaults(std::span<const uint32_t> nodes);
  void paintOutlines();
  void drawLabel(uint64_t key, const QString& text, const QRectF& area, const QFont& font, int fontPx,
                 Qt::Alignment alignment);
  NodeColours coloursOf(const SceneNode& node) const {
    return hilo::coloursOf(node, options_->palette, *options_->theme);
  }
  void paintParts(const SceneNode& node, const QRectF& rect);
  const QFont& font(int px, bool bold = false);
  bool isHot(const SceneEdge& edge) const;
  static bool standsOut(const SceneEdge& edge);

  std::vector<QRectF> boxes_[static_cast<size_t>(NodeRole::kCount)];
  std::vector<QRectF> shadowBoxes_;
  std::vector<QLineF> lines_[2];
  std::vector<QPointF> screenLine_;
  std::vector<uint32_t> labelled_;  // edges drawn that want a label
  Visible visible_;
  QImage dots_;
  absl::flat_hash_map<uint64_t, Label> labels_;
  std::vector<uint8_t> selectedFlag_;
  absl::flat_hash_map<int, QFont> fonts_;

  double fade_ = 1;  // of the line being painted

  // Of the frame being painted.
  QPainter* painter_ = nullptr;
  const Scene* scene_ = nullptr;
  const SceneIndex* index_ = nullptr;
  const PaintOptions* options_ = nullptr;
  ViewTransform view_;
  QSize window_;
  DetailLevel level_ = DetailLevel::kFull;
};

}  // namespace hilo
