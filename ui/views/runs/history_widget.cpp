#include "ui/views/runs/history_widget.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <array>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr double kNear = 12;  // how far from a point a click still means it

}  // namespace

HistoryWidget::HistoryWidget(QWidget* parent) : QWidget(parent) {
  setObjectName("runHistory");
  setAccessibleName("Times of the module's runs");
}

void HistoryWidget::setHistory(RunHistory history) {
  history_ = std::move(history);
  update();
}

void HistoryWidget::setCurrent(RunId run) {
  current_ = run;
  update();
}

QRectF HistoryWidget::plot() const {
  const QFontMetrics metrics(uiFont(11));
  const int left = metrics.horizontalAdvance("100 ms") + 2 * kSpace;
  const int top = 2 * metrics.height() + 2 * kSpaceSmall;
  return QRectF(left, top, std::max(1, width() - left - kSpaceLarge),
                std::max(1, height() - top - kSpace - kSpaceSmall));
}

QPointF HistoryWidget::place(const HistoryPoint& point, int64_t ns) const {
  const QRectF area = plot();
  const TimeScale scale(history_.leastNs, history_.mostNs);
  const double slot = area.width() / static_cast<double>(std::max<size_t>(1, history_.places));
  return {area.left() + slot * (static_cast<double>(point.place) + 0.5),
          area.bottom() - scale.fraction(ns) * area.height()};
}

QPointF HistoryWidget::pointOf(RunId run) const {
  for (const HistorySeries& series : history_.series) {
    for (const HistoryPoint& point : series.points) {
      if (point.run == run) return place(point, point.medianNs);
    }
  }
  return {};
}

const HistoryPoint* HistoryWidget::nearest(QPointF at) const {
  const HistoryPoint* best = nullptr;
  double distance = kNear;
  for (const HistorySeries& series : history_.series) {
    for (const HistoryPoint& point : series.points) {
      const QPointF to = place(point, point.medianNs) - at;
      const double away = std::hypot(to.x(), to.y());
      if (away < distance) {
        best = &point;
        distance = away;
      }
    }
  }
  return best;
}

QColor HistoryWidget::colourOf(size_t series) const {
  constexpr std::array kRoles = {ColourRole::kAccent, ColourRole::kWarning, ColourRole::kSuccess,
                                 ColourRole::kError, ColourRole::kTextDim};
  return themeOf(*this).colour(kRoles[series % kRoles.size()]);
}

void HistoryWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(11));
  if (history_.places == 0) {
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, "Runs of one module are charted here.");
    return;
  }
  paintScale(painter);
  painter.setRenderHint(QPainter::Antialiasing);
  for (size_t series = 0; series < history_.series.size(); ++series) paintSeries(painter, series);
  paintLegend(painter);
}

void HistoryWidget::paintScale(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QRectF area = plot();
  const TimeScale scale(history_.leastNs, history_.mostNs);
  const int line = painter.fontMetrics().height();
  double lastLabel = area.bottom() + 2 * line;
  for (const int64_t tick : scale.ticks()) {
    const double y = std::round(area.bottom() - scale.fraction(tick) * area.height());
    painter.setPen(theme.colour(ColourRole::kBorder));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    if (lastLabel - y < line) continue;
    lastLabel = y;
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(QRectF(0, y - line / 2.0, area.left() - kSpaceSmall, line),
                     Qt::AlignRight | Qt::AlignVCenter, tick == 0 ? "0" : durationText(tick));
  }
}

void HistoryWidget::paintSeries(QPainter& painter, size_t number) const {
  const HistorySeries& series = history_.series[number];
  const QColor colour = colourOf(number);
  QPolygonF path;
  for (const HistoryPoint& point : series.points) path << place(point, point.medianNs);
  QColor faint = colour;
  faint.setAlphaF(0.5);
  painter.setPen(QPen(faint, 1));
  painter.drawPolyline(path);
  for (const HistoryPoint& point : series.points) {
    painter.setPen(QPen(colour, 1.5));
    painter.drawLine(place(point, point.lowNs), place(point, point.highNs));
    const bool isCurrent = point.run == current_;
    painter.setPen(isCurrent ? QPen(themeOf(*this).colour(ColourRole::kText), 2) : QPen(Qt::NoPen));
    painter.setBrush(colour);
    const double radius = isCurrent ? 5 : 3;
    painter.drawEllipse(place(point, point.medianNs), radius, radius);
  }
}

void HistoryWidget::paintLegend(QPainter& painter) const {
  const Theme& theme = themeOf(*this);
  const QFontMetrics metrics = painter.fontMetrics();
  const int line = metrics.height();
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const QString title = QString("%1: median of each run, oldest left").arg(qs(history_.moduleName));
  painter.drawText(QRect(kSpace, kSpaceSmall, width() - 2 * kSpace, line), Qt::AlignLeft,
                   metrics.elidedText(title, Qt::ElideRight, width() - 2 * kSpace));
  int x = kSpace;
  const int y = kSpaceSmall + line;
  for (size_t i = 0; i < history_.series.size(); ++i) {
    const QString name = qs(history_.series[i].name);
    const int wide = line + metrics.horizontalAdvance(name) + kSpace;
    if (x + wide > width() - kSpace) {
      painter.setPen(theme.colour(ColourRole::kTextDim));
      painter.drawText(QRect(x, y, width() - x, line), Qt::AlignLeft | Qt::AlignVCenter,
                       QString("+%1").arg(history_.series.size() - i));
      break;
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(colourOf(i));
    painter.drawEllipse(QPointF(x + line / 2.0, y + line / 2.0), 3, 3);
    painter.setPen(theme.colour(ColourRole::kText));
    painter.drawText(QRect(x + line, y, wide, line), Qt::AlignLeft | Qt::AlignVCenter, name);
    x += wide;
  }
}

void HistoryWidget::mousePressEvent(QMouseEvent* event) {
  if (const HistoryPoint* point = nearest(event->position())) Q_EMIT runClicked(point->run);
}

bool HistoryWidget::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const HistoryPoint* point = nearest(help->pos())) {
    QToolTip::showText(
        help->globalPos(),
        QString("run %1: %2 (%3 to %4)")
            .arg(point->run.value)
            .arg(durationText(point->medianNs), durationText(point->lowNs), durationText(point->highNs)),
        this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace hilo
