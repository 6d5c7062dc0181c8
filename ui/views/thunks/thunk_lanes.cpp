#include "ui/views/thunks/thunk_lanes.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kRuler = 20, kStrip = 20, kGap = 4;
constexpr double kLeastLabel = 36;
constexpr double kWheelStep = 1.2;
constexpr double kDragPx = 4;

AxisView moved(const AxisView& view, TimelineMove move, double length, double width) {
  switch (move) {
    case TimelineMove::kZoomIn:
      return view.zoomedAt(width / 2, kTimelineKeyZoom, length, width);
    case TimelineMove::kZoomOut:
      return view.zoomedAt(width / 2, 1 / kTimelineKeyZoom, length, width);
    case TimelineMove::kPanLeft:
      return view.panned(kTimelineKeyPan * width, length, width);
    case TimelineMove::kPanRight:
      return view.panned(-kTimelineKeyPan * width, length, width);
    case TimelineMove::kFit:
      return AxisView::fitting(ChartAxis::Time, std::max(1.0, length), width);
  }
  return view;
}

// Through all lanes at a moment, unless that is left of them.
void drawMoment(QPainter& painter, const ThunkLanes& lanes, double left, double at, ColourRole colour) {
  const double x = left + lanes.view().toX(at);
  if (x < left) return;
  painter.setPen(themeOf(lanes).colour(colour));
  painter.drawLine(QPointF(x, 0), QPointF(x, lanes.height()));
}

// The cursor's, and above it the pointer's, whose time stands beside it.
void drawMoments(QPainter& painter, const ThunkLanes& lanes, double left) {
  const auto line = lanes.lineAt(), cursor = lanes.cursorAt();
  if (cursor) drawMoment(painter, lanes, left, *cursor, ColourRole::kAccent);
  if (line) drawMoment(painter, lanes, left, *line, ColourRole::kTextDim);
  if (!line && !cursor) return;
  const double at = line ? *line : *cursor;
  const QString text = durationText(std::llround(at));
  QRectF box(left + lanes.view().toX(at) + kSpaceSmall, 0,
             painter.fontMetrics().horizontalAdvance(text) + 2 * kSpaceSmall, kRuler);
  box.moveLeft(std::max(left, std::min(box.left(), lanes.width() - box.width())));
  painter.fillRect(box, themeOf(lanes).colour(ColourRole::kSurfaceRaised));
  painter.setPen(themeOf(lanes).colour(ColourRole::kText));
  painter.drawText(box, Qt::AlignCenter, text);
}

}  // namespace

ThunkLanes::ThunkLanes(QWidget* parent) : QWidget(parent) {
  setAccessibleName("Timeline of thunks by thread");
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
}

void ThunkLanes::setStudy(std::shared_ptr<const ThunkStudy> study,
                          std::shared_ptr<const ThunkTimeline> timeline) {
  study_ = std::move(study);
  timeline_ = timeline == nullptr ? std::make_shared<const ThunkTimeline>() : std::move(timeline);
  selected_ = StudiedThunk::kNone;
  pointer_ = pointedAt_ = placedAt_ = {};
  clickedAt_ = 0;
  layOut();
  view_ = AxisView::fitting(ChartAxis::Time, std::max(1.0, timeline_->length), plotWidth());
  update();
}

void ThunkLanes::layOut() {
  const QFontMetrics metrics(uiFont(11));
  int widest = 0;
  double strips = 0;
  for (const auto& lane : timeline_->lanes) {
    strips += lane.depths;
    widest = std::max(widest, metrics.horizontalAdvance(lane.label));
  }
  plotLeft_ = widest + 2 * kSpace;
  const double room = height() - kRuler - kGap * static_cast<double>(timeline_->lanes.size() + 1);
  const double strip = strips > 0 ? std::clamp(room / strips, 3.0, kStrip * 1.6) : kStrip;
  double top = kRuler + kGap;
  places_.clear();
  for (const auto& lane : timeline_->lanes) {
    places_.push_back({top, strip * lane.depths});
    top += places_.back().height + kGap;
  }
}

QRectF ThunkLanes::rectOf(size_t lane, const Span& span) const {
  const double strip = places_[lane].height / timeline_->lanes[lane].depths;
  // Painting counts in no more than 32 bits: what is out of sight is cut.
  const double left = std::max(-10.0, view_.toX(span.begin));
  const double right = std::min(plotWidth() + 10, view_.toX(span.end));
  return {plotLeft() + left, places_[lane].top + strip * span.depth, std::max(1.0, right - left), strip - 1};
}

QRectF ThunkLanes::rectOf(uint32_t thunk) const {
  for (size_t lane = 0; lane < timeline_->lanes.size(); ++lane) {
    for (const Span& span : timeline_->lanes[lane].spans) {
      if (span.thunk == thunk && view_.toX(span.end) >= 0 && view_.toX(span.begin) <= plotWidth())
        return rectOf(lane, span);
    }
  }
  return {};
}

const ThunkLanes::Span* ThunkLanes::spanAt(QPointF place) const {
  for (size_t number = 0; number < timeline_->lanes.size(); ++number) {
    const auto& lane = timeline_->lanes[number];
    const auto& [top, height] = places_[number];
    if (place.y() < top || place.y() >= top + height) continue;
    const auto depth = static_cast<int>((place.y() - top) / (height / lane.depths));
    const double at = view_.toAxis(place.x() - plotLeft());
    const double near = 2 * view_.perPixel;  // what is narrower than a pixel can be hit too
    for (const Span& span : lane.spans) {
      if (span.depth == depth && at >= span.begin - near && at <= span.end + near) return &span;
    }
  }
  return nullptr;
}

void ThunkLanes::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(11));
  if (timeline_->lanes.empty()) {
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(rect().adjusted(kSpace, 0, -kSpace, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     "Press Profile to see when each thunk ran, and on which thread.");
    return;
  }
  paintRuler(painter);
  for (size_t lane = 0; lane < timeline_->lanes.size(); ++lane) paintLane(painter, lane);
  drawMoments(painter, *this, plotLeft());
}

// What began last on the lane there, beside all lanes on the first.
std::optional<ThunkMoment> ThunkLanes::momentAt(QPointF place) const {
  if (timeline_->lanes.empty()) return std::nullopt;
  size_t lane = 0;
  while (lane + 1 < places_.size() && place.y() >= places_[lane + 1].top) ++lane;
  const double at = view_.toAxis(place.x() - plotLeft());
  return hilo::momentAt(timeline_->lanes[lane], at);
}

void ThunkLanes::showMoments(const std::optional<ThunkMoment>& pointed,
                             const std::optional<ThunkMoment>& placed) {
  const auto timeOf = [&](const std::optional<ThunkMoment>& moment) {
    return moment ? hilo::timeOf(*timeline_, *moment, clickedAt_) : std::nullopt;
  };
  pointedAt_ = timeOf(pointed);
  placedAt_ = timeOf(placed);
  update();
}

void ThunkLanes::setPointer(std::optional<QPointF> place) {
  if (place && (timeline_->lanes.empty() || place->x() < plotLeft())) place = {};
  pointer_ = place ? std::optional(view_.toAxis(place->x() - plotLeft())) : std::nullopt;
  update();
  Q_EMIT pointed(place ? momentAt(*place) : std::nullopt);
}

void ThunkLanes::paintRuler(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const int line = painter.fontMetrics().height();
  for (const double tick : rulerTicks(view_, plotWidth(), 90)) {
    const double x = std::round(plotLeft() + view_.toX(tick));
    if (x < plotLeft()) continue;
    painter.setPen(theme.colour(ColourRole::kBorder));
    painter.drawLine(QPointF(x, kRuler - 4), QPointF(x, height()));
    painter.setPen(theme.colour(ColourRole::kTextDim));
    const QString text = tick == 0 ? QString("0") : durationText(std::llround(tick));
    if (x + 2 + painter.fontMetrics().horizontalAdvance(text) > width()) continue;
    painter.drawText(QRectF(x + 2, 2, 88, line), Qt::AlignLeft, text);
  }
}

void ThunkLanes::paintLane(QPainter& painter, size_t number) const {
  const auto& lane = timeline_->lanes[number];
  const auto& [top, height] = places_[number];
  const Theme& theme = themeOf(*this);
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(QRectF(kSpace, top, plotLeft() - kSpace, height), Qt::AlignLeft | Qt::AlignVCenter,
                   lane.label);
  painter.save();
  painter.setClipRect(QRectF(plotLeft(), top - 2, plotWidth(), height + 4));
  std::vector<double> drawnTo(lane.depths, -1);
  for (const Span& span : lane.spans) {
    if (view_.toX(span.end) < 0) continue;
    if (view_.toX(span.begin) > plotWidth()) break;
    const bool isSelected = span.thunk == selected_;
    // Of what lies within one pixel the first stands for the rest.
    if (plotLeft() + view_.toX(span.end) < drawnTo[span.depth] && !isSelected) continue;
    const QRectF box = rectOf(number, span);
    drawnTo[span.depth] = std::ceil(box.right());
    const StudiedThunk& thunk = study_->thunks[span.thunk];
    const bool runsOthers = timeline_->runs[span.thunk];
    const QColor fill = runsOthers ? theme.colour(ColourRole::kGroupFillAlt)
                                   : heatColour(timeline_->heat.share(span.end - span.begin), theme.dark);
    painter.fillRect(box, fill);
    if (box.width() > 3) {
      painter.setPen(runsOthers ? theme.colour(ColourRole::kGroupBorder)
                                : theme.colour(ColourRole::kSurface));
      painter.drawRect(box);
    }
    if (isSelected) {
      painter.setPen(QPen(theme.colour(ColourRole::kAccent), 2));
      painter.drawRect(box.adjusted(0, 0, 0, 0));
    }
    if (box.width() < kLeastLabel || box.height() < painter.fontMetrics().height() - 2) continue;
    const QRectF inside = box.intersected(QRectF(plotLeft(), box.top(), plotWidth(), box.height()));
    painter.setPen(runsOthers || fill.lightnessF() > 0.5
                       ? (runsOthers ? theme.colour(ColourRole::kText) : QColor(Qt::black))
                       : QColor(Qt::white));
    painter.drawText(inside.adjusted(3, 0, -2, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(qs(thunk.name), Qt::ElideMiddle,
                                                      static_cast<int>(inside.width()) - 5));
  }
  painter.restore();
}

void ThunkLanes::resizeEvent(QResizeEvent*) {
  layOut();
  view_ = AxisView::fitting(ChartAxis::Time, std::max(1.0, timeline_->length), plotWidth());
}

void ThunkLanes::setView(const AxisView& view) {
  view_ = view;
  update();
}

void ThunkLanes::wheelEvent(QWheelEvent* event) {
  const double steps = event->angleDelta().y() / 120.0;
  setView(view_.zoomedAt(event->position().x() - plotLeft(), std::pow(kWheelStep, steps), timeline_->length,
                         plotWidth()));
  event->accept();
}

void ThunkLanes::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position();
  pressedView_ = view_;
  panning_ = false;
}

void ThunkLanes::mouseMoveEvent(QMouseEvent* event) {
  setPointer(event->position());
  if (!(event->buttons() & Qt::LeftButton)) return;
  const double moved = event->position().x() - pressed_.x();
  panning_ |= std::abs(moved) > kDragPx;
  if (panning_) setView(pressedView_.panned(moved, timeline_->length, plotWidth()));
}

void ThunkLanes::contextMenuEvent(QContextMenuEvent* event) {
  const Span* span = event->reason() == QContextMenuEvent::Mouse ? spanAt(event->pos()) : nullptr;
  if (span != nullptr) choose(*span);
  Q_EMIT menuAsked(event->globalPos());
}

void ThunkLanes::mouseReleaseEvent(QMouseEvent* event) {
  if (panning_ || event->button() != Qt::LeftButton) return;
  if (const Span* span = spanAt(event->position())) choose(*span);
  if (event->position().x() < plotLeft()) return;
  clickedAt_ = view_.toAxis(event->position().x() - plotLeft());
  Q_EMIT placed(momentAt(event->position()));
}

void ThunkLanes::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const Span* span = spanAt(event->position()))
    setView(view_.around({span->begin, span->end}, timeline_->length, plotWidth()));
}

void ThunkLanes::choose(const Span& span) {
  selected_ = span.thunk;
  selectedBegin_ = span.begin;
  update();
  Q_EMIT thunkSelected(span.thunk);
}

void ThunkLanes::select(uint32_t thunk) {
  if (thunk == selected_) return;
  selected_ = thunk;
  selectedBegin_ = -1;
  for (const auto& lane : timeline_->lanes) {
    const auto found = std::ranges::find(lane.spans, thunk, &Span::thunk);
    if (found == lane.spans.end()) continue;
    selectedBegin_ = found->begin;
    view_ = view_.revealing({found->begin, found->end}, timeline_->length, plotWidth());
    break;
  }
  update();
}

// Lane and place in it of the execution the keyboard is at.
std::pair<size_t, size_t> ThunkLanes::selectedPlace() const {
  for (size_t lane = 0; lane < timeline_->lanes.size(); ++lane) {
    const auto& spans = timeline_->lanes[lane].spans;
    for (size_t i = 0; i < spans.size(); ++i) {
      if (spans[i].thunk == selected_ && spans[i].begin == selectedBegin_) return {lane, i};
    }
  }
  return {0, 0};
}

void ThunkLanes::walk(int lane, int along) {
  if (timeline_->lanes.empty()) return;
  auto [at, place] = selectedPlace();
  const double begin = timeline_->lanes[at].spans[place].begin;
  const auto last = static_cast<int>(timeline_->lanes.size()) - 1;
  if (lane != 0) {
    at = static_cast<size_t>(std::clamp(static_cast<int>(at) + lane, 0, last));
    const auto& spans = timeline_->lanes[at].spans;
    const auto next = std::ranges::lower_bound(spans, begin, {}, &Span::begin);
    place = static_cast<size_t>(std::min<ptrdiff_t>(next - spans.begin(), std::ssize(spans) - 1));
  } else {
    place = static_cast<size_t>(std::clamp(static_cast<int>(place) + along, 0,
                                           static_cast<int>(timeline_->lanes[at].spans.size()) - 1));
  }
  const Span span = timeline_->lanes[at].spans[place];
  setView(view_.revealing({span.begin, span.end}, timeline_->length, plotWidth()));
  choose(span);
}

void ThunkLanes::keyPressEvent(QKeyEvent* event) {
  if (const auto move = timelineMoveOf(*event))
    return setView(moved(view_, *move, timeline_->length, plotWidth()));
  switch (event->key()) {
    case Qt::Key_Left:
      return walk(0, -1);
    case Qt::Key_Right:
      return walk(0, 1);
    case Qt::Key_Up:
      return walk(-1, 0);
    case Qt::Key_Down:
      return walk(1, 0);
    default:
      QWidget::keyPressEvent(event);
  }
}

bool ThunkLanes::event(QEvent* event) {
  if (event->type() == QEvent::Leave) setPointer({});
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const Span* span = spanAt(help->pos())) {
    const StudiedThunk& thunk = study_->thunks[span->thunk];
    QToolTip::showText(help->globalPos(),
                       QString("<b>%1</b> %2<br>%3, from %4 on")
                           .arg(qs(thunk.name).toHtmlEscaped(), qs(thunk.kind),
                                durationText(std::llround(span->end - span->begin)),
                                durationText(std::llround(span->begin))),
                       this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace hilo
