// What stands around a map: a ruler of its steps or of time, and what its marks mean.
#pragma once

#include <QPainter>

#include "ui/style/colours.h"
#include "ui/views/memory/memory_map_layout.h"

namespace hilo {

// Steps between two ticks: 1, 2 or 5 times a power of ten, so that there are at most `most` ticks in sight.
int64_t stepsBetweenTicks(double steps, int most);

// Ticks with their numbers, or times, from the top of `line` down, for what of the axis `window` shows.
void paintRuler(QPainter& painter, const QRect& line, const MapWindow& window, bool isTime,
                const Theme& theme);

// At the right end of `line`, where there is room beside `taken` pixels of text; returns its width, else 0.
int paintMapLegend(QPainter& painter, const QRect& line, int taken, const Theme& theme);

}  // namespace hilo
