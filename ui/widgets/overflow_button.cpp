#include "ui/widgets/overflow_button.h"

#include <QPainter>
#include <QToolBar>
#include <QToolButton>

#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {

void drawOverflowButton(const QToolBar& bar) {
  auto* button = bar.findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"));
  if (button == nullptr) return;
  const double ratio = bar.devicePixelRatioF();
  QPixmap picture(QSize(kUiFontPx, kUiFontPx) * ratio);
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setFont(uiFont(kUiFontPx));
  painter.setPen(themeOf(bar).colour(ColourRole::kText));
  painter.drawText(QRect(0, 0, kUiFontPx, kUiFontPx), Qt::AlignCenter, QStringLiteral("»"));
  painter.end();
  button->setIcon(QIcon(picture));
  button->setToolTip(QStringLiteral("More"));
}

}  // namespace hilo
