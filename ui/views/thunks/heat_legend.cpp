#include "ui/views/thunks/heat_legend.h"

#include <QEvent>
#include <QPainter>
#include <QTabBar>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/heat_ramp.h"

namespace hilo {
namespace {

constexpr int kRampWidth = 100, kRampHeight = 10;

}  // namespace

HeatLegend::HeatLegend(QTabWidget* tabs) : QWidget(tabs), tabs_(tabs) {
  tabs->installEventFilter(this);
  setAccessibleName("What the colours of thunks say");
  setFont(uiFont(11));
  hide();
}

void HeatLegend::setScale(const HeatScale& scale) {
  title_ = scale.isMeasured ? QStringLiteral("measured time, log scale")
                            : QStringLiteral("estimated time, log scale");
  low_ = QStringLiteral("≤ ") + durationText(scale.leastNs());
  high_ = QStringLiteral("≥ ") + durationText(scale.mostNs);  // one run may take longer than the median
  setAccessibleDescription(QStringLiteral("%1: %2 to %3").arg(title_, low_, high_));
  setToolTip(QStringLiteral(
      "The colour of a thunk in the graph: all its runs together; on the timeline: the one run"));
  isKnown_ = scale.isKnown();
  place();
  update();
}

bool HeatLegend::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) place();
  return QWidget::eventFilter(watched, event);
}

void HeatLegend::place() {
  const auto widthOf = [&](const QString& text) { return fontMetrics().horizontalAdvance(text); };
  const int width = widthOf(title_) + widthOf(low_) + kRampWidth + widthOf(high_) + 5 * kSpace;
  const QSize bar = tabs_->tabBar()->sizeHint();
  setGeometry(tabs_->width() - width, 0, width, bar.height());
  setVisible(isKnown_ && bar.width() + width <= tabs_->width());
}

void HeatLegend::paintEvent(QPaintEvent*) {
  const Theme& theme = themeOf(*this);
  QPainter painter(this);
  painter.setFont(font());
  int x = kSpace;
  const auto say = [&](const QString& text, ColourRole role) {
    const int width = fontMetrics().horizontalAdvance(text);
    painter.setPen(theme.colour(role));
    painter.drawText(QRect(x, 0, width + 1, height()), Qt::AlignLeft | Qt::AlignVCenter, text);
    x += width + kSpace;
  };
  say(title_, ColourRole::kTextDim);
  say(low_, ColourRole::kText);
  paintHeatRamp(painter, QRect(x, (height() - kRampHeight) / 2, kRampWidth, kRampHeight), theme);
  x += kRampWidth + kSpace;
  say(high_, ColourRole::kText);
}

}  // namespace hilo
