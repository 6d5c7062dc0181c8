#include "ui/widgets/heat_ramp.h"

#include <QPainter>

#include "ui/style/colours.h"

namespace hilo {

void paintHeatRamp(QPainter& painter, const QRect& bar, const Theme& theme) {
  for (int x = 0; x < bar.width(); ++x) {
    painter.fillRect(QRect(bar.left() + x, bar.top(), 1, bar.height()),
                     heatColour(static_cast<double>(x) / bar.width(), theme.dark));
  }
}

}  // namespace hilo
