#include "ui/views/bisect/size_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

std::vector<QPoint> layOutSizes(const std::vector<SizePoint>& points, QRect area) {
  std::vector<QPoint> places;
  if (points.empty()) return places;
  int64_t most = 1, longest = 1;
  for (const SizePoint& point : points) {
    most = std::max(most, point.instructions);
    longest = std::max(longest, point.atNs);
  }
  const double top = std::log10(static_cast<double>(most) + 1);
  for (const SizePoint& point : points) {
    const double x = static_cast<double>(point.atNs) / static_cast<double>(longest);
    const double y = std::log10(static_cast<double>(std::max<int64_t>(0, point.instructions)) + 1) / top;
    places.emplace_back(area.left() + static_cast<int>(x * (area.width() - 1)),
                        area.bottom() - static_cast<int>(y * (area.height() - 1)));
  }
  return places;
}

SizeChart::SizeChart(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(110);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName("Size over time");
}

void SizeChart::setPoints(std::vector<SizePoint> points) {
  points_ = std::move(points);
  if (chosen_ >= static_cast<int>(points_.size())) chosen_ = -1;
  update();
}

void SizeChart::setChosen(int point) {
  if (point == chosen_ || point >= static_cast<int>(points_.size())) return;
  chosen_ = point;
  update();
  Q_EMIT chosenChanged(point);
}

QRect SizeChart::area() const { return rect().adjusted(64, 12, -16, -24); }

void SizeChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(11));
  if (points_.empty()) return;
  const QRect in = area();
  painter.setPen(theme.colour(ColourRole::kBorder));
  painter.drawLine(in.bottomLeft(), in.bottomRight());
  painter.drawLine(in.topLeft(), in.bottomLeft());
  painter.setPen(theme.colour(ColourRole::kTextDim));
  painter.drawText(QRect(0, in.top() - 8, in.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                   countText(std::ranges::max(points_, {}, &SizePoint::instructions).instructions));
  painter.drawText(QRect(0, in.bottom() - 12, in.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter, "0");
  painter.drawText(QRect(in.left(), in.bottom() + 4, in.width(), 16), Qt::AlignRight,
                   durationText(static_cast<double>(points_.back().atNs)));
  painter.drawText(QRect(in.left(), in.bottom() + 4, in.width(), 16), Qt::AlignLeft,
                   "instructions over time");
  const std::vector<QPoint> places = layOutSizes(points_, in);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.colour(ColourRole::kAccent), 1.5));
  for (size_t n = 1; n < places.size(); ++n) {
    const QPoint corner(places[n].x(), places[n - 1].y());
    painter.drawLine(places[n - 1], corner);
    painter.drawLine(corner, places[n]);
  }
  painter.setBrush(theme.colour(ColourRole::kAccent));
  painter.setPen(Qt::NoPen);
  for (size_t n = 0; n < places.size(); ++n)
    painter.drawEllipse(places[n], static_cast<int>(n) == chosen_ ? 5 : 2,
                        static_cast<int>(n) == chosen_ ? 5 : 2);
}

void SizeChart::mousePressEvent(QMouseEvent* event) {
  const std::vector<QPoint> places = layOutSizes(points_, area());
  int nearest = -1, least = 0;
  for (size_t n = 0; n < places.size(); ++n) {
    const int off = (places[n] - event->pos()).manhattanLength();
    if (nearest >= 0 && off >= least) continue;
    nearest = static_cast<int>(n);
    least = off;
  }
  if (nearest >= 0) setChosen(nearest);
}

void SizeChart::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(points_.size()) - 1;
  if (last < 0) return QWidget::keyPressEvent(event);
  switch (event->key()) {
    case Qt::Key_Right:
      return setChosen(std::min(chosen_ + 1, last));
    case Qt::Key_Left:
      return setChosen(std::max(chosen_ - 1, 0));
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace hilo
