#include "ui/views/schedule/overview_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/views/schedule/schedule_canvas.h"

namespace hilo {
OverviewStrip::OverviewStrip(ScheduleCanvas& canvas, QWidget* parent) : QWidget(parent), canvas_(canvas) {
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  setToolTip("The whole step: filled computes, hatched waits; drag to move the part that is shown below");
  setAccessibleName("Overview of the step");
  connect(&canvas.axis(), &ShownAxis::changed, this, qOverload<>(&QWidget::update));
}

void OverviewStrip::measure(const ShownOrder& order) {
  const ScheduleChart& chart = order.chart();
  const bool onSlots = canvas_.axis().axis() == ChartAxis::Slots;
  const auto wide = static_cast<size_t>(std::max(1, width()));
  if (measured_ == &chart && onSlots_ == onSlots && columns_.size() == wide) return;
  measured_ = &chart;
  onSlots_ = onSlots;
  columns_.assign(wide, {});
  const double length = std::max(chart.length(canvas_.axis().axis()), 1e-9),
               perColumn = length / static_cast<double>(wide);
  for (const ChartEvent& event : chart.events) {
    const bool waits = event.kind == TimelineEventKind::Wait;
    if (event.lane != 0 || (event.kind != TimelineEventKind::Work && !waits)) continue;
    const ChartSpan span = event.on(canvas_.axis().axis());
    const auto first =
        static_cast<size_t>(std::clamp(span.begin / perColumn, 0.0, static_cast<double>(wide - 1)));
    const auto last =
        static_cast<size_t>(std::clamp(span.end / perColumn, 0.0, static_cast<double>(wide - 1)));
    for (size_t at = first; at <= last; ++at) {
      const double from = perColumn * static_cast<double>(at);
      const double part = std::min(span.end, from + perColumn) - std::max(span.begin, from);
      (waits || event.synchronous ? columns_[at].exposed : columns_[at].busy) +=
          std::max(0.0, part) / perColumn;
    }
  }
}

void OverviewStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  const ShownOrder* order = canvas_.placed().activeOrder();
  if (order == nullptr) return;
  measure(*order);
  const NodeColours busy = nodeColours(NodePalette::kOpcodeClass, NodeRole::kFusion, theme.dark);
  const QBrush exposed(theme.colour(ColourRole::kMarkRemoved), Qt::BDiagPattern);
  const double high = height() - 2;
  for (size_t at = 0; at < columns_.size(); ++at) {
    const double up = high * std::min(1.0, columns_[at].busy);
    const double more = high * std::min(1.0 - std::min(1.0, columns_[at].busy), columns_[at].exposed);
    const auto x = static_cast<double>(at);
    painter.fillRect(QRectF(x, height() - up, 1, up), busy.border);
    painter.fillRect(QRectF(x, height() - up - more, 1, more), exposed);
  }
  const double length = std::max(order->chart().length(canvas_.axis().axis()), 1e-9);
  const double from = std::max(0.0, canvas_.axis().view().begin / length * width());
  const double to = std::min<double>(
      width(), canvas_.axis().view().end(canvas_.placed().plot().width()) / length * width());
  QColor dim = theme.colour(ColourRole::kWindow);
  dim.setAlphaF(0.65f);
  painter.fillRect(QRectF(0, 0, from, height()), dim);
  painter.fillRect(QRectF(to, 0, width() - to, height()), dim);
  painter.setPen(theme.colour(ColourRole::kAccent));
  painter.drawRect(QRectF(from, 0, std::max(2.0, to - from - 1), height() - 1));
}

void OverviewStrip::moveTo(double x) {
  const ShownOrder* order = canvas_.placed().activeOrder();
  if (order == nullptr) return;
  const double length = order->chart().length(canvas_.axis().axis());
  const double shown = canvas_.axis().view().perPixel * canvas_.placed().plot().width();
  const double begin = std::clamp(x / width() * length - shown / 2, 0.0, std::max(0.0, length - shown));
  if (shown < length) canvas_.axis().show({begin, begin + shown});
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) moveTo(event->position().x());
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) moveTo(event->position().x());
}

}  // namespace hilo
