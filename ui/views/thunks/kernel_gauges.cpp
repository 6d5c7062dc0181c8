#include "ui/views/thunks/kernel_gauges.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kCellWidth = 200, kBar = 4, kFontPx = 11;

int lineHeight() { return QFontMetrics(uiFont(kFontPx)).height(); }
int cellHeight() { return 2 * lineHeight() + kBar + 2 * kSpaceTiny; }

}  // namespace

KernelGauges::KernelGauges(QWidget* parent) : QWidget(parent) {
  setAccessibleName("What the kernel takes of the GPU");
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  hide();
}

void KernelGauges::setGauges(std::vector<KernelGauge> gauges) {
  gauges_ = std::move(gauges);
  QStringList lines;
  for (const KernelGauge& gauge : gauges_) lines << qs(gauge.name) + ": " + qs(gauge.text);
  setAccessibleDescription(lines.join(u'\n'));
  setVisible(!gauges_.empty());
  updateGeometry();
  update();
}

int KernelGauges::columns(int width) const {
  const int most = std::max(1, (width - kSpace) / (kCellWidth + kSpace));
  const int count = static_cast<int>(gauges_.size());
  // Rows of the same length where they can be.
  const int rows = (count + most - 1) / std::max(1, most);
  return rows == 0 ? 1 : (count + rows - 1) / rows;
}

int KernelGauges::heightForWidth(int width) const {
  const int across = columns(width), rows = (static_cast<int>(gauges_.size()) + across - 1) / across;
  return rows * (cellHeight() + kSpaceSmall) + kSpaceSmall;
}

QRect KernelGauges::cell(size_t number, int width) const {
  const int across = columns(width), at = static_cast<int>(number);
  const int step = (width - kSpace) / across;
  return {kSpace + at % across * step, kSpaceSmall + at / across * (cellHeight() + kSpaceSmall),
          step - kSpace, cellHeight()};
}

void KernelGauges::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = themeOf(*this);
  painter.setFont(uiFont(kFontPx));
  const QFontMetrics metrics(painter.font());
  for (size_t i = 0; i < gauges_.size(); ++i) {
    const KernelGauge& gauge = gauges_[i];
    const QRect at = cell(i, width());
    const QRect bar(at.left(), at.top() + lineHeight() + kSpaceTiny, at.width(), kBar);
    painter.setPen(theme.colour(ColourRole::kTextDim));
    painter.drawText(QRect(at.left(), at.top(), at.width(), lineHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(qs(gauge.name), Qt::ElideRight, at.width()));
    painter.fillRect(bar, theme.colour(ColourRole::kBorder));
    const auto filled = static_cast<int>(std::clamp(gauge.share, 0.0, 1.0) * bar.width());
    painter.fillRect(QRect(bar.topLeft(), QSize(filled, kBar)),
                     theme.colour(gauge.isBad ? ColourRole::kError : ColourRole::kAccent));
    painter.setPen(theme.colour(gauge.isBad ? ColourRole::kError : ColourRole::kText));
    painter.drawText(QRect(at.left(), bar.bottom() + kSpaceTiny, at.width(), lineHeight()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(qs(gauge.text), Qt::ElideRight, at.width()));
  }
}

bool KernelGauges::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const QPoint place = static_cast<QHelpEvent*>(event)->pos();
    for (size_t i = 0; i < gauges_.size(); ++i) {
      if (cell(i, width()).contains(place))
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                           qs(gauges_[i].name) + ": " + qs(gauges_[i].text), this);
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace hilo
