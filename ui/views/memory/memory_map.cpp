#include "ui/views/memory/memory_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"

namespace hilo {
namespace {

constexpr double kWheelZoom = 1.25;

}  // namespace

MemoryMap::MemoryMap(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName("Memory by address and time");
  connect(&scene_, &MapScene::changed, this, [this](bool boxes) {
    if (boxes) picture_ = {};
    update();
  });
}

QRect MemoryMap::mapArea() const { return areasIn(rect()).map; }

int MemoryMap::valueAt(QPoint place) const {
  const QRect area = mapArea();
  if (!area.contains(place)) return -1;
  const auto value = scene_.valueAt(place - area.topLeft(), area.size());
  return value ? static_cast<int>(*value) : -1;
}

// Along the axis, beside the values too.
std::optional<MapPlace> MemoryMap::placeAt(QPoint place) const {
  const QRect area = mapArea();
  if (place.x() < area.left() || place.x() > area.right()) return std::nullopt;
  return scene_.drawn().axis.placeAt(stepAt(place.x() - area.left(), scene_.drawn().window, area.size()));
}

QRect MemoryMap::rectOfValue(size_t value) const {
  const QRect area = mapArea();
  return scene_.rectOfValue(value, area.size()).translated(area.topLeft()).toAlignedRect().intersected(area);
}

void MemoryMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  const QSize size = mapArea().size();
  if (scene_.plan() == nullptr || size.isEmpty()) return;
  if (picture_.size() != size * devicePixelRatioF())
    picture_ = imageOfBoxes(scene_.drawn(), size, devicePixelRatioF(), theme);
  MapPainter(scene_.drawn(), rect(), theme, painter).paint(picture_);
}

// ---- events

void MemoryMap::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  picture_ = {};
}

void MemoryMap::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) picture_ = {};
  QWidget::changeEvent(event);
}

void MemoryMap::leaveEvent(QEvent* event) {
  Q_EMIT valueHovered(-1);
  Q_EMIT pointed(std::nullopt);
  QWidget::leaveEvent(event);
}

void MemoryMap::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || scene_.plan() == nullptr) return;
  pressed_ = event->position().toPoint();
  dragged_ = false;
}

void MemoryMap::mouseMoveEvent(QMouseEvent* event) {
  if (scene_.plan() == nullptr) return;
  const QPoint place = event->position().toPoint();
  if (!pressed_) {
    Q_EMIT valueHovered(valueAt(place));
    Q_EMIT pointed(placeAt(place));
    return;
  }
  const QPoint moved = place - *pressed_;
  if (!dragged_ && moved.manhattanLength() < 4) return;
  dragged_ = true;
  pressed_ = place;
  const QSizeF size = mapArea().size();
  scene_.pan(-moved.x() / size.width(), moved.y() / size.height());
}

void MemoryMap::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = pressed_ && !dragged_;
  pressed_.reset();
  if (!click || event->button() != Qt::LeftButton || scene_.plan() == nullptr) return;
  const QPoint place = event->position().toPoint();
  Q_EMIT valueClicked(valueAt(place));
  if (const auto at = placeAt(place)) Q_EMIT cursorAsked(at->step);
}

void MemoryMap::mouseDoubleClickEvent(QMouseEvent* event) {
  const int value = valueAt(event->position().toPoint());
  if (event->button() == Qt::LeftButton && value >= 0) Q_EMIT valueActivated(value);
}

void MemoryMap::contextMenuEvent(QContextMenuEvent* event) {
  const int value = event->reason() == QContextMenuEvent::Mouse ? valueAt(event->pos()) : -1;
  if (value >= 0) Q_EMIT valueClicked(value);
  Q_EMIT menuAsked(event->globalPos());
}

void MemoryMap::wheelEvent(QWheelEvent* event) {
  if (scene_.plan() == nullptr) return;
  const QRect area = mapArea();
  const QPointF place = event->position() - area.topLeft();
  const double turns = event->angleDelta().y() / 120.0;
  if (event->modifiers() & Qt::ShiftModifier) {
    scene_.pan(-turns / 8, 0);
  } else {
    const double factor = std::pow(kWheelZoom, turns);
    const double atStep = std::clamp(place.x() / area.width(), 0.0, 1.0);
    const double atBytes = std::clamp(1 - place.y() / area.height(), 0.0, 1.0);
    const bool addresses = (event->modifiers() & Qt::ControlModifier) != 0;
    addresses ? scene_.zoom(factor, {}, atBytes) : scene_.zoom(factor, atStep, {});
  }
  event->accept();
}

void MemoryMap::moveAlongTime(TimelineMove move) {
  switch (move) {
    case TimelineMove::kZoomIn:
      return scene_.zoomAtCursor(kTimelineKeyZoom);
    case TimelineMove::kZoomOut:
      return scene_.zoomAtCursor(1 / kTimelineKeyZoom);
    case TimelineMove::kPanLeft:
      return scene_.pan(-kTimelineKeyPan, 0);
    case TimelineMove::kPanRight:
      return scene_.pan(kTimelineKeyPan, 0);
    case TimelineMove::kFit:
      return scene_.fit();
  }
}

void MemoryMap::keyPressEvent(QKeyEvent* event) {
  const DrawnMap& drawn = scene_.drawn();
  if (drawn.plan == nullptr) return QWidget::keyPressEvent(event);
  if (const auto move = timelineMoveOf(*event)) return moveAlongTime(*move);
  const double end = drawn.window.step + drawn.window.steps;
  const int64_t inSight = drawn.axis.stepAt(end) - drawn.axis.stepAt(drawn.window.step);
  const int64_t stride = event->modifiers() & Qt::ControlModifier ? std::max<int64_t>(1, inSight / 20) : 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return Q_EMIT cursorAsked(drawn.cursor - stride);
    case Qt::Key_Right:
      return Q_EMIT cursorAsked(drawn.cursor + stride);
    case Qt::Key_Home:
      return Q_EMIT cursorAsked(0);
    case Qt::Key_End:
      return Q_EMIT cursorAsked(static_cast<int64_t>(drawn.plan->profile.liveBytes.size()) - 1);
    case Qt::Key_P:
      return Q_EMIT cursorAsked(drawn.plan->profile.peakStep);
    default:
      QWidget::keyPressEvent(event);
  }
}

QString MemoryMap::tipOf(size_t index) const {
  const DrawnMap& drawn = scene_.drawn();
  const PlacedValue& value = drawn.plan->profile.values[index];
  const Instruction& instruction = *drawn.plans->module->instruction(value.instruction);
  const BufferAllocation& allocation = drawn.plan->assignment.allocations[value.allocation];
  QStringList lines = {
      QString("<b>%1</b> %2").arg(qs(value.name).toHtmlEscaped(), qs(instruction.opcodeText())),
      QString("%1 at %2 + %3 (%4, allocation %5)")
          .arg(bytesText(value.sizeBytes), countText(allocation.index), countText(value.offsetBytes),
               QString::fromUtf8(placeKindName(placeKindOf(allocation))))
          .arg(allocation.index),
      QString("steps %1 to %2").arg(countText(value.range.start), countText(value.range.end))};
  if (!instruction.opName().empty()) lines << qs(instruction.opName()).toHtmlEscaped();
  return lines.join("<br>");
}

bool MemoryMap::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && scene_.plan() != nullptr) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int value = valueAt(help->pos());
    if (value >= 0) {
      QToolTip::showText(help->globalPos(), tipOf(static_cast<size_t>(value)), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace hilo
