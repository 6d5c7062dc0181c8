// The ramp of heat as legends show it: the coldest left, the hottest right.
#pragma once

#include <QRect>

class QPainter;

namespace hilo {

struct Theme;

void paintHeatRamp(QPainter& painter, const QRect& bar, const Theme& theme);

}  // namespace hilo
