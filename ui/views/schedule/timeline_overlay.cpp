#include "ui/views/schedule/timeline_overlay.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/timeline_range.h"

namespace hilo {
namespace {

constexpr double kLeastDrag = 3;
// Texts of marks stand below each other, however near these are; past so many from the top again.
constexpr size_t kTextRows = 6;

}  // namespace

TimelineOverlay::TimelineOverlay(ScheduleCanvas& canvas) : QWidget(canvas.viewport()), canvas_(canvas) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  resize(canvas.viewport()->size());
  canvas.viewport()->installEventFilter(this);
  canvas.installEventFilter(this);
  connect(&canvas.axis(), &ShownAxis::changed, this, qOverload<>(&QWidget::update));
  connect(&canvas, &ScheduleCanvas::clicked, this, [this](QPointF place) { placeAt(place.x()); });
}

const ShownOrder* TimelineOverlay::order() const { return canvas_.placed().activeOrder(); }

double TimelineOverlay::axisAt(double x) const {
  const ShownOrder* shown = order();
  const double length = shown == nullptr ? 0 : shown->chart().length(canvas_.axis().axis());
  return std::clamp(canvas_.placed().toAxis(x), 0.0, length);
}

std::optional<double> TimelineOverlay::axisAt(const std::optional<OrderMoment>& moment) const {
  const ShownOrder* shown = order();
  return shown == nullptr || !moment ? std::nullopt : placeOf(*shown, canvas_.axis().axis(), *moment);
}

std::optional<double> TimelineOverlay::lineAt() const {
  if (order() == nullptr) return std::nullopt;
  return pointer_ ? std::optional(axisAt(pointer_->x())) : axisAt(pointed_);
}

std::optional<double> TimelineOverlay::cursorAt() const { return axisAt(placed_); }

// True where the canvas is not to see it.
bool TimelineOverlay::takeKey(const QKeyEvent& event) {
  if (event.key() == Qt::Key_Escape && range_) {
    range_.reset();
  } else if (event.key() == Qt::Key_M && event.modifiers() == Qt::NoModifier && order() != nullptr) {
    toggleMark();
  } else if (event.key() == Qt::Key_M && event.modifiers() == Qt::ShiftModifier) {
    marks_.clear();
  } else {
    return false;
  }
  update();
  return true;
}

// The range, else what the selected instruction takes.
std::optional<ChartSpan> TimelineOverlay::spanToMark() const {
  if (range_) return range_;
  const uint32_t event = order()->chart().eventOf(canvas_.selected());
  if (event == kNoEvent) return std::nullopt;
  return order()->chart().events[event].on(canvas_.axis().axis());
}

void TimelineOverlay::toggleMark() {
  const auto span = spanToMark();
  if (!span) return;
  const ChartAxis axis = canvas_.axis().axis();
  const auto begin = momentAt(*order(), axis, span->begin), end = momentAt(*order(), axis, span->end);
  if (!begin || !end) return;
  range_.reset();
  const auto isThis = [&](const Mark& mark) { return mark.begin == *begin && mark.end == *end; };
  if (std::erase_if(marks_, isThis) == 0) marks_.push_back({*begin, *end});
}

// As far as the order has it: moved apart, a mark is what lies between.
ChartSpan TimelineOverlay::spanOf(const Mark& mark) const {
  const double begin = axisAt(mark.begin).value_or(0), end = axisAt(mark.end).value_or(0);
  return {std::min(begin, end), std::max(begin, end)};
}

std::vector<ChartSpan> TimelineOverlay::marks() const {
  std::vector<ChartSpan> spans;
  for (const Mark& mark : marks_) {
    if (axisAt(mark.begin) && axisAt(mark.end)) spans.push_back(spanOf(mark));
  }
  return spans;
}

void TimelineOverlay::clear() {
  range_.reset();
  marks_.clear();
  update();
}

bool TimelineOverlay::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &canvas_)
    return event->type() == QEvent::KeyPress && takeKey(static_cast<QKeyEvent&>(*event));
  if (event->type() == QEvent::Resize) resize(canvas_.viewport()->size());
  if (event->type() == QEvent::Leave) setPointer({});
  return order() != nullptr && takeMouse(*event);
}

// True where the canvas is not to see it: presses in the ruler, and what follows them.
bool TimelineOverlay::takeMouse(QEvent& event) {
  const bool press = event.type() == QEvent::MouseButtonPress, move = event.type() == QEvent::MouseMove,
             release = event.type() == QEvent::MouseButtonRelease;
  if (!press && !move && !release) return false;
  const auto& mouse = static_cast<QMouseEvent&>(event);
  const QPointF place = mouse.position();
  const QRectF plot = canvas_.placed().plot();
  if (press && mouse.button() == Qt::LeftButton && place.y() < plot.top() && place.x() >= plot.left()) {
    dragging_ = true;
    pressedAt_ = place.x();
    range_.reset();
    update();
    return true;
  }
  if (move) setPointer(place.x() >= plot.left() ? std::optional(place) : std::nullopt);
  if (!dragging_) return false;
  if (std::abs(place.x() - pressedAt_) >= kLeastDrag) {
    const double a = axisAt(pressedAt_), b = axisAt(place.x());
    range_ = ChartSpan{std::min(a, b), std::max(a, b)};
    update();
  }
  if (release) dragging_ = false;
  if (release && !range_) placeAt(pressedAt_);
  return true;
}

void TimelineOverlay::setPointer(std::optional<QPointF> place) {
  if (place == pointer_) return;
  pointer_ = place;
  update();
  const ShownOrder* shown = order();
  const bool isThere = place && shown != nullptr;
  Q_EMIT pointed(isThere ? momentAt(*shown, canvas_.axis().axis(), axisAt(place->x())) : std::nullopt);
}

void TimelineOverlay::placeAt(double x) {
  const ShownOrder* shown = order();
  if (shown == nullptr || x < canvas_.placed().plot().left()) return;
  Q_EMIT placed(momentAt(*shown, canvas_.axis().axis(), axisAt(x)));
}

void TimelineOverlay::show(const std::optional<OrderMoment>& pointed,
                           const std::optional<OrderMoment>& placed) {
  if (pointed == pointed_ && placed == placed_) return;
  pointed_ = pointed;
  placed_ = placed;
  update();
}

QString TimelineOverlay::readout() const {
  const auto line = lineAt(), cursor = cursorAt();
  if (!line && !cursor) return {};
  const ShownOrder& shown = *order();
  const double at = line ? *line : *cursor;
  const ScheduleChart& chart = shown.chart();
  const double time =
      timeOf(chart, canvas_.axis().axis(), {at, at + (canvas_.axis().axis() == ChartAxis::Slots ? 1 : 0)})
          .begin;
  QString text = timeText(shown, chart.elapsedNs(time));
  if (const int64_t live = liveBytesAt(chart, time); live > 0) text += " · " + bytesText(live) + " live";
  return text;
}

QString TimelineOverlay::rangeLine() const { return range_ ? textOf(*range_) : QString(); }

QString TimelineOverlay::textOf(ChartSpan span) const {
  const ShownOrder* shown = order();
  return shown == nullptr ? QString()
                          : rangeText(*shown, timeOf(shown->chart(), canvas_.axis().axis(), span));
}

// A text at a place, moved so that all of it is in sight, in several lines where it is wider than the plot.
void TimelineOverlay::drawText(QPainter& painter, const QString& text, double x, double top) const {
  const QFontMetricsF metrics(painter.font());
  const QRectF plot = canvas_.placed().plot();
  const QRectF room(0, 0, std::max(1.0, plot.width() - 2 * kSpaceSmall), plot.height());
  const QSizeF size = metrics.boundingRect(room, Qt::AlignCenter | Qt::TextWordWrap, text).size();
  QRectF box(x, top, std::ceil(size.width()) + 2 * kSpaceSmall, std::ceil(size.height()) + 2);
  box.moveLeft(std::max(plot.left(), std::min(box.left(), plot.right() - box.width())));
  painter.fillRect(box, themeOf(*this).colour(ColourRole::kSurfaceRaised));
  painter.setPen(themeOf(*this).colour(ColourRole::kText));
  painter.drawText(box, Qt::AlignCenter | Qt::TextWordWrap, text);
}

// Shaded from the ruler down, with a line at either end; nothing where it is out of sight. The text stands in
// this row of texts.
void TimelineOverlay::paintRange(QPainter& painter, ChartSpan span, ColourRole colour, size_t row) const {
  const QRectF plot = canvas_.placed().plot();
  const double begin = canvas_.placed().toX(span.begin), end = canvas_.placed().toX(span.end);
  if (end < plot.left() || begin > plot.right()) return;
  const double from = std::clamp(begin, plot.left(), plot.right());
  const double to = std::clamp(end, plot.left(), plot.right());
  QColor shade = themeOf(*this).colour(colour);
  shade.setAlphaF(0.12f);
  painter.fillRect(QRectF(from, 0, to - from, plot.bottom()), shade);
  painter.setPen(themeOf(*this).colour(colour));
  painter.drawLine(QPointF(from, 0), QPointF(from, plot.bottom()));
  painter.drawLine(QPointF(to, 0), QPointF(to, plot.bottom()));
  const double top = plot.top() + static_cast<double>(row) * (painter.fontMetrics().height() + 4);
  drawText(painter, textOf(span), from + 2, top);
}

void TimelineOverlay::paintEvent(QPaintEvent*) {
  if (order() == nullptr) return;
  QPainter painter(this);
  painter.setFont(uiFont(11));
  const QRectF plot = canvas_.placed().plot();
  const Theme& theme = themeOf(*this);
  size_t row = 0;
  for (const ChartSpan& mark : marks())
    paintRange(painter, mark, ColourRole::kMarkChanged, row++ % kTextRows);
  if (range_) paintRange(painter, *range_, ColourRole::kAccent, row % kTextRows);
  const auto drawAt = [&](double at, ColourRole colour) {
    const double x = canvas_.placed().toX(at);
    if (x < plot.left() || x > plot.right()) return;
    painter.setPen(theme.colour(colour));
    painter.drawLine(QPointF(x, 0), QPointF(x, plot.bottom()));
  };
  const auto line = lineAt(), cursor = cursorAt();
  if (cursor) drawAt(*cursor, ColourRole::kAccent);
  if (line) drawAt(*line, ColourRole::kTextDim);
  if (line || cursor)
    drawText(painter, readout(), canvas_.placed().toX(line ? *line : *cursor) + kSpaceSmall, 0);
}

}  // namespace hilo
