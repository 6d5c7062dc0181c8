#include "ui/widgets/histogram_widget.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

QString ulpName(size_t bucket) {
  if (bucket <= 2) return QString::number(bucket);
  const double low = std::ldexp(1.0, static_cast<int>(bucket) - 2) + 1;
  const double high = std::ldexp(1.0, static_cast<int>(bucket) - 1);
  if (bucket > 14) return QString("2^%1").arg(bucket - 1);
  return QString("%1-%2").arg(static_cast<int64_t>(low)).arg(static_cast<int64_t>(high));
}

}  // namespace

HistogramBars ulpBars(std::vector<int64_t> counts) {
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  HistogramBars bars{"elements by error in ULP (log scale)", std::move(counts), {}, true};
  for (size_t i = 0; i < bars.counts.size(); ++i) bars.names << ulpName(i);
  return bars;
}

HistogramWidget::HistogramWidget(QString whenEmpty, QWidget* parent)
    : QWidget(parent), whenEmpty_(std::move(whenEmpty)) {
  setAccessibleName("Histogram");
}

void HistogramWidget::setBars(HistogramBars bars) {
  bars_ = std::move(bars);
  update();
}

void HistogramWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(11));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const int line = painter.fontMetrics().height();
  if (bars_.counts.empty()) {
    painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, whenEmpty_);
    return;
  }
  const QRect head(kSpace, kSpaceSmall, width() - 2 * kSpace, line);
  painter.drawText(head, Qt::AlignLeft,
                   painter.fontMetrics().elidedText(bars_.title, Qt::ElideRight, head.width()));
  const int64_t most = *std::ranges::max_element(bars_.counts);
  const QRect area(kSpace, line + 2 * kSpaceSmall + line, width() - 2 * kSpace,
                   height() - 3 * line - 3 * kSpaceSmall);
  const double slot = static_cast<double>(area.width()) / static_cast<double>(bars_.counts.size());
  int widest = 54;
  for (const QString& name : bars_.names)
    widest = std::max(widest, painter.fontMetrics().horizontalAdvance(name) + kSpace);
  const int labelEvery = std::max(1, static_cast<int>(std::ceil(widest / slot)));
  for (size_t i = 0; i < bars_.counts.size(); ++i) {
    const int64_t count = bars_.counts[i];
    const double share =
        count == 0 ? 0
                   : std::log2(1.0 + static_cast<double>(count)) / std::log2(1.0 + static_cast<double>(most));
    const int x = area.left() + static_cast<int>(slot * static_cast<double>(i));
    const int barHeight = static_cast<int>(share * area.height());
    const QRect bar(x + 1, area.bottom() - barHeight, std::min(64, std::max(1, static_cast<int>(slot) - 2)),
                    barHeight);
    const ColourRole role = !bars_.firstIsRight ? ColourRole::kAccent
                            : i == 0            ? ColourRole::kSuccess
                                                : ColourRole::kWarning;
    painter.fillRect(bar, theme.colour(role));
    painter.setPen(theme.colour(ColourRole::kTextDim));
    // A count needs its own slot: beside it another bar may stand higher.
    const QString number = count > 0 ? countText(count) : QString();
    if (painter.fontMetrics().horizontalAdvance(number) < slot)
      painter.drawText(QRect(x, bar.top() - line, static_cast<int>(slot), line), Qt::AlignLeft, number);
    if (static_cast<int>(i) % labelEvery != 0) continue;
    painter.drawText(QRect(x, area.bottom() + 2, static_cast<int>(slot * labelEvery), line), Qt::AlignLeft,
                     bars_.names.value(static_cast<qsizetype>(i)));
  }
}

}  // namespace hilo
