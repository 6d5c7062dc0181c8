#include "ui/views/memory/memory_map.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/views/memory/map_legend.h"

namespace hilo {
namespace {

constexpr int kTitleHeight = 22;
constexpr int kAxisWidth = 66;
constexpr int kCurveHeight = 84;
constexpr int kRulerHeight = 15;
constexpr int kStepsHeight = kRulerHeight + 18;
constexpr int kSmallFontPx = 11;
constexpr int kLabelWidth = 54, kLabelHeight = 13;  // boxes smaller than this have no name
constexpr double kWheelZoom = 1.25;

}  // namespace

NodeColours groupColours(size_t category, const Theme& theme) {
  if (category != kPlainCategory) return categoryColours(category, theme.dark);
  return {theme.colour(ColourRole::kBorder), theme.colour(ColourRole::kTextFaint),
          theme.colour(ColourRole::kText)};
}

MemoryMap::MemoryMap(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setAccessibleName("Memory by address and time");
}

void MemoryMap::setPlan(std::shared_ptr<const MemoryPlans> plans, const MemoryPlan* plan,
                        const QString& title) {
  plans_ = std::move(plans);
  plan_ = plan;
  title_ = title;
  categories_.clear();
  selected_ = {};
  layOut();
  cursor_ = plan_ == nullptr ? 0 : plan_->profile.peakStep;
  fit();
}

void MemoryMap::setContent(MapContent content) {
  if (content == content_) return;
  content_ = content;
  const double step = window_.step, steps = window_.steps;
  layOut();
  MapWindow next = whole_;
  next.step = step;
  next.steps = steps;
  setWindow(clamped(next, whole_), false);
}

void MemoryMap::setCategories(std::vector<size_t> categories) {
  categories_ = std::move(categories);
  picture_ = {};
  update();
}

void MemoryMap::setCursor(int64_t step) {
  if (plan_ == nullptr) return;
  cursor_ = std::clamp<int64_t>(step, 0, static_cast<int64_t>(plan_->profile.liveBytes.size()) - 1);
  // The window follows a cursor that leaves it.
  MapWindow next = window_;
  const auto at = static_cast<double>(cursor_);
  if (at < next.step || at + 1 > next.step + next.steps) next.step = at - next.steps / 2;
  setWindow(clamped(next, whole_), true);
  update();
}

void MemoryMap::setSelected(InstructionId instruction) {
  selected_ = instruction;
  update();
}

void MemoryMap::setLimit(int64_t bytes) {
  limit_ = bytes;
  update();
}

void MemoryMap::setScale(int64_t mapBytes, int64_t curveBytes) {
  leastMap_ = mapBytes;
  leastCurve_ = curveBytes;
  if (plan_ == nullptr) return;
  whole_ = wholeMap(plan_->profile, bands_, leastMap_);
  MapWindow next = whole_;
  next.step = window_.step;
  next.steps = window_.steps;
  setWindow(clamped(next, whole_), false);
  update();
}

void MemoryMap::setActive(bool active) {
  active_ = active;
  update();
}

void MemoryMap::setTimeWindow(double step, double steps) {
  MapWindow next = window_;
  next.step = step;
  next.steps = steps;
  setWindow(clamped(next, whole_), false);
}

void MemoryMap::fit() { setWindow(whole_, true); }

void MemoryMap::zoomTime(double factor) {
  const double at = (static_cast<double>(cursor_) + 0.5 - window_.step) / window_.steps;
  setWindow(clamped(zoomed(window_, factor, std::clamp(at, 0.0, 1.0), {}), whole_), true);
}

void MemoryMap::layOut() {
  bands_.clear();
  boxes_.clear();
  whole_ = {};
  if (plan_ != nullptr) {
    bands_ = layOutBands(plan_->assignment, content_);
    boxes_ = layOutBoxes(plan_->profile, bands_);
    whole_ = wholeMap(plan_->profile, bands_, leastMap_);
  }
  picture_ = {};
}

void MemoryMap::setWindow(const MapWindow& window, bool tell) {
  const bool moved = window.step != window_.step || window.steps != window_.steps;
  if (window == window_ && !picture_.isNull()) return;
  window_ = window;
  picture_ = {};
  update();
  if (tell && moved) Q_EMIT timeWindowChanged(window_.step, window_.steps);
}

QRect MemoryMap::mapArea() const {
  return rect().adjusted(kAxisWidth, kTitleHeight, -kSpace, -kCurveHeight - kStepsHeight - kSpaceSmall);
}
QRect MemoryMap::curveArea() const {
  const QRect map = mapArea();
  return {map.left(), map.bottom() + 1 + kSpaceSmall, map.width(), kCurveHeight};
}

int MemoryMap::valueAt(QPoint place) const {
  const QRect area = mapArea();
  if (plan_ == nullptr || !area.contains(place)) return -1;
  const auto box = boxAt(boxes_, window_, area.size(), place - area.topLeft());
  return box ? static_cast<int>(boxes_[*box].value) : -1;
}

QRect MemoryMap::rectOfValue(size_t value) const {
  const QRect area = mapArea();
  for (const MapBox& box : boxes_) {
    if (box.value == value)
      return rectOf(box, window_, area.size()).translated(area.topLeft()).toAlignedRect().intersected(area);
  }
  return {};
}

// ---- painting

NodeColours MemoryMap::coloursOf(size_t value) const {
  return groupColours(value < categories_.size() ? categories_[value] : kPlainCategory, themeOf(*this));
}

const QImage& MemoryMap::picture() {
  const QSize size = mapArea().size() * devicePixelRatioF();
  if (picture_.size() == size) return picture_;
  picture_ = QImage(size, QImage::Format_ARGB32_Premultiplied);
  picture_.fill(Qt::transparent);
  absl::flat_hash_map<size_t, std::pair<QRgb, QRgb>> known;
  std::vector<QRgb> fills, edges;
  for (const MapBox& box : boxes_) {
    const size_t category = box.value < categories_.size() ? categories_[box.value] : kPlainCategory;
    const auto [at, isNew] = known.try_emplace(category);
    if (isNew) {
      const NodeColours colours = coloursOf(box.value);
      at->second = {colours.fill.rgb(), colours.border.rgb()};
    }
    fills.push_back(at->second.first);
    edges.push_back(at->second.second);
  }
  fillBoxes(picture_, boxes_, window_, fills, edges);
  picture_.setDevicePixelRatio(devicePixelRatioF());
  return picture_;
}

void MemoryMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(kSmallFontPx));
  if (plan_ == nullptr || mapArea().width() < 1 || mapArea().height() < 1) return;
  paintTitle(painter);
  paintBands(painter);
  painter.drawImage(mapArea().topLeft(), picture());
  paintAxis(painter);
  painter.save();
  painter.setClipRect(mapArea());
  paintLabels(painter);
  paintSelected(painter);
  painter.restore();
  paintCurve(painter);
  paintCursor(painter);
}

void MemoryMap::paintTitle(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  QFont bold = uiFont(12);
  bold.setBold(active_);
  painter.setFont(bold);
  painter.setPen(theme.colour(active_ ? ColourRole::kText : ColourRole::kTextDim));
  const QRect line(kSpace, 0, width() - 2 * kSpace, kTitleHeight);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(title_, Qt::ElideRight, line.width()));
  const int taken = painter.fontMetrics().horizontalAdvance(title_);
  painter.setFont(uiFont(kSmallFontPx));
  paintMapLegend(painter, line, taken, theme);
}

// What is allocated and nobody's at the moment: hatched, where no box covers it.
void MemoryMap::paintBands(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QRect area = mapArea();
  painter.save();
  painter.setClipRect(area);
  painter.translate(area.topLeft());
  for (const MapBand& band : bands_) {
    const double top = yOf(static_cast<double>(band.baseBytes + band.sizeBytes), window_, area.size());
    const double bottom = yOf(static_cast<double>(band.baseBytes), window_, area.size());
    const QRectF rect(0, top, area.width(), bottom - top);
    painter.fillRect(rect, theme.colour(ColourRole::kGroupFillAlt));
    painter.fillRect(rect, QBrush(theme.colour(ColourRole::kGroupBorder), Qt::BDiagPattern));
  }
  painter.restore();
}

void MemoryMap::paintAxis(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QRect area = mapArea();
  const int64_t step = axisStepBytes(window_.height, std::max(2, area.height() / 48));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const auto first = static_cast<int64_t>(window_.bytes) / step * step;
  for (int64_t bytes = first; static_cast<double>(bytes) <= window_.bytes + window_.height; bytes += step) {
    const int y = area.top() + static_cast<int>(yOf(static_cast<double>(bytes), window_, area.size()));
    if (y < area.top() || y > area.bottom() + 1) continue;
    painter.drawLine(area.left() - 4, y, area.left() - 1, y);
    painter.drawText(QRect(0, y - 8, kAxisWidth - 7, 16), Qt::AlignRight | Qt::AlignVCenter,
                     bytesText(bytes));
  }
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area.adjusted(-1, -1, 0, 0));
  // Where one allocation ends and the next begins.
  painter.setPen(QPen(theme.colour(ColourRole::kTextDim), 1));
  for (size_t i = 1; i < bands_.size() && bands_.size() <= 64; ++i) {
    const int y =
        area.top() + static_cast<int>(yOf(static_cast<double>(bands_[i].baseBytes), window_, area.size()));
    if (y > area.top() && y < area.bottom() && bands_[i].kind != bands_[i - 1].kind)
      painter.drawLine(area.left() - 4, y, area.right(), y);
  }
}

void MemoryMap::paintLabels(QPainter& painter) const {
  const QRect area = mapArea();
  const QFontMetrics metrics = painter.fontMetrics();
  for (const MapBox& box : boxes_) {
    const QRectF rect = rectOf(box, window_, area.size()).translated(area.topLeft()).intersected(area);
    if (rect.width() < kLabelWidth || rect.height() < kLabelHeight) continue;
    painter.setPen(coloursOf(box.value).text);
    const QRectF text = rect.adjusted(4, 0, -4, 0);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(qs(plan_->profile.values[box.value].name), Qt::ElideMiddle,
                                        static_cast<int>(text.width())));
  }
}

void MemoryMap::paintSelected(QPainter& painter) const {
  if (!selected_.valid()) return;
  const Theme& theme = themeOf(*this);
  const QRect area = mapArea();
  // What shares its place is outlined thinly.
  absl::flat_hash_set<uint32_t> places;
  for (const MapBox& box : boxes_) {
    const PlacedValue& value = plan_->profile.values[box.value];
    if (value.instruction == selected_) places.insert(value.place);
  }
  painter.setBrush(Qt::NoBrush);
  for (const bool own : {false, true}) {
    for (const MapBox& box : boxes_) {
      const PlacedValue& value = plan_->profile.values[box.value];
      if (!places.contains(value.place) || (value.instruction == selected_) != own) continue;
      const QRectF rect = rectOf(box, window_, area.size()).translated(area.topLeft());
      if (own) {
        painter.setPen(QPen(theme.colour(ColourRole::kSurface), 4));
        painter.drawRect(rect);
      }
      painter.setPen(own ? QPen(theme.colour(ColourRole::kAccent), 2)
                         : QPen(theme.colour(ColourRole::kAccent), 1, Qt::DashLine));
      painter.drawRect(rect);
    }
  }
}

int64_t MemoryMap::curveTop() const {
  return std::max({leastCurve_, plan_->profile.totals.total, plan_->profile.peakBytes, limit_, int64_t{1}});
}

void MemoryMap::paintCurveLine(QPainter& painter, int64_t bytes, const QColor& colour, const QString& text,
                               Qt::Alignment side) const {
  const QRect area = curveArea();
  const int y = area.bottom() - static_cast<int>(static_cast<double>(bytes) /
                                                 (static_cast<double>(curveTop()) * 1.12) * area.height());
  painter.setPen(QPen(colour, 1, Qt::DashLine));
  painter.drawLine(area.left(), y, area.right(), y);
  painter.setPen(colour);
  const QRect above(area.left() + 4, y - 14, area.width() - 8, 13);
  const QRect below(area.left() + 4, y + 1, area.width() - 8, 13);
  painter.drawText(y - 14 < area.top() ? below : above, side | Qt::AlignVCenter, text);
}

void MemoryMap::paintCurve(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QRect area = curveArea();
  const std::vector<int64_t>& live = plan_->profile.liveBytes;
  const double scale = area.height() / (static_cast<double>(curveTop()) * 1.12);
  painter.fillRect(area, theme.colour(ColourRole::kSurfaceRaised));
  const QColor inUse = theme.colour(ColourRole::kAccent), over = theme.colour(ColourRole::kError);
  for (int x = 0; x < area.width(); ++x) {
    const auto from = static_cast<int64_t>(stepAt(x, window_, area.size()));
    const int64_t to = std::max(from, static_cast<int64_t>(stepAt(x + 1, window_, area.size()) - 1e-6));
    int64_t most = 0;
    for (int64_t step = from; step <= to && step < static_cast<int64_t>(live.size()); ++step)
      most = std::max(most, live[static_cast<size_t>(step)]);
    const int height = static_cast<int>(static_cast<double>(most) * scale);
    QColor colour = limit_ > 0 && most > limit_ ? over : inUse;
    colour.setAlpha(90);
    painter.fillRect(area.left() + x, area.bottom() + 1 - height, 1, height, colour);
    painter.fillRect(area.left() + x, area.bottom() - height, 1, 1,
                     limit_ > 0 && most > limit_ ? over : inUse);
  }
  paintCurveLine(painter, plan_->profile.totals.total, theme.colour(ColourRole::kTextDim),
                 "plan " + bytesText(plan_->profile.totals.total), Qt::AlignRight);
  if (limit_ > 0) paintCurveLine(painter, limit_, over, "limit " + bytesText(limit_), Qt::AlignLeft);
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(QRect(0, area.top(), kAxisWidth - 7, area.height()), Qt::AlignRight | Qt::AlignVCenter,
                   "in use");
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.drawRect(area.adjusted(-1, -1, 0, 0));
}

void MemoryMap::paintCursor(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QRect area = mapArea(), curve = curveArea();
  const int x = area.left() + static_cast<int>(xOf(static_cast<double>(cursor_) + 0.5, window_, area.size()));
  const auto step = static_cast<size_t>(cursor_);
  const bool known = step < plans_->sequence.size();
  const QString name =
      known ? "%" + qs(plans_->module->instruction(plans_->sequence[step])->name()) : QString("the end");
  const QString text = QString("step %1 of %2 \u00b7 %3 \u00b7 %4 in use")
                           .arg(countText(cursor_), countText(static_cast<int64_t>(plans_->sequence.size())),
                                name, bytesText(plan_->profile.liveBytes[step]));
  if (x >= area.left() && x <= area.right()) {
    painter.setPen(QPen(theme.colour(ColourRole::kText), 1));
    painter.drawLine(x, area.top(), x, curve.bottom());
  }
  paintStepRuler(painter, QRect(area.left(), curve.bottom() + 1, area.width(), kRulerHeight), window_, theme);
  painter.setPen(theme.colour(ColourRole::kText));
  const QRect line(area.left(), curve.bottom() + 1 + kRulerHeight, area.width(), kStepsHeight - kRulerHeight);
  const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideMiddle, line.width());
  const int width = painter.fontMetrics().horizontalAdvance(shown) + 2;
  const int left = std::clamp(x - width / 2, line.left(), std::max(line.left(), line.right() - width));
  painter.drawText(QRect(left, line.top(), width, line.height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
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
  if (event->button() != Qt::LeftButton || plan_ == nullptr) return;
  pressed_ = event->position().toPoint();
  dragged_ = false;
}

void MemoryMap::mouseMoveEvent(QMouseEvent* event) {
  if (plan_ == nullptr) return;
  const QPoint place = event->position().toPoint();
  if (!pressed_) {
    Q_EMIT valueHovered(valueAt(place));
    return;
  }
  const QPoint moved = place - *pressed_;
  if (!dragged_ && moved.manhattanLength() < 4) return;
  dragged_ = true;
  pressed_ = place;
  MapWindow next = window_;
  next.step -= moved.x() * window_.steps / mapArea().width();
  next.bytes += moved.y() * window_.height / mapArea().height();
  setWindow(clamped(next, whole_), true);
}

void MemoryMap::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = pressed_ && !dragged_;
  pressed_.reset();
  if (!click || event->button() != Qt::LeftButton || plan_ == nullptr) return;
  const QPoint place = event->position().toPoint();
  const QRect area = mapArea();
  Q_EMIT valueClicked(valueAt(place));
  if (place.x() >= area.left() && place.x() <= area.right())
    Q_EMIT cursorAsked(static_cast<int64_t>(stepAt(place.x() - area.left(), window_, area.size())));
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
  if (plan_ == nullptr) return;
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
    setWindow(clamped(addresses ? zoomed(window_, factor, {}, atBytes) : zoomed(window_, factor, atStep, {}),
                      whole_),
              true);
  }
  event->accept();
}

// By a part of the steps shown; negative shows what is earlier.
void MemoryMap::panTime(double part) {
  MapWindow next = window_;
  next.step += part * window_.steps;
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
  if (plan_ == nullptr) return QWidget::keyPressEvent(event);
  if (const auto move = timelineMoveOf(*event)) return moveAlongTime(*move);
  const int64_t stride = event->modifiers() & Qt::ControlModifier
                             ? std::max<int64_t>(1, static_cast<int64_t>(window_.steps / 20))
                             : 1;
  switch (event->key()) {
    case Qt::Key_Left:
      return Q_EMIT cursorAsked(cursor_ - stride);
    case Qt::Key_Right:
      return Q_EMIT cursorAsked(cursor_ + stride);
    case Qt::Key_Home:
      return Q_EMIT cursorAsked(0);
    case Qt::Key_End:
      return Q_EMIT cursorAsked(static_cast<int64_t>(plan_->profile.liveBytes.size()) - 1);
    case Qt::Key_P:
      return Q_EMIT cursorAsked(plan_->profile.peakStep);
    default:
      QWidget::keyPressEvent(event);
  }
}

QString MemoryMap::tipOf(size_t index) const {
  const PlacedValue& value = plan_->profile.values[index];
  const Instruction& instruction = *plans_->module->instruction(value.instruction);
  const BufferAllocation& allocation = plan_->assignment.allocations[value.allocation];
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
  if (event->type() == QEvent::ToolTip && plan_ != nullptr) {
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
