#include "ui/views/compare/histogram_widget.h"

#include <QPainter>
#include <cmath>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

void HistogramWidget::setCounts(std::vector<int64_t> counts) {
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  counts_ = std::move(counts);
  update();
}

QString HistogramWidget::bucketName(size_t bucket) {
  if (bucket <= 2) return QString::number(bucket);
  const double low = std::ldexp(1.0, static_cast<int>(bucket) - 2) + 1;
  const double high = std::ldexp(1.0, static_cast<int>(bucket) - 1);
  if (bucket > 14) return QString("2^%1").arg(bucket - 1);
  return QString("%1-%2").arg(static_cast<int64_t>(low)).arg(static_cast<int64_t>(high));
}

void HistogramWidget::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.fillRect(rect(), theme.colour(ColourRole::kSurface));
  painter.setFont(uiFont(11));
  painter.setPen(theme.colour(ColourRole::kTextDim));
  const int line = painter.fontMetrics().height();
  painter.drawText(QRect(kSpace, kSpaceSmall, width() - 2 * kSpace, line), Qt::AlignLeft,
                   "elements by error in ULP (log scale)");
  if (counts_.empty()) {
    painter.drawText(rect(), Qt::AlignCenter, "Select an output leaf.");
    return;
  }
  const int64_t most = *std::ranges::max_element(counts_);
  const QRect area(kSpace, line + 2 * kSpaceSmall + line, width() - 2 * kSpace,
                   height() - 3 * line - 3 * kSpaceSmall);
  const double slot = static_cast<double>(area.width()) / static_cast<double>(counts_.size());
  const int labelEvery = std::max(1, static_cast<int>(std::ceil(54.0 / slot)));
  for (size_t i = 0; i < counts_.size(); ++i) {
    const double share = counts_[i] == 0 ? 0
                                         : std::log2(1.0 + static_cast<double>(counts_[i])) /
                                               std::log2(1.0 + static_cast<double>(most));
    const int x = area.left() + static_cast<int>(slot * static_cast<double>(i));
    const int barHeight = static_cast<int>(share * area.height());
    const QRect bar(x + 1, area.bottom() - barHeight, std::min(64, std::max(1, static_cast<int>(slot) - 2)),
                    barHeight);
    painter.fillRect(bar, theme.colour(i == 0 ? ColourRole::kSuccess : ColourRole::kWarning));
    if (static_cast<int>(i) % labelEvery != 0) continue;
    const int labelWidth = static_cast<int>(slot) * labelEvery;
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(QRect(x, area.bottom() + 2, labelWidth, line), Qt::AlignLeft, bucketName(i));
    if (counts_[i] > 0) {
      painter.drawText(QRect(x, bar.top() - line, labelWidth, line), Qt::AlignLeft, countText(counts_[i]));
    }
  }
}

}  // namespace hilo
