#include "ui/canvas/canvas_widget.h"

#include <cmath>

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "ui/canvas/scene_walk.h"

namespace hilo {
namespace {

constexpr double kFitMargin = 24;
constexpr double kReadableNodePx = 16;
constexpr double kPlainNodeHeight = 40;
constexpr double kWholeNamePx = 24;  // most names are whole, not cut
constexpr double kMaxFitGrowth = 4;

}  // namespace

CanvasWidget::CanvasWidget(QWidget* parent)
    : QWidget(parent), shown_(std::make_shared<const IndexedScene>()), hover_(*this) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(120, 80);
  setAttribute(Qt::WA_OpaquePaintEvent);
  connect(&hover_, &SceneHover::changed, this, qOverload<>(&QWidget::update));
  connect(&hover_, &SceneHover::nodeChanged, this, &CanvasWidget::nodeHovered);
  connect(&motion_, &SceneMotion::stepped, this, [this] {
    view_ = motion_.held(view_);
    update();
  });
}

void CanvasWidget::setScene(std::shared_ptr<const IndexedScene> scene, SceneNodeId anchor) {
  std::vector<SceneNodeId> kept;
  for (uint32_t node : selectedIndices_) kept.push_back(this->scene().nodes[node].id);
  const std::shared_ptr<const IndexedScene> before = std::exchange(shown_, std::move(scene));
  painter_.reset();
  minimap_.reset();
  hover_.setScene(shown_);
  motion_.setScene(shown_);
  select(kept);
  const uint32_t old = before->index.find(anchor);
  const uint32_t held = old == kNoIndex ? kNoIndex : index().find(anchor);
  const bool nobodyMoved = fitOnResize_ && held == kNoIndex;
  if (!fitted_ || before->scene.nodes.empty() || nobodyMoved) {
    fitted_ = !this->scene().nodes.empty();
    fitReadable();
    return;
  }
  // Nothing of the new scene is in sight.
  const QRectF seen(view_.toScene(QPointF(0, 0)), view_.toScene(QPointF(width(), height())));
  if (held == kNoIndex && !seen.intersects(index().bounds())) return fitReadable();
  if (held != kNoIndex) {
    const QRectF rect = before->scene.nodes[old].rect;
    motion_.hold(held, view_.toScreen(QPointF(rect.center().x(), rect.top())));
    view_ = motion_.held(view_);
    if (animated_ && isVisible()) motion_.start(*before, view_, size());
  }
  update();
  Q_EMIT viewChanged();
}

void CanvasWidget::setNodePalette(NodePalette palette) {
  nodePalette_ = palette;
  minimap_.reset();
  update();
}

void CanvasWidget::setHoverText(std::function<QString(SceneNodeId)> node,
                                std::function<QString(const SceneEdge&)> edge) {
  hover_.setTexts(std::move(node), std::move(edge));
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
  motion_.letGo();
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
  view_ = motion_.heldAtEnd(view_);
  motion_.letGo();
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
  options.hovered = hover_.hit().node;
  options.hoveredEdge = hover_.hit().edge;
  if (motion_.isMoving()) {
    options.moving = motion_.rects();
    options.movingNodes = motion_.nodes();
    // Lines are drawn at their new places, so they wait until the boxes are nearly there.
    options.edgeOpacity = std::clamp(motion_.share() * 2 - 1, 0.0, 1.0);
  }
  painter_.paint(painter, scene(), index(), view_, size(), options);
  minimap_.paint(painter, *shown_, view_, size(), nodePalette_, theme);
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
  hover_.hideCard();
  pressPlace_ = event->position();
  pressView_ = view_;
  if (event->button() == Qt::RightButton) return;
  drag_ = isOverMinimap(event->position()) ? Drag::kMinimap : Drag::kPressed;
  if (drag_ == Drag::kMinimap) mouseMoveEvent(event);
}

void CanvasWidget::mouseMoveEvent(QMouseEvent* event) {
  const QPointF moved = event->position() - pressPlace_;
  if (drag_ == Drag::kMinimap) {
    const QRectF area = Minimap::area(index(), view_, size());
    if (area.isEmpty()) return;
    return setView(view_.centredOn(Minimap::sceneAt(index(), area, event->position()), size()));
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
  if (event->button() != Qt::LeftButton || isOverMinimap(event->position())) return;
  const uint32_t node = index().nodeAt(view_.toScene(event->position()));
  if (node == kNoIndex) return;
  if (node != mainIndex()) selectByUser(node);
  Q_EMIT nodeActivated(scene().nodes[node].id);
}

void CanvasWidget::contextMenuEvent(QContextMenuEvent* event) {
  hover_.hideCard();
  uint32_t node = mainIndex();
  if (event->reason() == QContextMenuEvent::Mouse) {
    node = index().nodeAt(view_.toScene(QPointF(event->pos())));
    if (node != mainIndex()) selectByUser(node);
  }
  Q_EMIT contextMenuAsked(node == kNoIndex ? kNoSceneNode : scene().nodes[node].id, event->globalPos());
}

void CanvasWidget::leaveEvent(QEvent*) { hover_.leave(); }

void CanvasWidget::updateHover(QPointF place) {
  const bool isOnScene = !motion_.isMoving() && !isOverMinimap(place);
  hover_.moveTo(place, isOnScene ? hitAt(*shown_, view_, place) : SceneHit());
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
    next = neighbour(*shown_, current, arrow);
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

bool CanvasWidget::isOverMinimap(QPointF place) const {
  return Minimap::area(index(), view_, size()).contains(place);
}

}  // namespace hilo
