#include "ui/canvas/canvas_widget.h"

#include <array>
#include <cmath>

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "ui/canvas/fill_box.h"
#include "ui/canvas/hover_card.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kFitMargin = 24;
constexpr int kMotionMs = 180;
// More moving boxes in sight than this cannot be drawn smoothly; the scene is then changed at once.
constexpr size_t kMotionLimit = 3'000;
constexpr int kCardDelayMs = 350;
constexpr double kReadableNodePx = 16;
constexpr double kPlainNodeHeight = 40;
constexpr double kWholeNamePx = 24;  // most names are whole, not cut
constexpr double kMaxFitGrowth = 4;
constexpr int kMinimapWidth = 170;
constexpr int kMinimapHeight = 120;

}  // namespace

CanvasWidget::CanvasWidget(QWidget* parent)
    : QWidget(parent), shown_(std::make_shared<const IndexedScene>()), card_(new HoverCard(this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(120, 80);
  setAttribute(Qt::WA_OpaquePaintEvent);
  cardTimer_.setSingleShot(true);
  connect(&cardTimer_, &QTimer::timeout, this, [this] {
    QString text;
    if (hovered_ != kNoIndex && nodeText_) text = nodeText_(scene().nodes[hovered_].id);
    if (hovered_ == kNoIndex && hoveredEdge_ != kNoIndex && edgeText_)
      text = edgeText_(scene().edges[hoveredEdge_]);
    card_->showAt(pointer_.toPoint(), text);
  });
  motion_.setDuration(kMotionMs);
  motion_.setStartValue(0.0);
  motion_.setEndValue(1.0);
  motion_.setEasingCurve(QEasingCurve::OutCubic);
  connect(&motion_, &QVariantAnimation::valueChanged, this,
          [this](const QVariant& value) { stepMoving(value.toDouble()); });
  connect(&motion_, &QVariantAnimation::finished, this, [this] {
    moving_.clear();
    anchorIndex_ = kNoIndex;
    update();
  });
}

CanvasWidget::~CanvasWidget() = default;

void CanvasWidget::setScene(std::shared_ptr<const IndexedScene> scene, SceneNodeId anchor) {
  motion_.stop();
  std::vector<SceneNodeId> kept;
  for (uint32_t node : selectedIndices_) kept.push_back(this->scene().nodes[node].id);
  const std::shared_ptr<const IndexedScene> before = std::exchange(shown_, std::move(scene));
  painter_.reset();
  minimap_ = {};
  hovered_ = hoveredEdge_ = kNoIndex;
  card_->hide();
  moving_.clear();
  select(kept);
  const uint32_t old = before->index.find(anchor);
  anchorIndex_ = old == kNoIndex ? kNoIndex : index().find(anchor);
  const bool nobodyMoved = fitOnResize_ && anchorIndex_ == kNoIndex;
  if (!fitted_ || before->scene.nodes.empty() || nobodyMoved) {
    fitted_ = !this->scene().nodes.empty();
    fitReadable();
    return;
  }
  // Nothing of the new scene is in sight.
  const QRectF seen(view_.toScene(QPointF(0, 0)), view_.toScene(QPointF(width(), height())));
  if (anchorIndex_ == kNoIndex && !seen.intersects(index().bounds())) return fitReadable();
  if (anchorIndex_ != kNoIndex) {
    const QRectF rect = before->scene.nodes[old].rect;
    anchorScreen_ = view_.toScreen(QPointF(rect.center().x(), rect.top()));
    holdAnchor(this->scene().nodes[anchorIndex_].rect);
    if (animated_ && isVisible()) startMoving(*before, old);
  }
  update();
  Q_EMIT viewChanged();
}

// Only what can be seen on the way is moved: a large scene opens a group as softly as a small one.
void CanvasWidget::startMoving(const IndexedScene& before, uint32_t oldAnchor) {
  const std::vector<SceneNode>& nodes = scene().nodes;
  const QSizeF window(size());
  // Where the window lies in the scene before and after: the anchor is at one place in it.
  const QPointF oldTop(before.scene.nodes[oldAnchor].rect.center().x(),
                       before.scene.nodes[oldAnchor].rect.top());
  const QRectF seenBefore(oldTop - anchorScreen_ / view_.scale, window / view_.scale);
  const QRectF seenAfter = view_.toScene(QRectF(QPointF(0, 0), window));
  movingNodes_.clear();
  index().nodes().visit(seenAfter, [&](uint32_t node) { movingNodes_.push_back(node); });
  before.index.nodes().visit(seenBefore, [&](uint32_t old) {
    if (const uint32_t node = index().find(before.scene.nodes[old].id); node != kNoIndex)
      movingNodes_.push_back(node);
  });
  std::ranges::sort(movingNodes_);
  const auto repeated = std::ranges::unique(movingNodes_);
  movingNodes_.erase(repeated.begin(), repeated.end());
  if (movingNodes_.size() > kMotionLimit) return;
  moving_.resize(nodes.size());
  movingFrom_.clear();
  for (uint32_t i : movingNodes_) {
    const SceneNode& node = nodes[i];
    QRectF from(node.rect.center(), QSizeF(0, 0));
    if (const uint32_t was = before.index.find(node.id); was != kNoIndex) {
      from = before.scene.nodes[was].rect;
    } else if (node.parent != kNoIndex && std::ranges::binary_search(movingNodes_, node.parent)) {
      // New boxes grow out of the group they come from.
      from = QRectF(moving_[node.parent].center(), QSizeF(0, 0));
    }
    movingFrom_.push_back(from);
    moving_[i] = from;
  }
  stepMoving(0);
  motion_.start();
}

void CanvasWidget::stepMoving(double share) {
  if (moving_.size() != scene().nodes.size()) return;
  for (size_t k = 0; k < movingNodes_.size(); ++k) {
    const QRectF& a = movingFrom_[k];
    const QRectF& b = scene().nodes[movingNodes_[k]].rect;
    moving_[movingNodes_[k]] =
        QRectF(a.x() + (b.x() - a.x()) * share, a.y() + (b.y() - a.y()) * share,
               a.width() + (b.width() - a.width()) * share, a.height() + (b.height() - a.height()) * share);
  }
  if (anchorIndex_ != kNoIndex) {
    // The anchor is in sight, but for one that a key opened from afar.
    const bool moves = std::ranges::binary_search(movingNodes_, anchorIndex_);
    holdAnchor(moves ? moving_[anchorIndex_] : scene().nodes[anchorIndex_].rect);
  }
  update();
}

void CanvasWidget::holdAnchor(const QRectF& rect) {
  view_.offset = anchorScreen_ - QPointF(rect.center().x(), rect.top()) * view_.scale;
}

void CanvasWidget::setNodePalette(NodePalette palette) {
  nodePalette_ = palette;
  minimap_ = {};
  update();
}

void CanvasWidget::setHoverText(std::function<QString(SceneNodeId)> node,
                                std::function<QString(const SceneEdge&)> edge) {
  nodeText_ = std::move(node);
  edgeText_ = std::move(edge);
}

void CanvasWidget::select(const std::vector<SceneNodeId>& ids) {
  selectedIndices_.clear();
  for (SceneNodeId id : ids) {
    if (const uint32_t node = index().find(id); node != kNoIndex) selectedIndices_.push_back(node);
  }
  update();
}

SceneNodeId CanvasWidget::selected() const {
  return selectedIndices_.empty() ? kNoSceneNode : scene().nodes[selectedIndices_.front()].id;
}

void CanvasWidget::selectByUser(uint32_t node) {
  selectedIndices_.clear();
  if (node != kNoIndex) selectedIndices_.push_back(node);
  update();
  Q_EMIT nodeSelected(selected());
}

// Whoever moves the view while boxes move has the last word: the anchor is not held any longer.
void CanvasWidget::setView(const ViewTransform& view) {
  view_ = view;
  anchorIndex_ = kNoIndex;
  fitOnResize_ = false;
  revealed_ = kNoSceneNode;
  update();
  Q_EMIT viewChanged();
}

void CanvasWidget::fit() {
  setView(ViewTransform::fitting(index().bounds(), size(), kFitMargin));
  fitOnResize_ = true;
}

void CanvasWidget::fitReadable() {
  fit();
  // Names are as large in a high box as in a low one.
  const double readable = kReadableNodePx / std::clamp(index().typicalHeight(), 1.0, kPlainNodeHeight);
  const QRectF bounds = index().bounds();
  // What is far too large is better seen as a whole, but for a long chain: it is read from its top downwards.
  const bool onlyLong = bounds.width() * readable <= width();
  if (view_.scale >= readable || (view_.scale * kMaxFitGrowth < readable && !onlyLong)) return;
  ViewTransform view{readable, {}};
  view.offset = QPointF(width() / 2.0 - bounds.center().x() * readable,
                        bounds.height() * readable < height() ? (height() - bounds.height() * readable) / 2
                                                              : kFitMargin - bounds.top() * readable);
  setView(view);
  fitOnResize_ = true;
}

void CanvasWidget::zoomToSelection() {
  QRectF area;
  for (uint32_t node : selectedIndices_) area |= scene().nodes[node].rect;
  if (area.isEmpty()) return;
  const double around = std::max(area.width(), area.height()) * 0.3 + 60;
  setView(ViewTransform::fitting(area.adjusted(-around, -around, around, around), size(), kFitMargin));
}

void CanvasWidget::reveal(SceneNodeId id) {
  const uint32_t node = index().find(id);
  if (node == kNoIndex) return;
  const QRectF rect = scene().nodes[node].rect;
  // Places are told as they are once nothing moves any more.
  if (anchorIndex_ != kNoIndex) holdAnchor(scene().nodes[anchorIndex_].rect);
  anchorIndex_ = kNoIndex;
  ViewTransform view = view_;
  const bool unreadable = index().typicalHeight() * view.scale < kWholeNamePx && !scene().nodes[node].open;
  if (unreadable) {
    view.scale = std::min(1.0, 2 * kReadableNodePx / std::max(1.0, index().typicalHeight()));
    view = view.centredOn(rect.center(), size());
    // Downwards alone: to the right is the minimap, which is not to lie over it.
    view.offset.setY(view.filledBy(index().bounds(), size(), kFitMargin).offset.y());
  } else if (!QRectF(this->rect()).contains(view_.toScreen(index().bounds()))) {
    view = view.revealing(rect, size(), std::min(60.0, std::min(width(), height()) / 4.0));
  }
  const bool nobodyMoved = fitOnResize_ || revealed_ != kNoSceneNode;
  if (!(view == view_)) setView(view);
  if (nobodyMoved) revealed_ = id;
}

void CanvasWidget::zoomBy(double factor) {
  setView(view_.zoomedAt(QPointF(width() / 2.0, height() / 2.0), factor));
}

void CanvasWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  PaintOptions options;
  options.theme = &theme;
  options.palette = nodePalette_;
  options.selected = selectedIndices_;
  options.hovered = hovered_;
  options.hoveredEdge = hoveredEdge_;
  if (!moving_.empty()) {
    options.moving = moving_;
    options.movingNodes = movingNodes_;
    // Lines are drawn at their new places, so they wait until the boxes are nearly there.
    const double share = motion_.currentValue().toDouble();
    options.edgeOpacity = std::clamp(share * 2 - 1, 0.0, 1.0);
  }
  painter_.paint(painter, scene(), index(), view_, size(), options);
  paintMinimap(painter);
}

void CanvasWidget::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (!fitOnResize_ && revealed_ == kNoSceneNode) return;
  const SceneNodeId revealed = revealed_;
  fitReadable();
  reveal(revealed);
}

void CanvasWidget::wheelEvent(QWheelEvent* event) {
  const QPoint pixels = event->pixelDelta();
  if (event->modifiers() & Qt::ShiftModifier) {
    const QPointF delta = pixels.isNull() ? QPointF(event->angleDelta()) / 2 : QPointF(pixels);
    setView(view_.panned(delta.x() == 0 ? QPointF(delta.y(), 0) : delta));
  } else {
    const double steps = event->angleDelta().y() / 120.0;
    setView(view_.zoomedAt(event->position(), std::pow(1.2, steps)));
  }
  updateHover(event->position());
  event->accept();
}

void CanvasWidget::mousePressEvent(QMouseEvent* event) {
  card_->hide();
  cardTimer_.stop();
  pressPlace_ = event->position();
  pressView_ = view_;
  if (event->button() == Qt::RightButton) return;
  if (minimapRect().contains(event->position())) {
    drag_ = Drag::kMinimap;
    panByMinimap(event->position());
    return;
  }
  drag_ = Drag::kPressed;
}

void CanvasWidget::mouseMoveEvent(QMouseEvent* event) {
  const QPointF moved = event->position() - pressPlace_;
  if (drag_ == Drag::kMinimap) {
    panByMinimap(event->position());
    return;
  }
  if (drag_ == Drag::kPressed && moved.manhattanLength() > 4) {
    drag_ = Drag::kPanning;
    setCursor(Qt::ClosedHandCursor);
  }
  if (drag_ == Drag::kPanning) {
    setView(pressView_.panned(moved));
    return;
  }
  updateHover(event->position());
}

void CanvasWidget::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::kNone);
  unsetCursor();
  if (drag != Drag::kPressed || event->button() != Qt::LeftButton) return;
  selectByUser(index().nodeAt(view_.toScene(event->position())));
}

void CanvasWidget::mouseDoubleClickEvent(QMouseEvent* event) {
  drag_ = Drag::kNone;
  if (event->button() != Qt::LeftButton || minimapRect().contains(event->position())) return;
  const uint32_t node = index().nodeAt(view_.toScene(event->position()));
  if (node == kNoIndex) return;
  if (node != mainIndex()) selectByUser(node);
  Q_EMIT nodeActivated(scene().nodes[node].id);
}

void CanvasWidget::contextMenuEvent(QContextMenuEvent* event) {
  card_->hide();
  uint32_t node = mainIndex();
  if (event->reason() == QContextMenuEvent::Mouse) {
    node = index().nodeAt(view_.toScene(QPointF(event->pos())));
    if (node != mainIndex()) selectByUser(node);
  }
  Q_EMIT contextMenuAsked(node == kNoIndex ? kNoSceneNode : scene().nodes[node].id, event->globalPos());
}

void CanvasWidget::leaveEvent(QEvent*) {
  cardTimer_.stop();
  card_->hide();
  if (hovered_ == kNoIndex && hoveredEdge_ == kNoIndex) return;
  hovered_ = hoveredEdge_ = kNoIndex;
  update();
  Q_EMIT nodeHovered(kNoSceneNode);
}

void CanvasWidget::updateHover(QPointF place) {
  pointer_ = place;
  uint32_t node = kNoIndex;
  uint32_t edge = kNoIndex;
  if (moving_.empty() && !minimapRect().contains(place)) {
    const QPointF scenePlace = view_.toScene(place);
    node = index().nodeAt(scenePlace);
    const bool inside = node != kNoIndex && !scene().nodes[node].open;
    const bool edgesShown = detailLevel(index().typicalHeight() * view_.scale) == DetailLevel::kFull;
    if (!inside && edgesShown) edge = index().edgeAt(scenePlace, 5 / view_.scale);
    // The empty part of an open group is not worth a card; its header is.
    if (node != kNoIndex && scene().nodes[node].open) {
      const bool header = scenePlace.y() < scene().nodes[node].rect.top() + scene().headerHeight;
      if (!header) node = kNoIndex;
    }
  }
  if (node == hovered_ && edge == hoveredEdge_) return;
  const bool nodeChanged = node != hovered_;
  hovered_ = node;
  hoveredEdge_ = edge;
  card_->hide();
  if (node != kNoIndex || edge != kNoIndex) {
    cardTimer_.start(kCardDelayMs);
  } else {
    cardTimer_.stop();
  }
  update();
  if (nodeChanged) Q_EMIT nodeHovered(node == kNoIndex ? kNoSceneNode : scene().nodes[node].id);
}

namespace {

// h, j, k and l move as in vi.
int arrowOf(const QKeyEvent& event) {
  if (event.modifiers() & ~Qt::KeypadModifier) return 0;
  switch (event.key()) {
    case Qt::Key_H:
      return Qt::Key_Left;
    case Qt::Key_J:
      return Qt::Key_Down;
    case Qt::Key_K:
      return Qt::Key_Up;
    case Qt::Key_L:
      return Qt::Key_Right;
    case Qt::Key_Left:
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_Right:
      return event.key();
    default:
      return 0;
  }
}

}  // namespace

// Up and down along the edges, to the end that lies straightest; left and right along the row.
uint32_t CanvasWidget::neighbour(uint32_t node, int arrow) const {
  if (arrow == Qt::Key_Left || arrow == Qt::Key_Right)
    return index().sibling(node, arrow == Qt::Key_Left ? -1 : +1);
  const bool up = arrow == Qt::Key_Up;
  const double x = scene().nodes[node].rect.center().x();
  uint32_t best = kNoIndex;
  double nearest = 0;
  for (uint32_t e : up ? index().edgesInto(node) : index().edgesOutOf(node)) {
    const SceneEdge& edge = scene().edges[e];
    if (edge.kind == SceneEdgeKind::kAlias) continue;
    const uint32_t end = up ? edge.from : edge.to;
    const double aside = std::abs(scene().nodes[end].rect.center().x() - x);
    if (best != kNoIndex && aside >= nearest) continue;
    best = end;
    nearest = aside;
  }
  return best;
}

void CanvasWidget::walk(int arrow) {
  if (scene().nodes.empty()) return;
  // With nothing selected the keys start at what is in the middle of the window, or the first node.
  const uint32_t current = mainIndex();
  uint32_t next = kNoIndex;
  if (current == kNoIndex) {
    next = index().nodeAt(view_.toScene(QPointF(width() / 2.0, height() / 2.0)));
    if (next == kNoIndex) next = 0;
  } else {
    next = neighbour(current, arrow);
  }
  if (next == kNoIndex) return;
  selectByUser(next);
  reveal(selected());
}

void CanvasWidget::keyPressEvent(QKeyEvent* event) {
  if (const int arrow = arrowOf(*event); arrow != 0) return walk(arrow);
  const uint32_t current = mainIndex();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      zoomBy(1.25);
      return;
    case Qt::Key_Minus:
      zoomBy(0.8);
      return;
    case Qt::Key_0:
      zoomBy(1 / view_.scale);
      return;
    case Qt::Key_F:
      fit();
      return;
    case Qt::Key_Z:
      zoomToSelection();
      return;
    case Qt::Key_Escape:
      if (current == kNoIndex) break;
      selectByUser(kNoIndex);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (current != kNoIndex) Q_EMIT nodeActivated(scene().nodes[current].id);
      return;
    case Qt::Key_Backspace:
      if (current == kNoIndex || scene().nodes[current].parent == kNoIndex) return;
      selectByUser(scene().nodes[current].parent);
      reveal(selected());
      return;
    default:
      break;
  }
  QWidget::keyPressEvent(event);
}

QRectF CanvasWidget::minimapRect() const {
  const QRectF bounds = index().bounds();
  if (bounds.isEmpty() || width() < 3 * kMinimapWidth || height() < 3 * kMinimapHeight) return {};
  const QRectF window(QPointF(0, 0), QSizeF(size()));
  if (window.contains(view_.toScreen(bounds))) return {};
  const double scale = std::min(kMinimapWidth / bounds.width(), kMinimapHeight / bounds.height());
  const QSizeF size = (bounds.size() * scale).expandedTo(QSizeF(12, 12));
  return QRectF(QPointF(width() - size.width() - 12, height() - size.height() - 12), size);
}

void CanvasWidget::paintMinimap(QPainter& painter) {
  const QRectF area = minimapRect();
  if (area.isEmpty()) return;
  const Theme& theme = themeOf(*this);
  const QRectF bounds = index().bounds();
  const QSize pixels = (area.size() * devicePixelRatioF()).toSize();
  if (minimap_.size() != pixels || minimapDark_ != theme.dark) {
    minimapDark_ = theme.dark;
    minimap_ = QImage(pixels, QImage::Format_ARGB32_Premultiplied);
    minimap_.fill(theme.colour(ColourRole::kSurfaceRaised));
    std::array<QRgb, static_cast<size_t>(NodeRole::kCount)> colours{};
    for (size_t role = 0; role < colours.size(); ++role)
      colours[role] = nodeColours(nodePalette_, static_cast<NodeRole>(role), theme.dark).border.rgb();
    const QRgb ground = theme.colour(ColourRole::kGroupFillAlt).rgb();
    const double x = minimap_.width() / bounds.width(), y = minimap_.height() / bounds.height();
    for (const SceneNode& node : scene().nodes) {
      const QRectF box((node.rect.left() - bounds.left()) * x, (node.rect.top() - bounds.top()) * y,
                       node.rect.width() * x, node.rect.height() * y);
      const bool special = node.heat >= 0 || node.category >= 0;
      const QRgb own = special ? coloursOf(node, nodePalette_, theme).border.rgb()
                               : colours[static_cast<size_t>(node.role)];
      fillBox(minimap_, box, node.open ? ground : own);
    }
  }
  painter.setOpacity(0.92);
  painter.drawImage(area, minimap_);
  painter.setOpacity(1);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.drawRect(area);
  const QRectF seen = view_.toScene(QRectF(rect())).intersected(bounds);
  const double x = area.width() / bounds.width(), y = area.height() / bounds.height();
  painter.setPen(QPen(theme.colour(ColourRole::kAccent), 1.5));
  painter.drawRect(QRectF(area.left() + (seen.left() - bounds.left()) * x,
                          area.top() + (seen.top() - bounds.top()) * y, seen.width() * x, seen.height() * y));
}

void CanvasWidget::panByMinimap(QPointF place) {
  const QRectF area = minimapRect();
  if (area.isEmpty()) return;
  const QRectF bounds = index().bounds();
  const QPointF target(bounds.left() + (place.x() - area.left()) / area.width() * bounds.width(),
                       bounds.top() + (place.y() - area.top()) / area.height() * bounds.height());
  setView(view_.centredOn(target, size()));
}

}  // namespace hilo
