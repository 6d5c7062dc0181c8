// Painting of the schedule's canvas: ruler, charts, legal window, drop mark, legend.
#include <QPainter>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/schedule/schedule_canvas.h"

namespace hilo {
namespace {

constexpr double kRuler = 24, kFooter = 22;
constexpr double kTickPixels = 90;

}  // namespace

void ScheduleCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  const Theme& theme = themeOf(*this);
  painter.fillRect(viewport()->rect(), theme.colour(ColourRole::kWindow));
  if (charts_.empty()) {
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(viewport()->rect().adjusted(40, 40, -40, -40), Qt::AlignCenter | Qt::TextWordWrap,
                     empty_);
    return;
  }
  ChartLook look{.theme = &theme,
                 .view = view_,
                 .left = plotLeft(),
                 .width = plotWidth(),
                 .selected = selected_,
                 .hovered = hovered_,
                 .longest = length(),
                 .critical = critical_};
  for (const Chart& chart : charts_)
    look.mostBytes = std::max(look.mostBytes, chart.order->chart().peakBytes);
  painter.save();
  painter.translate(0, -scrollY());
  for (size_t i = 0; i < charts_.size(); ++i) {
    look.active = charts_.size() == 1 || charts_[i].active;
    painter_.paint(painter, *charts_[i].order, placed_[i].rows, charts_[i].title, look);
    paintWindow(painter, i);
    paintDrop(painter, i);
  }
  painter.restore();
  paintRuler(painter);
  paintFooter(painter);
}

void ScheduleCanvas::paintRuler(QPainter& painter) {
  const Theme& theme = themeOf(*this);
  const Chart& chart = *activeChart();
  painter.fillRect(QRectF(0, 0, viewport()->width(), kRuler), theme.colour(ColourRole::kSurfaceRaised));
  painter.setFont(uiFont(11));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const bool time = view_.axis == ChartAxis::Time;
  painter.drawText(QRectF(kSpace, 0, plotLeft() - kSpace, kRuler), Qt::AlignVCenter | Qt::AlignLeft,
                   time ? "time" : "program order");
  painter.setClipRect(QRectF(plotLeft(), 0, plotWidth(), viewport()->height()));
  for (const double tick : rulerTicks(view_, plotWidth(), kTickPixels)) {
    if (tick < 0) continue;
    const double x = plotLeft() + view_.toX(tick);
    painter.setPen(theme.colour(ColourRole::kBorder));
    painter.drawLine(QPointF(x, kRuler - 6), QPointF(x, kRuler));
    painter.setPen(theme.colour(ColourRole::kTextDim));
    const QString text = time ? timeText(*chart.order, chart.order->chart().elapsedNs(tick))
                              : countText(static_cast<int64_t>(tick));
    if (x + 3 + painter.fontMetrics().horizontalAdvance(text) > viewport()->width()) continue;
    painter.drawText(QRectF(x + 3, 0, kTickPixels - 4, kRuler - 4), Qt::AlignVCenter | Qt::AlignLeft, text);
  }
  // Where iterations are left out.
  painter.setPen(QPen(theme.colour(ColourRole::kMarkChanged), 2));
  if (time) {
    for (const ScheduleChart::Fold& fold : chart.order->chart().folds) {
      const double x = plotLeft() + view_.toX(fold.atNs);
      if (x < plotLeft() || x > viewport()->width()) continue;
      painter.drawLine(QPointF(x - 3, kRuler - 1), QPointF(x, kRuler - 9));
      painter.drawLine(QPointF(x, kRuler - 1), QPointF(x + 3, kRuler - 9));
    }
  }
  painter.setClipping(false);
}

void ScheduleCanvas::paintFooter(QPainter& painter) {
  const Theme& theme = themeOf(*this);
  const QRectF area(0, viewport()->height() - kFooter, viewport()->width(), kFooter);
  painter.fillRect(area, theme.colour(ColourRole::kSurfaceRaised));
  painter.setFont(uiFont(11));
  double x = kSpace;
  const double middle = area.center().y();
  const auto swatch = [&](const QBrush& brush, const QColor& border, const QString& text,
                          double height = 11) {
    const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text);
    if (x + 23 + wide > area.right()) return;  // half a word says less than none
    const QRectF box(x, middle - height / 2, 18, height);
    painter.fillRect(box, theme.colour(ColourRole::kSurface));
    painter.fillRect(box, brush);
    painter.setPen(border);
    painter.setBrush(Qt::NoBrush);
    if (height > 4) painter.drawRect(box);
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(QPointF(x + 23, middle + 4), text);
    x += 23 + wide + kSpaceLarge;
  };
  const auto role = [&](NodeRole node, const QString& text) {
    const NodeColours look = nodeColours(NodePalette::kOpcodeClass, node, theme.dark);
    swatch(look.fill, look.border, text);
  };
  const QColor mark = theme.colour(ColourRole::kMarkRemoved);
  swatch(QBrush(mark, Qt::BDiagPattern), mark, "exposed: compute waits");
  role(NodeRole::kCollective, "collective, hidden");
  role(NodeRole::kFusion, "fusion");
  role(NodeRole::kMatmul, "dot, FFT");
  role(NodeRole::kCustomCall, "custom call");
  if (critical_) swatch(theme.colour(ColourRole::kText), Qt::transparent, "critical path", 3);
  bool folded = false;
  for (const Chart& chart : charts_) folded |= !chart.order->chart().folds.empty();
  const QString folds = "loop collapsed: further iterations not shown";
  const bool fits = x + 16 + QFontMetricsF(painter.font()).horizontalAdvance(folds) <= area.right();
  if (!folded || !fits || view_.axis != ChartAxis::Time) return;
  painter.setPen(QPen(theme.colour(ColourRole::kMarkChanged), 2));
  painter.drawLine(QPointF(x + 3, middle + 4), QPointF(x + 6, middle - 4));
  painter.drawLine(QPointF(x + 6, middle + 4), QPointF(x + 9, middle - 4));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(QPointF(x + 16, middle + 4), folds);
}

// Where the selected instruction may stand: the rest of its chart is dimmed while it is
// dragged, bracketed else.
void ScheduleCanvas::paintWindow(QPainter& painter, size_t index) {
  const Chart& chart = charts_[index];
  if (!window_ || window_->instruction != selected_ || (charts_.size() > 1 && !chart.active)) return;
  const ScheduleChart& laid = chart.order->chart();
  const uint32_t own = laid.eventOf(selected_);
  if (own == kNoEvent || placed_[index].rows.empty()) return;
  const uint32_t block = laid.events[own].block;
  ChartSpan span{block == kNoEvent ? 0 : laid.events[block].on(view_.axis).begin,
                 block == kNoEvent ? laid.length(view_.axis) : laid.events[block].on(view_.axis).end};
  if (const uint32_t after = laid.eventOf(window_->after); after != kNoEvent) {
    const ChartEvent& event = laid.events[after];
    span.begin =
        event.kind == TimelineEventKind::Async ? event.on(view_.axis).begin : event.on(view_.axis).end;
  }
  if (const uint32_t before = laid.eventOf(window_->before); before != kNoEvent)
    span.end = laid.events[before].on(view_.axis).begin;
  const Theme& theme = themeOf(*this);
  const double top = placed_[index].rows.front().top, bottom = placed_[index].rows.back().bottom();
  const double from =
      std::clamp(plotLeft() + view_.toX(span.begin), plotLeft() - 2, plotLeft() + plotWidth() + 2);
  const double to =
      std::clamp(plotLeft() + view_.toX(span.end), plotLeft() - 2, plotLeft() + plotWidth() + 2);
  painter.save();
  painter.setClipRect(QRectF(plotLeft(), top, plotWidth(), bottom - top));
  if (drag_ == Drag::kMoving) {
    QColor dim = theme.colour(ColourRole::kWindow);
    dim.setAlphaF(0.6f);
    painter.fillRect(QRectF(plotLeft(), top, from - plotLeft(), bottom - top), dim);
    painter.fillRect(QRectF(to, top, plotLeft() + plotWidth() - to, bottom - top), dim);
  }
  painter.setPen(QPen(theme.colour(ColourRole::kAccent), 1, Qt::DotLine));
  painter.drawLine(QPointF(from, top), QPointF(from, bottom));
  painter.drawLine(QPointF(to, top), QPointF(to, bottom));
  painter.restore();
}

void ScheduleCanvas::paintDrop(QPainter& painter, size_t index) {
  if (drag_ != Drag::kMoving || static_cast<int>(index) != pressChart_ || dropEvent_ == kNoEvent) return;
  const Theme& theme = themeOf(*this);
  const ShownOrder& order = *charts_[index].order;
  const double x = plotLeft() + view_.toX(order.chart().events[dropEvent_].on(view_.axis).begin);
  const double top = placed_[index].rows.front().top, bottom = placed_[index].rows.back().bottom();
  painter.setPen(QPen(theme.colour(ColourRole::kMarkChanged), 2));
  painter.drawLine(QPointF(x, top), QPointF(x, bottom));
  const QString text = "before " + QString::fromStdString(dropBefore_);
  painter.setFont(uiFont(11));
  const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 10;
  const double left = std::min(x + 3, plotLeft() + plotWidth() - wide);
  painter.fillRect(QRectF(left, top, wide, 17), theme.colour(ColourRole::kMarkChanged));
  painter.setPen(theme.colour(ColourRole::kSurface));
  painter.drawText(QRectF(left, top, wide, 17), Qt::AlignCenter, text);
}

}  // namespace hilo
