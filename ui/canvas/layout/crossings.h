// Counts how well a layout came out.
#pragma once

#include "ui/canvas/layout/layout.h"

namespace hilo {

// Pairs of edges that share no end, for each place where their drawn lines cross. The input flows down.
uint64_t drawnCrossings(const LayoutInput& input, const LayoutResult& result);

}  // namespace hilo
