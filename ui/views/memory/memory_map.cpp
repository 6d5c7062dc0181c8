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
}

void MemoryMap::setPlan(std::shared_ptr<const MemoryPlans> plans, const MemoryPlan* plan,
                        const QString& title) {
  drawn_.plans = std::move(plans);
  drawn_.plan = plan;
  drawn_.title = title;
  drawn_.categories.clear();
  drawn_.selected = {};
  layOut();
  drawn_.cursor = drawn_.plan == nullptr ? 0 : drawn_.plan->profile.peakStep;
  fit();
}

void MemoryMap::setContent(MapContent content) {
  if (content == content_) return;
  content_ = content;
  const double step = drawn_.window.step, steps = drawn_.window.steps;
  layOut();
  MapWindow next = whole_;
  next.step = step;
  next.steps = steps;
  setWindow(clamped(next, whole_), false);
}

void MemoryMap::setCategories(std::vector<size_t> categories) {
  drawn_.categories = std::move(categories);
  picture_ = {};
  update();
}

void MemoryMap::setCursor(int64_t step) {
  if (drawn_.plan == nullptr) return;
  drawn_.cursor =
      std::clamp<int64_t>(step, 0, static_cast<int64_t>(drawn_.plan->profile.liveBytes.size()) - 1);
  // The window follows a cursor that leaves it.
  MapWindow next = drawn_.window;
  const auto at = static_cast<double>(drawn_.cursor);
  if (at < next.step || at + 1 > next.step + next.steps) next.step = at - next.steps / 2;
  setWindow(clamped(next, whole_), true);
  update();
}

void MemoryMap::setSelected(InstructionId instruction) {
  drawn_.selected = instruction;
  update();
}

void MemoryMap::setLimit(int64_t bytes) {
  drawn_.limit = bytes;
  update();
}

void MemoryMap::setScale(int64_t mapBytes, int64_t curveBytes) {
  leastMap_ = mapBytes;
  drawn_.leastCurve = curveBytes;
  if (drawn_.plan == nullptr) return;
  whole_ = wholeMap(drawn_.plan->profile, drawn_.bands, leastMap_);
  MapWindow next = whole_;
  next.step = drawn_.window.step;
  next.steps = drawn_.window.steps;
  setWindow(clamped(next, whole_), false);
  update();
}

void MemoryMap::setActive(bool active) {
  drawn_.active = active;
  update();
}

void MemoryMap::setTimeWindow(double step, double steps) {
  MapWindow next = drawn_.window;
  next.step = step;
  next.steps = steps;
  setWindow(clamped(next, whole_), false);
}

void MemoryMap::fit() { setWindow(whole_, true); }

void MemoryMap::zoomTime(double factor) {
  const double at = (static_cast<double>(drawn_.cursor) + 0.5 - drawn_.window.step) / drawn_.window.steps;
  setWindow(clamped(zoomed(drawn_.window, factor, std::clamp(at, 0.0, 1.0), {}), whole_), true);
}

void MemoryMap::layOut() {
  drawn_.bands.clear();
  drawn_.boxes.clear();
  whole_ = {};
  if (drawn_.plan != nullptr) {
    drawn_.bands = layOutBands(drawn_.plan->assignment, content_);
    drawn_.boxes = layOutBoxes(drawn_.plan->profile, drawn_.bands);
    whole_ = wholeMap(drawn_.plan->profile, drawn_.bands, leastMap_);
  }
  picture_ = {};
}

void MemoryMap::setWindow(const MapWindow& window, bool tell) {
  const bool moved = window.step != drawn_.window.step || window.steps != drawn_.window.steps;
  if (window == drawn_.window && !picture_.isNull()) return;
  drawn_.window = window;
  picture_ = {};
  update();
  if (tell && moved) Q_EMIT timeWindowChanged(drawn_.window.step, drawn_.window.steps);
}

QRect MemoryMap::mapArea() const { return areasIn(rect()).map; }

int MemoryMap::valueAt(QPoint place) const {
  const QRect area = mapArea();
  if (drawn_.plan == nullptr || !area.contains(place)) return -1;
  const auto box = boxAt(drawn_.boxes, drawn_.window, area.size(), place - area.topLeft());
  return box ? static_cast<int>(drawn_.boxes[*box].value) : -1;
}

QRect MemoryMap::rectOfValue(size_t value) const {
  const QRect area = mapArea();
  for (const MapBox& box : drawn_.boxes) {
    if (box.value == value)
      return rectOf(box, drawn_.window, area.size())
          .translated(area.topLeft())
          .toAlignedRect()
          .intersected(area);
  }
  return {};
}

const QImage& MemoryMap::picture() {
  const QSize size = mapArea().size();
  if (picture_.size() != size * devicePixelRatioF())
    picture_ = imageOfBoxes(drawn_, size, devicePixelRatioF(), themeOf(*this));
  return picture_;
}

void MemoryMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), themeOf(*this).colour(ColourRole::kSurface));
  if (drawn_.plan == nullptr || mapArea().width() < 1 || mapArea().height() < 1) return;
  MapPainter(drawn_, rect(), themeOf(*this), painter).paint(picture());
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
  QWidget::leaveEvent(event);
}

void MemoryMap::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || drawn_.plan == nullptr) return;
  pressed_ = event->position().toPoint();
  dragged_ = false;
}

void MemoryMap::mouseMoveEvent(QMouseEvent* event) {
  if (drawn_.plan == nullptr) return;
  const QPoint place = event->position().toPoint();
  if (!pressed_) {
    Q_EMIT valueHovered(valueAt(place));
    return;
  }
  const QPoint moved = place - *pressed_;
  if (!dragged_ && moved.manhattanLength() < 4) return;
  dragged_ = true;
  pressed_ = place;
  MapWindow next = drawn_.window;
  next.step -= moved.x() * drawn_.window.steps / mapArea().width();
  next.bytes += moved.y() * drawn_.window.height / mapArea().height();
  setWindow(clamped(next, whole_), true);
}

void MemoryMap::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = pressed_ && !dragged_;
  pressed_.reset();
  if (!click || event->button() != Qt::LeftButton || drawn_.plan == nullptr) return;
  const QPoint place = event->position().toPoint();
  const QRect area = mapArea();
  Q_EMIT valueClicked(valueAt(place));
  if (place.x() >= area.left() && place.x() <= area.right())
    Q_EMIT cursorAsked(static_cast<int64_t>(stepAt(place.x() - area.left(), drawn_.window, area.size())));
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
  if (drawn_.plan == nullptr) return;
  const QRect area = mapArea();
  const QPointF place = event->position() - area.topLeft();
  const double turns = event->angleDelta().y() / 120.0;
  if (event->modifiers() & Qt::ShiftModifier) {
    panTime(-turns / 8);
  } else {
    const double factor = std::pow(kWheelZoom, turns);
    const double atStep = std::clamp(place.x() / area.width(), 0.0, 1.0);
    const double atBytes = std::clamp(1 - place.y() / area.height(), 0.0, 1.0);
    const bool addresses = (event->modifiers() & Qt::ControlModifier) != 0;
    setWindow(clamped(addresses ? zoomed(drawn_.window, factor, {}, atBytes)
                                : zoomed(drawn_.window, factor, atStep, {}),
                      whole_),
              true);
  }
  event->accept();
}

// By a part of the steps shown; negative shows what is earlier.
void MemoryMap::panTime(double part) {
  MapWindow next = drawn_.window;
  next.step += part * drawn_.window.steps;
  setWindow(clamped(next, whole_), true);
}

void MemoryMap::moveAlongTime(TimelineMove move) {
  switch (move) {
    case TimelineMove::kZoomIn:
      return zoomTime(kTimelineKeyZoom);
    case TimelineMove::kZoomOut:
      return zoomTime(1 / kTimelineKeyZoom);
    case TimelineMove::kPanLeft:
      return panTime(-kTimelineKeyPan);
    case TimelineMove::kPanRight:
      return panTime(kTimelineKeyPan);
    case TimelineMove::kFit:
      return fit();
  }
}

void MemoryMap::keyPressEvent(QKeyEvent* event) {
  if (drawn_.plan == nullptr) return QWidget::keyPressEvent(event);
  if (const auto move = timelineMoveOf(*event)) return moveAlongTime(*move);
  const int64_t stride = event->modifiers() & Qt::ControlModifier
                             ? std::max<int64_t>(1, static_cast<int64_t>(drawn_.window.steps / 20))
                             : 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return Q_EMIT cursorAsked(drawn_.cursor - stride);
    case Qt::Key_Right:
      return Q_EMIT cursorAsked(drawn_.cursor + stride);
    case Qt::Key_Home:
      return Q_EMIT cursorAsked(0);
    case Qt::Key_End:
      return Q_EMIT cursorAsked(static_cast<int64_t>(drawn_.plan->profile.liveBytes.size()) - 1);
    case Qt::Key_P:
      return Q_EMIT cursorAsked(drawn_.plan->profile.peakStep);
    default:
      QWidget::keyPressEvent(event);
  }
}

QString MemoryMap::tipOf(size_t index) const {
  const PlacedValue& value = drawn_.plan->profile.values[index];
  const Instruction& instruction = *drawn_.plans->module->instruction(value.instruction);
  const BufferAllocation& allocation = drawn_.plan->assignment.allocations[value.allocation];
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
  if (event->type() == QEvent::ToolTip && drawn_.plan != nullptr) {
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
