#include "ui/views/schedule/timeline_painter.h"

#include <QPainter>
#include <algorithm>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kTickPixels = 90;

void paintTicks(QPainter& painter, const TimelineScene& scene) {
  const PlacedCharts& placed = scene.placed;
  const ShownOrder& order = *placed.activeOrder();
  for (const double tick : rulerTicks(placed.view(), placed.plot().width(), kTickPixels)) {
    if (tick < 0) continue;
    const double x = placed.toX(tick);
    painter.setPen(scene.theme.colour(ColourRole::kBorder));
    painter.drawLine(QPointF(x, kTimelineRuler - 6), QPointF(x, kTimelineRuler));
    painter.setPen(scene.theme.colour(ColourRole::kTextDim));
    const QString text = placed.view().axis == ChartAxis::Time
                             ? timeText(order, order.chart().elapsedNs(tick))
                             : countText(static_cast<int64_t>(tick));
    if (x + 3 + painter.fontMetrics().horizontalAdvance(text) > placed.size().width()) continue;
    painter.drawText(QRectF(x + 3, 0, kTickPixels - 4, kTimelineRuler - 4), Qt::AlignVCenter | Qt::AlignLeft,
                     text);
  }
}

// Where iterations are left out.
void paintFolds(QPainter& painter, const TimelineScene& scene) {
  const PlacedCharts& placed = scene.placed;
  painter.setPen(QPen(scene.theme.colour(ColourRole::kMarkChanged), 2));
  for (const ScheduleChart::Fold& fold : placed.activeOrder()->chart().folds) {
    const double x = placed.toX(fold.atNs);
    if (x < placed.plot().left() || x > placed.size().width()) continue;
    painter.drawLine(QPointF(x - 3, kTimelineRuler - 1), QPointF(x, kTimelineRuler - 9));
    painter.drawLine(QPointF(x, kTimelineRuler - 1), QPointF(x + 3, kTimelineRuler - 9));
  }
}

void paintRuler(QPainter& painter, const TimelineScene& scene) {
  const QRectF plot = scene.placed.plot();
  const bool isTime = scene.placed.view().axis == ChartAxis::Time;
  painter.fillRect(QRectF(0, 0, scene.placed.size().width(), kTimelineRuler),
                   scene.theme.colour(ColourRole::kSurfaceRaised));
  painter.setFont(uiFont(11));
  painter.setPen(scene.theme.colour(ColourRole::kTextDim));
  painter.drawText(QRectF(kSpace, 0, plot.left() - kSpace, kTimelineRuler), Qt::AlignVCenter | Qt::AlignLeft,
                   isTime ? "time" : "program order");
  painter.setClipRect(QRectF(plot.left(), 0, plot.width(), scene.placed.size().height()));
  paintTicks(painter, scene);
  if (isTime) paintFolds(painter, scene);
  painter.setClipping(false);
}

// What the colours mean, from left to right as far as there is room.
class Legend {
 public:
  Legend(QPainter& painter, const Theme& theme, QRectF area)
      : painter_(painter), theme_(theme), area_(area), x_(kSpace), middle_(area.center().y()) {}

  void swatch(const QBrush& brush, const QColor& border, const QString& text, double height = 11) {
    const double wide = QFontMetricsF(painter_.font()).horizontalAdvance(text);
    if (x_ + 23 + wide > area_.right()) return;  // half a word says less than none
    const QRectF box(x_, middle_ - height / 2, 18, height);
    painter_.fillRect(box, theme_.colour(ColourRole::kSurface));
    painter_.fillRect(box, brush);
    painter_.setPen(border);
    painter_.setBrush(Qt::NoBrush);
    if (height > 4) painter_.drawRect(box);
    painter_.setPen(theme_.colour(ColourRole::kTextDim));
    painter_.drawText(QPointF(x_ + 23, middle_ + 4), text);
    x_ += 23 + wide + kSpaceLarge;
  }
  void role(NodeRole role, const QString& text) {
    const NodeColours look = nodeColours(NodePalette::kOpcodeClass, role, theme_.dark);
    swatch(look.fill, look.border, text);
  }
  void fold(const QString& text) {
    if (x_ + 16 + QFontMetricsF(painter_.font()).horizontalAdvance(text) > area_.right()) return;
    painter_.setPen(QPen(theme_.colour(ColourRole::kMarkChanged), 2));
    painter_.drawLine(QPointF(x_ + 3, middle_ + 4), QPointF(x_ + 6, middle_ - 4));
    painter_.drawLine(QPointF(x_ + 6, middle_ + 4), QPointF(x_ + 9, middle_ - 4));
    painter_.setPen(theme_.colour(ColourRole::kTextDim));
    painter_.drawText(QPointF(x_ + 16, middle_ + 4), text);
  }

 private:
  QPainter& painter_;
  const Theme& theme_;
  const QRectF area_;
  double x_;
  const double middle_;
};

void paintLegend(QPainter& painter, const TimelineScene& scene) {
  const QSizeF size = scene.placed.size();
  const QRectF area(0, size.height() - kTimelineFooter, size.width(), kTimelineFooter);
  painter.fillRect(area, scene.theme.colour(ColourRole::kSurfaceRaised));
  painter.setFont(uiFont(11));
  Legend legend(painter, scene.theme, area);
  const QColor mark = scene.theme.colour(ColourRole::kMarkRemoved);
  legend.swatch(QBrush(mark, Qt::BDiagPattern), mark, "exposed: compute waits");
  legend.role(NodeRole::kCollective, "collective, hidden");
  legend.role(NodeRole::kFusion, "fusion");
  legend.role(NodeRole::kMatmul, "dot, FFT");
  legend.role(NodeRole::kCustomCall, "custom call");
  legend.swatch(scene.theme.colour(ColourRole::kText), Qt::transparent, "critical path", 3);
  const bool isFolded = std::ranges::any_of(
      scene.placed.charts(), [](const TimelineChart& chart) { return !chart.order->chart().folds.empty(); });
  if (isFolded && scene.placed.view().axis == ChartAxis::Time)
    legend.fold("loop collapsed: further iterations not shown");
}

// On the axis; all of its computation where nothing binds it.
ChartSpan spanOf(const LegalWindow& window, const ScheduleChart& chart, uint32_t event, ChartAxis axis) {
  const uint32_t block = chart.events[event].block;
  ChartSpan span = block == kNoEvent ? ChartSpan{0, chart.length(axis)} : chart.events[block].on(axis);
  if (const uint32_t after = chart.eventOf(window.after); after != kNoEvent) {
    const ChartEvent& first = chart.events[after];
    span.begin = first.kind == TimelineEventKind::Async ? first.on(axis).begin : first.on(axis).end;
  }
  if (const uint32_t before = chart.eventOf(window.before); before != kNoEvent)
    span.end = chart.events[before].on(axis).begin;
  return span;
}

// Where the selected instruction may stand: bracketed, and the rest of its chart is dimmed while one is
// dragged to another place.
void paintWindow(QPainter& painter, const TimelineScene& scene, size_t index) {
  const PlacedCharts& placed = scene.placed;
  const TimelineChart& chart = placed.charts()[index];
  const bool isOfOther = placed.charts().size() > 1 && !chart.active;
  if (!scene.window || scene.window->instruction != scene.selected || isOfOther) return;
  const uint32_t own = chart.order->chart().eventOf(scene.selected);
  const auto rows = placed.rowsOf(index);
  if (own == kNoEvent || rows.empty()) return;
  const ChartSpan span = spanOf(*scene.window, chart.order->chart(), own, placed.view().axis);
  const QRectF plot = placed.plot();
  const double top = rows.front().top, bottom = rows.back().bottom();
  const double from = std::clamp(placed.toX(span.begin), plot.left() - 2, plot.right() + 2);
  const double to = std::clamp(placed.toX(span.end), plot.left() - 2, plot.right() + 2);
  painter.save();
  painter.setClipRect(QRectF(plot.left(), top, plot.width(), bottom - top));
  if (scene.dragged != nullptr) {
    QColor dim = scene.theme.colour(ColourRole::kWindow);
    dim.setAlphaF(0.6f);
    painter.fillRect(QRectF(plot.left(), top, from - plot.left(), bottom - top), dim);
    painter.fillRect(QRectF(to, top, plot.right() - to, bottom - top), dim);
  }
  painter.setPen(QPen(scene.theme.colour(ColourRole::kAccent), 1, Qt::DotLine));
  painter.drawLine(QPointF(from, top), QPointF(from, bottom));
  painter.drawLine(QPointF(to, top), QPointF(to, bottom));
  painter.restore();
}

// Where the dragged instruction would stand.
void paintTarget(QPainter& painter, const TimelineScene& scene, size_t index) {
  if (scene.dragged == nullptr || static_cast<int>(index) != scene.draggedIn) return;
  const uint32_t target = scene.dragged->target();
  if (target == kNoEvent) return;
  const PlacedCharts& placed = scene.placed;
  const ChartEvent& before = placed.charts()[index].order->chart().events[target];
  const double x = placed.toX(before.on(placed.view().axis).begin);
  const double top = placed.rowsOf(index).front().top, bottom = placed.rowsOf(index).back().bottom();
  painter.setPen(QPen(scene.theme.colour(ColourRole::kMarkChanged), 2));
  painter.drawLine(QPointF(x, top), QPointF(x, bottom));
  const QString text = "before " + scene.dragged->targetName();
  painter.setFont(uiFont(11));
  const double wide = QFontMetricsF(painter.font()).horizontalAdvance(text) + 10;
  const double left = std::min(x + 3, placed.plot().right() - wide);
  painter.fillRect(QRectF(left, top, wide, 17), scene.theme.colour(ColourRole::kMarkChanged));
  painter.setPen(scene.theme.colour(ColourRole::kSurface));
  painter.drawText(QRectF(left, top, wide, 17), Qt::AlignCenter, text);
}

}  // namespace

void TimelinePainter::paint(QPainter& painter, const TimelineScene& scene) {
  const PlacedCharts& placed = scene.placed;
  ChartLook look{.theme = &scene.theme,
                 .view = placed.view(),
                 .left = placed.plot().left(),
                 .width = placed.plot().width(),
                 .selected = scene.selected,
                 .hovered = scene.hovered,
                 .longest = placed.length()};
  for (const TimelineChart& chart : placed.charts())
    look.mostBytes = std::max(look.mostBytes, chart.order->chart().peakBytes);
  painter.save();
  painter.translate(0, -placed.top());
  for (size_t i = 0; i < placed.charts().size(); ++i) {
    const TimelineChart& chart = placed.charts()[i];
    look.active = placed.charts().size() == 1 || chart.active;
    charts_.paint(painter, *chart.order, placed.rowsOf(i), chart.title, look);
    paintWindow(painter, scene, i);
    paintTarget(painter, scene, i);
  }
  painter.restore();
  paintRuler(painter, scene);
  paintLegend(painter, scene);
}

}  // namespace hilo
