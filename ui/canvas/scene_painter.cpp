#include "ui/canvas/scene_painter.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kDotsBelow = 3.0;
constexpr double kBoxesBelow = 11.0;
// With more edges than this in sight at small scale the picture is noise, and slow.
constexpr size_t kEdgeBudget = 20'000;
constexpr size_t kSmoothEdgeBudget = 1'500;
constexpr size_t kLabelLimit = 6'000;
constexpr double kTitlePx = 12.5;
constexpr double kSubtitlePx = 10.5;

void fillBox(QImage& image, const QRectF& box, QRgb colour) {
  const int left = std::max(0, static_cast<int>(box.left()));
  const int top = std::max(0, static_cast<int>(box.top()));
  const int right = std::min(image.width(), std::max(left + 1, static_cast<int>(box.right())));
  const int bottom = std::min(image.height(), std::max(top + 1, static_cast<int>(box.bottom())));
  for (int y = top; y < bottom; ++y) {
    auto* row = reinterpret_cast<QRgb*>(image.scanLine(y));
    std::fill(row + left, row + std::max(left, right), colour);
  }
}

QColor faded(QColor colour, double opacity) {
  colour.setAlphaF(static_cast<float>(colour.alphaF() * opacity));
  return colour;
}

QColor blend(const QColor& a, const QColor& b, double share) {
  auto mix = [share](int x, int y) { return static_cast<int>(x * (1 - share) + y * share); };
  return QColor(mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()));
}

}  // namespace

DetailLevel detailLevel(double nodePixels) {
  if (nodePixels < kDotsBelow) return DetailLevel::kDots;
  return nodePixels < kBoxesBelow ? DetailLevel::kBoxes : DetailLevel::kFull;
}

void ScenePainter::reset() {
  labels_.clear();
  selectedFlag_.clear();
}

const QFont& ScenePainter::font(int px, bool bold) {
  const auto [at, isNew] = fonts_.try_emplace(2 * px + (bold ? 1 : 0));
  if (isNew) {
    at->second = uiFont(px);
    at->second.setBold(bold);
  }
  return at->second;
}

QRectF ScenePainter::rectOf(uint32_t node) const {
  const QRectF& rect = options_->moving.empty() ? scene_->nodes[node].rect : options_->moving[node];
  return view_.toScreen(rect);
}

NodeColours ScenePainter::coloursOf(const SceneNode& node) const {
  const bool dark = options_->theme->dark;
  NodeColours colours = nodeColours(options_->palette, node.role, dark);
  if (node.heat >= 0) {
    colours.fill = heatColour(node.heat, dark);
    colours.border = blend(colours.fill, options_->theme->colour(ColourRole::kText), 0.3);
    colours.text = colours.fill.lightness() > 128 ? lightTheme().colour(ColourRole::kText)
                                                  : darkTheme().colour(ColourRole::kText);
  }
  if (node.dimmed) {
    const QColor ground = options_->theme->colour(ColourRole::kSurface);
    colours.fill = blend(colours.fill, ground, 0.75);
    colours.border = blend(colours.border, ground, 0.65);
    colours.text = options_->theme->colour(ColourRole::kTextFaint);
  }
  return colours;
}

bool ScenePainter::isHot(const SceneEdge& edge) const {
  if (edge.from == options_->hovered || edge.to == options_->hovered) return true;
  return selectedFlag_[edge.from] || selectedFlag_[edge.to];
}

void ScenePainter::collect() {
  visible_.groups.clear();
  visible_.leaves.clear();
  visible_.edges.clear();
  auto addNode = [&](uint32_t node) {
    (scene_->nodes[node].open ? visible_.groups : visible_.leaves).push_back(node);
  };
  if (options_->everything || !options_->moving.empty()) {
    for (uint32_t i = 0; i < scene_->nodes.size(); ++i) addNode(i);
    for (uint32_t i = 0; i < scene_->edges.size(); ++i) visible_.edges.push_back(i);
    return;
  }
  const QRectF area = view_.toScene(QRectF(QPointF(0, 0), window_));
  index_->nodes().visit(area, [&](uint32_t node) {
    if (scene_->nodes[node].rect.intersects(area)) addNode(node);
  });
  // Outer groups first. The order of leaves does not show: they do not overlap.
  std::sort(visible_.groups.begin(), visible_.groups.end());
  if (level_ != DetailLevel::kDots || scene_->edges.size() < 2'000) {
    index_->edges().visit(area, [&](uint32_t edge) { visible_.edges.push_back(edge); });
  }
}

void ScenePainter::paint(QPainter& painter, const Scene& scene, const SceneIndex& index,
                         const ViewTransform& view, QSize window, const PaintOptions& options) {
  painter_ = &painter;
  scene_ = &scene;
  index_ = &index;
  options_ = &options;
  view_ = view;
  window_ = window;
  level_ = options.everything ? DetailLevel::kFull : detailLevel(index.typicalHeight() * view.scale);
  selectedFlag_.resize(scene.nodes.size(), 0);
  for (uint32_t node : options.selected) selectedFlag_[node] = 1;
  collect();
  painter.setRenderHint(QPainter::Antialiasing, level_ == DetailLevel::kFull);
  for (uint32_t group : visible_.groups) paintOpenGroup(group);
  if (options.edgeOpacity > 0) paintEdges(false);
  switch (level_) {
    case DetailLevel::kDots:
      paintDots();
      break;
    case DetailLevel::kBoxes:
      paintBoxes();
      break;
    case DetailLevel::kFull:
      for (uint32_t leaf : visible_.leaves) paintLeaf(leaf);
      break;
  }
  painter.setRenderHint(QPainter::Antialiasing, true);
  if (options.edgeOpacity > 0) paintEdges(true);
  // Titles of groups lie over dots and boxes, so that a whole model can be read from afar.
  for (uint32_t group : visible_.groups) paintGroupTitle(scene.nodes[group], rectOf(group));
  paintOutlines();
  for (uint32_t node : options.selected) selectedFlag_[node] = 0;
  if (labels_.size() > kLabelLimit) labels_.clear();
}

void ScenePainter::paintEdges(bool hotOnly) {
  const Theme& theme = *options_->theme;
  painter_->setBrush(Qt::NoBrush);
  if (hotOnly) {
    auto hot = [&](uint32_t edge) {
      paintEdge(edge, true, 1.8 + 0.5 * std::log2(scene_->edges[edge].count), true);
    };
    for (uint32_t node : options_->selected) {
      for (uint32_t edge : index_->edgesInto(node)) hot(edge);
      for (uint32_t edge : index_->edgesOutOf(node)) hot(edge);
    }
    if (options_->hovered != kNoIndex) {
      for (uint32_t edge : index_->edgesInto(options_->hovered)) hot(edge);
      for (uint32_t edge : index_->edgesOutOf(options_->hovered)) hot(edge);
    }
    if (options_->hoveredEdge != kNoIndex) hot(options_->hoveredEdge);
    return;
  }
  if (visible_.edges.size() > kEdgeBudget && !options_->everything) return;
  if (level_ == DetailLevel::kFull && (visible_.edges.size() <= kSmoothEdgeBudget || options_->everything)) {
    for (uint32_t edge : visible_.edges) {
      const SceneEdge& item = scene_->edges[edge];
      if (!isHot(item)) paintEdge(edge, false, 1.1 + 0.5 * std::log2(item.count), true);
    }
    return;
  }
  for (auto& lines : lines_) lines.clear();
  for (uint32_t edge : visible_.edges) {
    const SceneEdge& item = scene_->edges[edge];
    if (item.shortened || item.pointCount < 2) continue;
    const auto line = scene_->line(item);
    // A flattened curve has more points than show at this size.
    const size_t step = level_ == DetailLevel::kFull ? 1 : 4;
    auto& lines = lines_[static_cast<size_t>(item.kind)];
    QPointF last = view_.toScreen(line[0]);
    for (size_t i = step; i + 1 < line.size() + step; i += step) {
      const QPointF next = view_.toScreen(line[std::min(i, line.size() - 1)]);
      lines.emplace_back(last, next);
      last = next;
      if (i >= line.size() - 1) break;
    }
  }
  const double opacity = options_->edgeOpacity * (level_ == DetailLevel::kFull ? 0.8 : 0.5);
  for (size_t kind = 0; kind < 2; ++kind) {
    const ColourRole role = kind == 0 ? ColourRole::kEdge : ColourRole::kEdgeControl;
    painter_->setPen(QPen(faded(theme.colour(role), opacity), 0));
    painter_->drawLines(lines_[kind].data(), static_cast<int>(lines_[kind].size()));
  }
}

void ScenePainter::paintEdge(uint32_t edge, bool hot, double width, bool arrows) {
  const SceneEdge& item = scene_->edges[edge];
  if (item.pointCount < 2) return;
  const Theme& theme = *options_->theme;
  const ColourRole role = hot                                    ? ColourRole::kEdgeHot
                          : item.kind == SceneEdgeKind::kControl ? ColourRole::kEdgeControl
                          : item.count > 1                       ? ColourRole::kEdgeBundle
                                                                 : ColourRole::kEdge;
  const double opacity = options_->edgeOpacity * (item.dimmed && !hot ? 0.25 : 1.0);
  const double scaled = std::clamp(width * std::sqrt(view_.scale), 0.6, 6.0);
  QPen pen(faded(theme.colour(role), opacity), scaled);
  pen.setCapStyle(Qt::FlatCap);
  pen.setJoinStyle(Qt::RoundJoin);
  if (item.kind == SceneEdgeKind::kControl) pen.setDashPattern({4, 3});
  painter_->setPen(pen);
  painter_->setBrush(Qt::NoBrush);
  screenLine_.clear();
  for (const QPointF& point : scene_->line(item)) screenLine_.push_back(view_.toScreen(point));
  if (item.shortened && !hot) {
    paintStubs(screenLine_);
  } else {
    painter_->drawPolyline(screenLine_.data(), static_cast<int>(screenLine_.size()));
  }
  if (!arrows) return;
  painter_->setPen(Qt::NoPen);
  painter_->setBrush(pen.color());
  const QPointF tip = screenLine_.back();
  size_t before = screenLine_.size() - 2;
  while (before > 0 && QLineF(screenLine_[before], tip).length() < 3) --before;
  paintArrow(screenLine_[before], tip, std::clamp((5.5 + scaled) * std::min(view_.scale, 1.3), 2.5, 11.0));
  if (item.count > 1 && view_.scale > 0.55 && (!item.shortened || hot)) paintEdgeLabel(item);
}

void ScenePainter::paintArrow(QPointF before, QPointF tip, double size) {
  const QLineF line(before, tip);
  if (line.length() < 0.01) return;
  const QPointF along = (tip - before) / line.length();
  const QPointF across(-along.y(), along.x());
  const QPointF corners[3] = {tip, tip - along * size + across * size * 0.42,
                              tip - along * size - across * size * 0.42};
  painter_->drawConvexPolygon(corners, 3);
}

void ScenePainter::paintStubs(std::span<const QPointF> line) {
  const double length = 16 * std::clamp(view_.scale, 0.3, 1.5);
  const QPointF first = line.front(), last = line.back();
  const QLineF whole(first, last);
  if (whole.length() <= 3 * length) {
    painter_->drawLine(first, last);
    return;
  }
  const QPointF along = (last - first) / whole.length();
  painter_->drawLine(first, first + along * length);
  painter_->drawLine(last - along * length, last);
  painter_->drawEllipse(first + along * (length + 2), 2, 2);
  painter_->drawEllipse(last - along * (length + 2), 2, 2);
}

void ScenePainter::paintEdgeLabel(const SceneEdge& edge) {
  // Half way along what is in sight.
  const QPointF middle = screenLine_[screenLine_.size() / 2];
  if (!QRectF(QPointF(0, 0), window_).contains(middle) && !options_->everything) return;
  const int px = std::clamp(static_cast<int>(10 * view_.scale), 8, 14);
  const QFont pillFont = font(px);
  QString text = QStringLiteral("×%1").arg(edge.count);
  if (edge.bytes > 0) text += QStringLiteral(" · ") + bytesText(edge.bytes);
  const QFontMetricsF metrics(pillFont);
  QRectF pill = metrics.boundingRect(text).adjusted(-4, -1, 4, 1);
  pill.moveCenter(middle);
  painter_->setBrush(options_->theme->colour(ColourRole::kSurface));
  painter_->drawRoundedRect(pill, 3, 3);
  painter_->setPen(options_->theme->colour(ColourRole::kTextDim));
  painter_->setFont(pillFont);
  painter_->drawText(pill, Qt::AlignCenter, text);
}

void ScenePainter::paintOpenGroup(uint32_t index) {
  const SceneNode& node = scene_->nodes[index];
  const QRectF rect = rectOf(index);
  if (rect.width() < 2 || rect.height() < 2) return;
  uint32_t depth = 0;
  for (uint32_t at = node.parent; at != kNoIndex; at = scene_->nodes[at].parent) ++depth;
  const Theme& theme = *options_->theme;
  painter_->setPen(QPen(theme.colour(ColourRole::kGroupBorder), 1));
  painter_->setBrush(theme.colour(depth % 2 == 0 ? ColourRole::kGroupFill : ColourRole::kGroupFillAlt));
  const double radius = std::min(6.0 * view_.scale, 8.0);
  painter_->drawRoundedRect(rect, radius, radius);
  // The strip of the header carries the colour of what the group is.
  const double header = scene_->headerHeight * view_.scale;
  if (level_ != DetailLevel::kFull || header < 6) return;
  const NodeColours colours = coloursOf(node);
  painter_->setPen(Qt::NoPen);
  painter_->setBrush(colours.fill);
  const QRectF strip(rect.left() + 1, rect.top() + 1, std::max(3.0, 5 * view_.scale), header - 1);
  painter_->drawRoundedRect(strip, 1.5, 1.5);
}

void ScenePainter::paintGroupTitle(const SceneNode& node, const QRectF& rect) {
  const double header = scene_->headerHeight * view_.scale;
  const bool inHeader = header >= 13;
  const int px = inHeader ? std::clamp(static_cast<int>(kTitlePx * view_.scale + 0.5), 9, 20) : 12;
  const QRectF window(QPointF(0, 0), window_);
  // The title stays in sight while any of the group is.
  const QRectF shown = options_->everything ? rect : rect.intersected(window);
  if (shown.width() < 60 || shown.height() < px + 6) return;
  QRectF area(shown.left() + 10, rect.top(), shown.width() - 16, inHeader ? header : px + 8);
  if (area.top() < 0 && !options_->everything) area.moveTop(std::min(0.0, rect.bottom() - area.height()));
  const Theme& theme = *options_->theme;
  const QFont titleFont = font(px, true);
  if (!inHeader || area.top() != rect.top()) {
    // Text over dots, or pinned to the window's top while its header is out of sight, needs a ground.
    const double width = std::min(QFontMetricsF(titleFont).horizontalAdvance(node.title) + 12, area.width());
    painter_->setPen(Qt::NoPen);
    painter_->setBrush(faded(theme.colour(ColourRole::kSurface), 0.85));
    painter_->drawRoundedRect(QRectF(area.left() - 4, area.top() + 1, width, area.height() - 2), 3, 3);
  }
  painter_->setPen(theme.colour(ColourRole::kText));
  const uint64_t key = (node.id << 3) | 2;
  drawLabel(key, node.title, area, titleFont, px, Qt::AlignLeft | Qt::AlignVCenter);
  if (!inHeader || node.subtitle.isEmpty()) return;
  const double used = QFontMetricsF(titleFont).horizontalAdvance(node.title) + 14;
  if (area.width() - used < 60) return;
  painter_->setPen(theme.colour(ColourRole::kTextDim));
  drawLabel((node.id << 3) | 3, node.subtitle, area.adjusted(used, 0, 0, 0), font(std::max(px - 2, 9)),
            px - 2, Qt::AlignLeft | Qt::AlignVCenter);
}

void ScenePainter::paintDots() {
  const double ratio = painter_->device()->devicePixelRatioF();
  const QSize size = (QSizeF(window_) * ratio).toSize();
  if (dots_.size() != size) dots_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
  if (dots_.isNull()) return;
  dots_.fill(Qt::transparent);
  QRgb fills[static_cast<size_t>(NodeRole::kCount)];
  for (size_t role = 0; role < std::size(fills); ++role) {
    // On the ground alone a pale fill would vanish; the border's colour is its stronger twin.
    const NodeColours colours =
        nodeColours(options_->palette, static_cast<NodeRole>(role), options_->theme->dark);
    fills[role] = blend(colours.fill, colours.border, 0.5).rgb();
  }
  for (uint32_t leaf : visible_.leaves) {
    const SceneNode& node = scene_->nodes[leaf];
    const QRectF rect = rectOf(leaf);
    const QRectF device(rect.topLeft() * ratio, rect.size() * ratio);
    if (device.right() < 0 || device.bottom() < 0) continue;
    const bool special = node.heat >= 0 || node.dimmed;
    fillBox(dots_, device, special ? coloursOf(node).fill.rgb() : fills[static_cast<size_t>(node.role)]);
  }
  painter_->drawImage(QRectF(QPointF(0, 0), window_), dots_);
}

void ScenePainter::paintBoxes() {
  for (auto& boxes : boxes_) boxes.clear();
  for (uint32_t leaf : visible_.leaves) {
    const SceneNode& node = scene_->nodes[leaf];
    if (node.heat >= 0 || node.dimmed) {
      painter_->fillRect(rectOf(leaf), coloursOf(node).fill);
    } else {
      boxes_[static_cast<size_t>(node.role)].push_back(rectOf(leaf));
    }
  }
  for (size_t role = 0; role < std::size(boxes_); ++role) {
    if (boxes_[role].empty()) continue;
    const NodeColours colours =
        nodeColours(options_->palette, static_cast<NodeRole>(role), options_->theme->dark);
    painter_->setPen(QPen(colours.border, 0));
    painter_->setBrush(colours.fill);
    painter_->drawRects(boxes_[role].data(), static_cast<int>(boxes_[role].size()));
  }
}

void ScenePainter::paintLeaf(uint32_t index) {
  const SceneNode& node = scene_->nodes[index];
  const QRectF rect = rectOf(index);
  const NodeColours colours = coloursOf(node);
  const double radius = std::min(4.0 * view_.scale, 6.0);
  painter_->setPen(QPen(colours.border, 1));
  painter_->setBrush(colours.fill);
  if (node.group) {
    // A closed group is a stack of sheets.
    const double lift = std::min(3.0 * view_.scale, 4.0);
    painter_->drawRoundedRect(rect.translated(lift, lift), radius, radius);
  }
  painter_->drawRoundedRect(rect, radius, radius);
  if (node.mark != SceneMark::kNone) {
    const ColourRole role = node.mark == SceneMark::kAdded     ? ColourRole::kMarkAdded
                            : node.mark == SceneMark::kRemoved ? ColourRole::kMarkRemoved
                                                               : ColourRole::kMarkChanged;
    const QColor colour = options_->theme->colour(role);
    painter_->setPen(QPen(colour, std::max(1.5, 2 * view_.scale),
                          node.mark == SceneMark::kRemoved ? Qt::DashLine : Qt::SolidLine));
    painter_->setBrush(Qt::NoBrush);
    painter_->drawRoundedRect(rect.adjusted(-2, -2, 2, 2), radius + 2, radius + 2);
  }
  paintLeafText(index, rect, colours.text);
}

void ScenePainter::paintLeafText(uint32_t index, const QRectF& rect, const QColor& colour) {
  const SceneNode& node = scene_->nodes[index];
  const int px = std::clamp(static_cast<int>(kTitlePx * view_.scale + 0.5), 6, 48);
  const int smallPx = std::clamp(static_cast<int>(kSubtitlePx * view_.scale + 0.5), 6, 40);
  if (kTitlePx * view_.scale < 6.5) return;
  const double margin = 6 * view_.scale;
  const QRectF area = rect.adjusted(margin, 0, -margin, 0);
  const bool twoLines = !node.subtitle.isEmpty() && rect.height() > (px + smallPx) * 1.15;
  const QRectF upper(area.left(), area.top() + area.height() * 0.06, area.width(), area.height() * 0.5);
  const QRectF lower(area.left(), area.top() + area.height() * 0.5, area.width(), area.height() * 0.44);
  painter_->setPen(colour);
  drawLabel(node.id << 3, node.title, twoLines ? upper : area, font(px), px, Qt::AlignCenter);
  if (!twoLines || smallPx < 7) return;
  painter_->setPen(faded(colour, 0.75));
  drawLabel((node.id << 3) | 1, node.subtitle, lower, font(smallPx), px, Qt::AlignCenter);
}

void ScenePainter::drawLabel(uint64_t key, const QString& text, const QRectF& area, const QFont& font,
                             int fontPx, Qt::Alignment alignment) {
  const int width = static_cast<int>(area.width());
  if (width < fontPx || text.isEmpty()) return;
  // Laid-out text is kept by node and font size. A slowly zoomed view keeps its font sizes for several
  // frames.
  Label& label = labels_[key * 64 + static_cast<uint64_t>(fontPx)];
  if (label.width != width) {
    label.width = width;
    label.text.setTextFormat(Qt::PlainText);
    label.text.setPerformanceHint(QStaticText::AggressiveCaching);
    label.text.setText(QFontMetricsF(font).elidedText(text, Qt::ElideMiddle, width));
    label.text.prepare(QTransform(), font);
  }
  painter_->setFont(font);
  const QSizeF size = label.text.size();
  const double x = alignment & Qt::AlignLeft ? area.left() : area.center().x() - size.width() / 2;
  const double y = area.center().y() - size.height() / 2;
  painter_->drawStaticText(QPointF(x, y), label.text);
}

void ScenePainter::paintOutlines() {
  const Theme& theme = *options_->theme;
  painter_->setBrush(Qt::NoBrush);
  auto outline = [&](uint32_t node, double width, double gap) {
    QRectF rect = rectOf(node).adjusted(-gap, -gap, gap, gap);
    // However small the node, the selection must be found.
    const double least = 9;
    if (rect.width() < least) rect.adjust((rect.width() - least) / 2, 0, (least - rect.width()) / 2, 0);
    if (rect.height() < least) rect.adjust(0, (rect.height() - least) / 2, 0, (least - rect.height()) / 2);
    painter_->setPen(QPen(theme.colour(ColourRole::kAccent), width));
    painter_->drawRoundedRect(rect, 4 + gap, 4 + gap);
  };
  for (size_t i = 0; i < options_->selected.size(); ++i)
    outline(options_->selected[i], i == 0 ? 2.5 : 1.5, 2.5);
  if (options_->hovered != kNoIndex && !scene_->nodes[options_->hovered].open)
    outline(options_->hovered, 1, 1.5);
}

}  // namespace hilo
