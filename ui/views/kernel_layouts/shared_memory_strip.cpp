#include "ui/views/kernel_layouts/shared_memory_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

using inference::OpId;
using inference::SharedArrayUse;

namespace {

constexpr double kTitleHeight = 20, kAxisWidth = 58, kCurveHeight = 34;
constexpr double kLeastBox = 2, kLeastNamed = 34, kLeastNamedHeight = 12;

}  // namespace

SharedMemoryStrip::SharedMemoryStrip(QWidget* parent) : QWidget(parent), card_(new HoverCard(this)) {
  setMouseTracking(true);
  setAccessibleName("Shared memory over time");
}

void SharedMemoryStrip::setKernel(const inference::KernelDescription* kernel) {
  kernel_ = kernel;
  use_ = kernel == nullptr ? inference::SharedMemoryUse() : sharedMemoryUse(*kernel);
  card_->hide();
  setAccessibleDescription(title());
  update();
}

QString SharedMemoryStrip::title() const {
  if (use_.arrays.empty()) return "The kernel has no arrays in shared memory.";
  const inference::KernelOp& peak = kernel_->ops[use_.peakAt];
  return QString("%1 of %2 at most, line %3: %4")
      .arg(bytesText(use_.peakBytes), bytesText(inference::kMostSharedBytes))
      .arg(peak.line)
      .arg(qs(peak.opcode));
}

QRectF SharedMemoryStrip::boxArea() const {
  return {kAxisWidth, kTitleHeight, width() - kAxisWidth - kSpace,
          height() - kTitleHeight - kCurveHeight - 2 * kSpace};
}

QRectF SharedMemoryStrip::curveArea() const {
  const QRectF boxes = boxArea();
  return {boxes.left(), boxes.bottom() + kSpace, boxes.width(), kCurveHeight};
}

double SharedMemoryStrip::placeOf(OpId step) const {
  const QRectF area = boxArea();
  return area.left() + area.width() * step / static_cast<double>(kernel_->ops.size());
}

QRectF SharedMemoryStrip::boxOf(size_t i) const {
  const SharedArrayUse& one = use_.arrays[i];
  const QRectF area = boxArea();
  if (one.bytes == 0 || area.isEmpty()) return {};
  const double scale = area.height() / static_cast<double>(use_.reachBytes);
  const double left = placeOf(one.first), right = placeOf(one.last + 1);
  return {left, area.top() + static_cast<double>(one.offset) * scale, std::max(kLeastBox, right - left),
          std::max(kLeastBox, static_cast<double>(one.bytes) * scale)};
}

int SharedMemoryStrip::arrayAt(QPointF point) const {
  for (size_t i = use_.arrays.size(); i-- > 0;)
    if (boxOf(i).contains(point)) return static_cast<int>(i);
  return -1;
}

QString SharedMemoryStrip::nameOf(size_t array) const {
  return qs(kernel_->values[use_.arrays[array].value].name);
}

QString SharedMemoryStrip::factsOf(size_t array) const {
  const SharedArrayUse& one = use_.arrays[array];
  return QString("%1: %2 at byte %3, lines %4 to %5")
      .arg(nameOf(array), bytesText(one.bytes), countText(one.offset))
      .arg(kernel_->ops[one.first].line)
      .arg(kernel_->ops[one.last].line);
}

void SharedMemoryStrip::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(11));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(QRectF(kSpace, 0, width() - 2 * kSpace, kTitleHeight), Qt::AlignLeft | Qt::AlignVCenter,
                   title());
  if (use_.arrays.empty() || boxArea().height() < 1) return;
  paintBoxes(painter);
  paintCurve(painter);
}

void SharedMemoryStrip::paintBoxes(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QRectF area = boxArea();
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const QRectF axis(0, area.top(), kAxisWidth - kSpaceSmall, area.height());
  painter.drawText(axis, Qt::AlignRight | Qt::AlignTop, "0");
  painter.drawText(axis, Qt::AlignRight | Qt::AlignBottom, bytesText(use_.reachBytes));
  for (size_t i = 0; i < use_.arrays.size(); ++i) {
    const NodeColours colours = categoryColours(i, theme.dark);
    const QRectF box = boxOf(i);
    painter.setPen(colours.border);
    painter.setBrush(colours.fill);
    painter.drawRect(box);
    if (box.width() < kLeastNamed || box.height() < kLeastNamedHeight) continue;
    painter.setPen(colours.text);
    painter.drawText(box.adjusted(kSpaceSmall, 0, -kSpaceSmall, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     QString("%1, %2").arg(nameOf(i), bytesText(use_.arrays[i].bytes)));
  }
  const double peak = placeOf(use_.peakAt);
  painter.setPen(QPen(theme.colour(ColourRole::kAccent), 1, Qt::DashLine));
  painter.drawLine(QPointF(peak, area.top()), QPointF(peak, curveArea().bottom()));
}

// Bytes taken at each step, the peak as high as there is room.
void SharedMemoryStrip::paintCurve(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QRectF area = curveArea();
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const QRectF axis(0, area.top(), kAxisWidth - kSpaceSmall, area.height());
  painter.drawText(axis, Qt::AlignRight | Qt::AlignTop, bytesText(use_.peakBytes));
  if (use_.peakBytes == 0) return;
  QPainterPath path(area.bottomLeft());
  double height = 0;
  for (const inference::SharedMemoryChange& change : use_.changes) {
    path.lineTo(placeOf(change.op), area.bottom() - height);
    height = area.height() * static_cast<double>(change.bytes) / static_cast<double>(use_.peakBytes);
    path.lineTo(placeOf(change.op), area.bottom() - height);
  }
  path.lineTo(area.right(), area.bottom() - height);
  path.lineTo(area.bottomRight());
  QColor fill = theme.colour(ColourRole::kAccent);
  fill.setAlphaF(0.2f);
  painter.fillPath(path, fill);
  painter.setPen(theme.colour(ColourRole::kAccent));
  painter.setBrush(Qt::NoBrush);
  painter.drawPath(path);
}

void SharedMemoryStrip::mousePressEvent(QMouseEvent* event) {
  const int array = arrayAt(event->position());
  if (event->button() == Qt::LeftButton && array >= 0) Q_EMIT picked(nameOf(static_cast<size_t>(array)));
}

void SharedMemoryStrip::mouseMoveEvent(QMouseEvent* event) {
  const int array = arrayAt(event->position());
  card_->showAt(event->pos(), array < 0 ? QString() : factsOf(static_cast<size_t>(array)).toHtmlEscaped());
}

void SharedMemoryStrip::leaveEvent(QEvent* event) {
  card_->hide();
  QWidget::leaveEvent(event);
}

}  // namespace hilo
