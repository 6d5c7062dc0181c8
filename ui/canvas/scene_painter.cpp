#include "ui/canvas/scene_painter.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include <QFontMetricsF>
#include <QPainter>

#include "core/base/amount_text.h"
#include "ui/canvas/fill_box.h"
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
constexpr double kBundleGrowth = 0.3;  // of a line's width, for each doubling of what it stands for
constexpr double kAsyncWidth = 1.6;
constexpr int kMiddleGrey = 117;  // as far from black as from white to the eye
constexpr double kFaultWidth = 2.6;
constexpr double kLeastOutlined = 9;  // pixels: however small a node, what is outlined must be found
constexpr size_t kCrowdEdges = 40;
constexpr double kWeakOpacity = 0.35;
constexpr double kTagPx = 9.5;
constexpr double kTagStrip = 18;  // height of a node's row of tags, at a scale of 1
constexpr double kTagsAbove = 0.62;
constexpr int kLeastTextPx = 9;
constexpr double kLeastHeaderPx = 10.5;
constexpr size_t kEdgeLabelLimit = 24;
constexpr double kEdgeLabelShare = 0.02;  // of the bytes of the largest bundle in sight

QColor faded(QColor colour, double opacity) {
  colour.setAlphaF(static_cast<float>(colour.alphaF() * opacity));
  return colour;
}

// Of "name.12.0" what tells it from its like, "12.0"; empty where there is nothing, or much of it.
QString numberOf(const QString& name) {
  constexpr qsizetype kMostLetters = 6;
  qsizetype at = name.size();
  while (at > 0 && (name[at - 1].isDigit() || name[at - 1] == u'.')) --at;
  const qsizetype length = name.size() - at - 1;
  return at > 0 && length > 0 && length <= kMostLetters && name[at] == u'.' ? name.mid(at + 1) : QString();
}

// In a short box the front of a name and its number say most, and dots would take the room of letters.
QString fittedText(const QString& text, const QFontMetricsF& metrics, int width, int fontPx) {
  if (width > 8 * fontPx) return metrics.elidedText(text, Qt::ElideMiddle, width);
  if (metrics.horizontalAdvance(text) <= width) return text;
  // A name cut without a sign would be another name; the dots may reach into the margin.
  constexpr qsizetype kLeastFront = 3;
  const auto cutTo = [&](const QString& end) {
    QString cut = text.chopped(end.size());
    const double taken =
        metrics.horizontalAdvance(end) + metrics.horizontalAdvance(u'…') / (end.isEmpty() ? 2 : 1);
    while (!cut.isEmpty() && metrics.horizontalAdvance(cut) + taken > width) cut.chop(1);
    return cut;
  };
  const QString number = numberOf(text);
  if (const QString front = cutTo(number); front.size() >= kLeastFront) return front + u'…' + number;
  return cutTo(QString()) + u'…';
}

// At a share of the line's length.
QPointF pointAlong(std::span<const ScenePoint> line, double share) {
  double length = 0;
  for (size_t i = 0; i + 1 < line.size(); ++i) length += QLineF(line[i], line[i + 1]).length();
  double left = length * share;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    const QLineF piece(line[i], line[i + 1]);
    if (left <= piece.length())
      return piece.length() == 0 ? QPointF(line[i]) : piece.pointAt(left / piece.length());
    left -= piece.length();
  }
  return line.back();
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

NodeColours coloursOf(const SceneNode& node, NodePalette palette, const Theme& theme) {
  const bool dark = theme.dark;
  NodeColours colours = nodeColours(palette, node.role, dark);
  if (node.heat >= 0) {
    colours.fill = heatColour(node.heat, dark);
    colours.border = blend(colours.fill, theme.colour(ColourRole::kText), 0.3);
    colours.text = qGray(colours.fill.rgb()) > kMiddleGrey ? lightTheme().colour(ColourRole::kText)
                                                           : darkTheme().colour(ColourRole::kText);
  }
  if (node.category >= 0)
    colours = categoryColours(
        node.category == kPlainNode ? kPlainCategory : static_cast<size_t>(node.category), dark);
  if (node.dimmed) {
    const QColor ground = theme.colour(ColourRole::kSurface);
    colours.fill = blend(colours.fill, ground, 0.75);
    colours.border = blend(colours.border, ground, 0.65);
    colours.text = theme.colour(ColourRole::kTextFaint);
  }
  return colours;
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

bool ScenePainter::isHot(const SceneEdge& edge) const {
  if (edge.from == options_->hovered || edge.to == options_->hovered) return true;
  return selectedFlag_[edge.from] || selectedFlag_[edge.to];
}

bool ScenePainter::standsOut(const SceneEdge& edge) {
  return edge.lit || edge.kind == SceneEdgeKind::kMissing;
}

void ScenePainter::collect() {
  visible_.groups.clear();
  visible_.leaves.clear();
  visible_.edges.clear();
  auto addNode = [&](uint32_t node) {
    (scene_->nodes[node].open ? visible_.groups : visible_.leaves).push_back(node);
  };
  if (options_->everything) {
    for (uint32_t i = 0; i < scene_->nodes.size(); ++i) addNode(i);
    for (uint32_t i = 0; i < scene_->edges.size(); ++i) visible_.edges.push_back(i);
    return;
  }
  const QRectF area = view_.toScene(QRectF(QPointF(0, 0), window_));
  if (!options_->moving.empty()) {
    for (uint32_t node : options_->movingNodes) addNode(node);
    std::sort(visible_.groups.begin(), visible_.groups.end());
    if (options_->edgeOpacity > 0)
      index_->edges().visit(area, [&](uint32_t edge) { visible_.edges.push_back(edge); });
    return;
  }
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
  if (options.moving.empty()) paintEdgeLabels();
  labelled_.clear();
  // Titles of groups lie over dots and boxes, so that a whole model can be read from afar.
  std::vector<QRectF> titles;
  for (uint32_t group : std::views::reverse(visible_.groups)) paintGroupTitle(group, rectOf(group), titles);
  paintOutlines();
  for (uint32_t node : options.selected) selectedFlag_[node] = 0;
  if (labels_.size() > kLabelLimit) labels_.clear();
}

void ScenePainter::paintEdges(bool hotOnly) {
  const Theme& theme = *options_->theme;
  painter_->setBrush(Qt::NoBrush);
  if (hotOnly) {
    auto hot = [&](uint32_t edge) {
      paintEdge(edge, true, 1.8 + kBundleGrowth * std::log2(scene_->edges[edge].count), true);
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
    const qint64 weak = weakBytes();
    for (uint32_t edge : visible_.edges) {
      const SceneEdge& item = scene_->edges[edge];
      fade_ = item.bytes < weak && !standsOut(item) ? kWeakOpacity : 1.0;
      if (!isHot(item) && item.kind != SceneEdgeKind::kAlias)
        paintEdge(edge, false, 1.1 + kBundleGrowth * std::log2(item.count), true);
    }
    fade_ = 1;
    return;
  }
  for (auto& lines : lines_) lines.clear();
  for (uint32_t edge : visible_.edges) {
    const SceneEdge& item = scene_->edges[edge];
    if (standsOut(item) || item.note >= 0) {
      paintEdge(edge, false, standsOut(item) ? kFaultWidth : 1.1, true);
      continue;
    }
    if (item.shortened || item.pointCount < 2 || item.kind == SceneEdgeKind::kAlias) continue;
    const auto line = scene_->line(item);
    // A flattened curve has more points than show at this size.
    const size_t step = level_ == DetailLevel::kFull ? 1 : 4;
    auto& lines = lines_[item.kind == SceneEdgeKind::kControl ? 1 : 0];
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

// Where lines crowd, those that carry less than this are drawn pale, so that the main ones can be followed.
qint64 ScenePainter::weakBytes() {
  const size_t count = visible_.edges.size();
  if (count < kCrowdEdges || count < 2 * (visible_.leaves.size() + 1)) return 0;
  std::vector<qint64> bytes;
  for (uint32_t edge : visible_.edges) bytes.push_back(scene_->edges[edge].bytes);
  const auto at = bytes.begin() + static_cast<ptrdiff_t>(count - count / 4);
  std::nth_element(bytes.begin(), at, bytes.end());
  return *at;
}

QColor ScenePainter::edgeColour(const SceneEdge& edge, bool hot) const {
  const Theme& theme = *options_->theme;
  if (edge.kind == SceneEdgeKind::kAlias)
    return nodeColours(options_->palette, NodeRole::kLargeParameter, theme.dark).border;
  if (standsOut(edge)) return theme.colour(ColourRole::kError);
  if (hot) return theme.colour(ColourRole::kEdgeHot);
  if (edge.category >= 0) return categoryColours(static_cast<size_t>(edge.category), theme.dark).border;
  switch (edge.kind) {
    case SceneEdgeKind::kControl:
      return theme.colour(ColourRole::kEdgeControl);
    case SceneEdgeKind::kAsync:
      return nodeColours(options_->palette, NodeRole::kCollective, theme.dark).border;
    case SceneEdgeKind::kAlias:
    case SceneEdgeKind::kMissing:
    case SceneEdgeKind::kData:
      break;
  }
  return theme.colour(edge.count > 1 ? ColourRole::kEdgeBundle : ColourRole::kEdge);
}

void ScenePainter::paintEdge(uint32_t edge, bool hot, double width, bool arrows) {
  const SceneEdge& item = scene_->edges[edge];
  if (item.pointCount < 2) return;
  const double opacity = options_->edgeOpacity * (item.dimmed && !hot ? 0.25 : 1.0) * (hot ? 1.0 : fade_);
  if (item.kind == SceneEdgeKind::kAsync) width += kAsyncWidth;
  if (standsOut(item)) width = std::max(width, kFaultWidth);
  const double scaled = std::clamp(width * std::sqrt(view_.scale), 0.6, 4.5);
  QPen pen(faded(edgeColour(item, hot), opacity), scaled);
  pen.setCapStyle(Qt::FlatCap);
  pen.setJoinStyle(Qt::RoundJoin);
  if (item.kind == SceneEdgeKind::kControl) pen.setDashPattern({4, 3});
  if (item.kind == SceneEdgeKind::kAlias) pen.setDashPattern({7, 3, 1.5, 3});
  if (item.kind == SceneEdgeKind::kMissing) pen.setDashPattern({1.5, 1.5});
  painter_->setPen(pen);
  painter_->setBrush(Qt::NoBrush);
  screenLine_.clear();
  for (const QPointF point : scene_->line(item)) screenLine_.push_back(view_.toScreen(point));
  if (item.shortened && !hot && !standsOut(item)) {
    paintStubs(screenLine_);
  } else {
    painter_->drawPolyline(screenLine_.data(), static_cast<int>(screenLine_.size()));
  }
  if (!arrows) return;
  if (item.kind == SceneEdgeKind::kMissing)
    return paintCross(view_.toScreen(pointAlong(scene_->line(item), 0.5)), pen.color());
  painter_->setPen(Qt::NoPen);
  painter_->setBrush(pen.color());
  const QPointF tip = screenLine_.back();
  size_t before = screenLine_.size() - 2;
  while (before > 0 && QLineF(screenLine_[before], tip).length() < 3) --before;
  paintArrow(screenLine_[before], tip, std::clamp((5.5 + scaled) * std::min(view_.scale, 1.3), 2.5, 11.0));
  if (item.note >= 0) paintDiamond(view_.toScreen(pointAlong(scene_->line(item), 0.5)));
  if (item.count > 1 && view_.scale > 0.45 && (!item.shortened || hot)) labelled_.push_back(edge);
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

// Something is done to the value on its way.
void ScenePainter::paintDiamond(QPointF centre) {
  const double radius = std::clamp(8 * view_.scale, 4.0, 9.0);
  const QPointF corners[4] = {centre + QPointF(0, -radius), centre + QPointF(radius, 0),
                              centre + QPointF(0, radius), centre + QPointF(-radius, 0)};
  painter_->setPen(QPen(options_->theme->colour(ColourRole::kSurface), 1.2));
  painter_->setBrush(options_->theme->colour(ColourRole::kWarning));
  painter_->drawConvexPolygon(corners, 4);
}

// It leads nowhere: no arrow, a cross where one would follow it.
void ScenePainter::paintCross(QPointF centre, const QColor& colour) {
  const double radius = std::clamp(9 * view_.scale, 5.0, 10.0), arm = radius * 0.5;
  painter_->setPen(QPen(colour, 1.8));
  painter_->setBrush(options_->theme->colour(ColourRole::kSurface));
  painter_->drawEllipse(centre, radius, radius);
  painter_->drawLine(centre + QPointF(-arm, -arm), centre + QPointF(arm, arm));
  painter_->drawLine(centre + QPointF(-arm, arm), centre + QPointF(arm, -arm));
}

// The labels of bundles lie where they hide neither a box nor another label; those that fit nowhere are left
// out: the card has them.
void ScenePainter::paintEdgeLabels() {
  if (labelled_.empty()) return;
  std::sort(labelled_.begin(), labelled_.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(scene_->edges[b].bytes, a) < std::pair(scene_->edges[a].bytes, b);
  });
  labelled_.erase(std::unique(labelled_.begin(), labelled_.end()), labelled_.end());
  const QFont& pillFont = font(std::clamp(static_cast<int>(10 * view_.scale), kLeastTextPx, 14));
  const QFontMetricsF metrics(pillFont);
  const QRectF window(QPointF(0, 0), window_);
  painter_->setFont(pillFont);
  const auto least =
      static_cast<qint64>(static_cast<double>(scene_->edges[labelled_.front()].bytes) * kEdgeLabelShare);
  std::vector<QRectF> taken;
  for (uint32_t edge : labelled_) {
    const SceneEdge& item = scene_->edges[edge];
    const bool hot = isHot(item) || edge == options_->hoveredEdge;
    if (!hot && (taken.size() >= kEdgeLabelLimit || item.bytes < least)) continue;
    QString text = QStringLiteral("×%1").arg(item.count);
    if (item.bytes > 0) text += QStringLiteral(" · ") + QString::fromStdString(amount::bytes(item.bytes));
    QRectF pill(QPointF(0, 0), QSizeF(metrics.horizontalAdvance(text) + 8, metrics.height() + 1));
    const auto line = scene_->line(item);
    for (double share : {0.5, 0.35, 0.65, 0.2, 0.8}) {
      pill.moveCenter(view_.toScreen(pointAlong(line, share)));
      const bool inSight = options_->everything || window.contains(pill);
      if (!inSight || !isFree(pill, taken)) continue;
      taken.push_back(pill);
      painter_->setPen(Qt::NoPen);
      painter_->setBrush(options_->theme->colour(ColourRole::kSurface));
      painter_->drawRoundedRect(pill, 3, 3);
      painter_->setPen(options_->theme->colour(ColourRole::kTextDim));
      painter_->drawText(pill, Qt::AlignCenter, text);
      break;
    }
  }
  labelled_.clear();
}

bool ScenePainter::isFree(const QRectF& pill, std::span<const QRectF> taken) const {
  for (const QRectF& other : taken) {
    if (other.intersects(pill)) return false;
  }
  bool free = true;
  const double header = scene_->headerHeight;
  const QRectF area = view_.toScene(pill);
  index_->nodes().visit(area, [&](uint32_t node) {
    QRectF rect = scene_->nodes[node].rect;
    if (scene_->nodes[node].open) rect.setHeight(header);
    free &= !rect.intersects(area);
  });
  return free;
}

void ScenePainter::paintOpenGroup(uint32_t index) {
  const SceneNode& node = scene_->nodes[index];
  const QRectF rect = rectOf(index);
  if (rect.width() < 2 || rect.height() < 2) return;
  const Theme& theme = *options_->theme;
  painter_->setPen(QPen(theme.colour(ColourRole::kGroupBorder), 1));
  painter_->setBrush(theme.colour(groundOf(index)));
  const double radius = std::min(6.0 * view_.scale, 8.0);
  painter_->drawRoundedRect(rect, radius, radius);
  // The strip of the header carries the colour of what the group is.
  const double header = scene_->headerHeight * view_.scale;
  const bool isPlain = node.role == NodeRole::kScope && node.heat < 0 && node.category < 0;
  if (level_ != DetailLevel::kFull || header < 6 || isPlain) return;
  const NodeColours colours = coloursOf(node);
  painter_->setPen(Qt::NoPen);
  painter_->setBrush(colours.fill);
  // Clear of the rounded corner.
  const double corner = 5 * view_.scale;
  const QRectF strip(rect.left() + 2, rect.top() + corner, std::max(3.0, corner), header - corner);
  painter_->drawRoundedRect(strip, 1.5, 1.5);
}

ColourRole ScenePainter::groundOf(uint32_t group) const {
  return index_->depth(group) % 2 == 0 ? ColourRole::kGroupFill : ColourRole::kGroupFillAlt;
}

void ScenePainter::paintGroupTitle(uint32_t index, const QRectF& rect, std::vector<QRectF>& taken) {
  const SceneNode& node = scene_->nodes[index];
  const double header = scene_->headerHeight * view_.scale;
  const bool inHeader = header >= kLeastHeaderPx;
  const int px = inHeader ? std::clamp(static_cast<int>(header * 0.5), kLeastTextPx, 20) : kLeastTextPx;
  const QRectF window(QPointF(0, 0), window_);
  // The title stays in sight while any of the group is.
  const QRectF shown = options_->everything ? rect : rect.intersected(window);
  // Over what the group holds only where it hides little of it.
  if (!inHeader && (shown.width() < 160 || shown.height() < 8 * px)) return;
  if (shown.width() < 40 || shown.height() < px + 4) return;
  QRectF area(shown.left() + 10, rect.top(), shown.width() - 16, inHeader ? header : px + 4);
  const bool atTop = area.top() >= 0 || options_->everything;
  if (!atTop) area.moveTop(std::min(0.0, rect.bottom() - area.height()));
  const Theme& theme = *options_->theme;
  const QFont titleFont = font(px, true);
  const double titleWidth = QFontMetricsF(titleFont).horizontalAdvance(node.title);
  const bool hasSubtitle = inHeader && !node.subtitle.isEmpty() && area.width() - titleWidth - 14 >= 60;
  const QFont& smallFont = font(std::max(px - 2, kLeastTextPx));
  // Edges run through headers, and over boxes or pinned to the window's top there is more to hide.
  double ground = titleWidth + 12;
  if (hasSubtitle) ground += QFontMetricsF(smallFont).horizontalAdvance(node.subtitle) + 6;
  const QRectF place(area.left() - 4, area.center().y() - px * 0.75, std::min(ground, area.width() + 4),
                     px * 1.5);
  // Where several would be pinned over each other, the innermost, which came first, is what one looks at.
  if (!atTop && std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(place); }))
    return;
  taken.push_back(place);
  painter_->setPen(Qt::NoPen);
  painter_->setBrush(faded(theme.colour(groundOf(index)), 0.85));
  painter_->drawRoundedRect(place, 3, 3);
  painter_->setPen(theme.colour(ColourRole::kText));
  drawLabel((node.id << 3) | 2, node.title, area, titleFont, px, Qt::AlignLeft | Qt::AlignVCenter);
  if (!hasSubtitle) return;
  painter_->setPen(theme.colour(ColourRole::kTextDim));
  drawLabel((node.id << 3) | 3, node.subtitle, area.adjusted(titleWidth + 10, 0, 0, 0), smallFont, px - 2,
            Qt::AlignLeft | Qt::AlignVCenter);
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
    const bool special = node.heat >= 0 || node.category >= 0 || node.dimmed;
    fillBox(dots_, device, special ? coloursOf(node).fill.rgb() : fills[static_cast<size_t>(node.role)]);
  }
  painter_->drawImage(QRectF(QPointF(0, 0), window_), dots_);
}

void ScenePainter::paintBoxes() {
  for (auto& boxes : boxes_) boxes.clear();
  for (uint32_t leaf : visible_.leaves) {
    const SceneNode& node = scene_->nodes[leaf];
    if (node.heat >= 0 || node.category >= 0 || node.dimmed) {
      const NodeColours colours = coloursOf(node);
      painter_->setPen(QPen(colours.border, 0));
      painter_->setBrush(colours.fill);
      painter_->drawRect(rectOf(leaf));
      if (!node.parts.empty()) paintParts(node, rectOf(leaf));
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

// Shares of categories as a bar along the foot of a box.
void ScenePainter::paintParts(const SceneNode& node, const QRectF& rect) {
  const double height = std::clamp(5 * view_.scale, 2.0, 7.0), inset = std::min(3 * view_.scale, 4.0);
  QRectF part(rect.left() + inset, rect.bottom() - height - 1, 0, height);
  painter_->setPen(Qt::NoPen);
  for (const auto& [category, share] : node.parts) {
    part.setWidth((rect.width() - 2 * inset) * share);
    painter_->setBrush(categoryColours(static_cast<size_t>(category), options_->theme->dark).border);
    painter_->drawRect(part);
    part.moveLeft(part.right());
  }
}

void ScenePainter::paintLeaf(uint32_t index) {
  const SceneNode& node = scene_->nodes[index];
  const QRectF rect = rectOf(index);
  const NodeColours colours = coloursOf(node);
  const double radius = std::min(4.0 * view_.scale, 6.0);
  painter_->setPen(QPen(colours.border, node.emphasised ? std::clamp(2.5 * view_.scale, 1.5, 4.0) : 1));
  painter_->setBrush(colours.fill);
  if (node.group) {
    // A closed group is a stack of sheets.
    const double lift = std::min(3.0 * view_.scale, 4.0);
    painter_->drawRoundedRect(rect.translated(lift, lift), radius, radius);
  }
  painter_->drawRoundedRect(rect, radius, radius);
  if (node.mark != SceneMark::kNone && node.mark != SceneMark::kFault) {
    const ColourRole role = node.mark == SceneMark::kAdded     ? ColourRole::kMarkAdded
                            : node.mark == SceneMark::kRemoved ? ColourRole::kMarkRemoved
                                                               : ColourRole::kMarkChanged;
    const QColor colour = options_->theme->colour(role);
    painter_->setPen(QPen(colour, std::max(1.5, 2 * view_.scale),
                          node.mark == SceneMark::kRemoved ? Qt::DashLine : Qt::SolidLine));
    painter_->setBrush(Qt::NoBrush);
    painter_->drawRoundedRect(rect.adjusted(-2, -2, 2, 2), radius + 2, radius + 2);
  }
  if (!node.parts.empty()) paintParts(node, rect);
  paintLeafText(index, rect, colours.text);
}

// Boxes shrink further than text can: a small box keeps its title, cut to what fits, and loses the rest.
void ScenePainter::paintLeafText(uint32_t index, const QRectF& rect, const QColor& colour) {
  const SceneNode& node = scene_->nodes[index];
  const int px = std::clamp(static_cast<int>(kTitlePx * view_.scale + 0.5), kLeastTextPx, 48);
  const int smallPx = std::clamp(static_cast<int>(kSubtitlePx * view_.scale + 0.5), 6, 40);
  if (rect.height() < px || rect.width() < 1.6 * px) return;
  const double margin = std::clamp(9 * (view_.scale - 0.4), 1.5, 6 * view_.scale + 1.5);
  QRectF area = rect.adjusted(margin, 0, -margin, 0);
  if (!node.tags.isEmpty() && view_.scale > kTagsAbove) {
    const double strip = (kTagStrip + (node.parts.empty() ? 0 : 4)) * view_.scale;
    paintTags(node, QRectF(rect.left(), rect.bottom() - strip, rect.width(), kTagStrip * view_.scale),
              colour);
    area.setBottom(area.bottom() - strip);
  }
  const bool twoLines = !node.subtitle.isEmpty() && smallPx >= 7 && area.height() > (px + smallPx) * 1.15;
  const QRectF upper(area.left(), area.top() + area.height() * 0.06, area.width(), area.height() * 0.5);
  const QRectF lower(area.left(), area.top() + area.height() * 0.5, area.width(), area.height() * 0.44);
  painter_->setPen(colour);
  drawLabel(node.id << 3, node.title, twoLines ? upper : area, font(px), px, Qt::AlignCenter);
  if (!twoLines) return;
  painter_->setPen(node.heat >= 0 ? colour : faded(colour, 0.75));  // heat has middle greys of its own
  drawLabel((node.id << 3) | 1, node.subtitle, lower, font(smallPx), px, Qt::AlignCenter);
}

void ScenePainter::paintTags(const SceneNode& node, const QRectF& strip, const QColor& colour) {
  const int px = std::clamp(static_cast<int>(kTagPx * view_.scale + 0.5), 6, 36);
  const QFont& tagFont = font(px);
  const QFontMetricsF metrics(tagFont);
  const double gap = 3 * view_.scale, padding = 3 * view_.scale;
  double width = -gap;
  for (const QString& tag : node.tags) width += metrics.horizontalAdvance(tag) + 2 * padding + gap;
  double x = std::max(strip.left() + gap, strip.center().x() - width / 2);
  painter_->setFont(tagFont);
  for (const QString& tag : node.tags) {
    const double room = strip.right() - gap - x;
    if (room < 2 * px) return;
    const double wanted = metrics.horizontalAdvance(tag) + 2 * padding;
    const QRectF pill(x, strip.top(), std::min(wanted, room), strip.height() - 3 * view_.scale);
    painter_->setPen(Qt::NoPen);
    painter_->setBrush(faded(colour, 0.12));
    painter_->drawRoundedRect(pill, 2.5 * view_.scale, 2.5 * view_.scale);
    painter_->setPen(faded(colour, 0.9));
    painter_->drawText(pill, Qt::AlignCenter,
                       wanted <= room ? tag : metrics.elidedText(tag, Qt::ElideRight, room - padding));
    x += wanted + gap;
  }
}

void ScenePainter::drawLabel(uint64_t key, const QString& text, const QRectF& area, const QFont& font,
                             int fontPx, Qt::Alignment alignment) {
  const int width = static_cast<int>(area.width());
  if (width < fontPx || text.isEmpty()) return;
  // Laid-out text is kept by node and font size. A slowly zoomed view keeps its font sizes
  // for several frames.
  Label& label = labels_[key * 64 + static_cast<uint64_t>(fontPx)];
  if (label.width != width) {
    label.width = width;
    label.text.setTextFormat(Qt::PlainText);
    label.text.setPerformanceHint(QStaticText::AggressiveCaching);
    label.text.setText(fittedText(text, QFontMetricsF(font), width, fontPx));
    label.text.prepare(QTransform(), font);
  }
  painter_->setFont(font);
  const QSizeF size = label.text.size();
  const double x = alignment & Qt::AlignLeft ? area.left() : area.center().x() - size.width() / 2;
  const double y = area.center().y() - size.height() / 2;
  painter_->drawStaticText(QPointF(x, y), label.text);
}

QRectF ScenePainter::findable(uint32_t node, double gap) const {
  QRectF rect = rectOf(node).adjusted(-gap, -gap, gap, gap);
  const double width = std::max(0.0, kLeastOutlined - rect.width()) / 2;
  const double height = std::max(0.0, kLeastOutlined - rect.height()) / 2;
  return rect.adjusted(-width, -height, width, height);
}

// Two lines around it, and a warning sign on its corner.
void ScenePainter::paintFaults(std::span<const uint32_t> nodes) {
  const QColor colour = options_->theme->colour(ColourRole::kError);
  const QColor ground = options_->theme->colour(ColourRole::kSurface);
  for (const uint32_t node : nodes) {
    if (scene_->nodes[node].mark != SceneMark::kFault) continue;
    painter_->setPen(QPen(colour, 1.6));
    painter_->setBrush(Qt::NoBrush);
    for (const double gap : {1.5, 4.5}) painter_->drawRoundedRect(findable(node, gap), 4 + gap, 4 + gap);
    const QPointF at = findable(node, 3).topRight();
    const double size = std::clamp(13 * view_.scale, 9.0, 18.0);
    const QPointF corners[3] = {at + QPointF(0, -size), at + QPointF(size, size * 0.75),
                                at + QPointF(-size, size * 0.75)};
    painter_->setPen(QPen(ground, 1.5));
    painter_->setBrush(colour);
    painter_->drawConvexPolygon(corners, 3);
    painter_->setPen(QPen(ground, std::max(1.5, size / 6), Qt::SolidLine, Qt::RoundCap));
    painter_->drawLine(at + QPointF(0, -size * 0.35), at + QPointF(0, size * 0.2));
    painter_->drawPoint(at + QPointF(0, size * 0.5));
  }
}

void ScenePainter::paintOutlines() {
  const Theme& theme = *options_->theme;
  paintFaults(visible_.groups);
  paintFaults(visible_.leaves);
  painter_->setBrush(Qt::NoBrush);
  auto outline = [&](uint32_t node, double width, double gap) {
    painter_->setPen(QPen(theme.colour(ColourRole::kAccent), width));
    painter_->drawRoundedRect(findable(node, gap), 4 + gap, 4 + gap);
  };
  for (size_t i = 0; i < options_->selected.size(); ++i) {
    const uint32_t node = options_->selected[i];
    // Around a mark, not over it.
    const SceneMark mark = scene_->nodes[node].mark;
    const double gap = mark == SceneMark::kNone ? 2.5 : mark == SceneMark::kFault ? 7.5 : 5.5;
    outline(node, i == 0 ? 2.5 : 1.5, gap);
  }
  if (options_->hovered != kNoIndex && !scene_->nodes[options_->hovered].open)
    outline(options_->hovered, 1, 1.5);
}

}  // namespace hilo
