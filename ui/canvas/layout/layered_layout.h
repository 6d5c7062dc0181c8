// The own layered layout (Sugiyama's four steps: rank, order, place, route). Near-linear: 3,000 nodes take
// about a tenth of a second, 100,000 less than a second. Deterministic: equal inputs give equal results.
#pragma once

#include "ui/canvas/layout/layout.h"

namespace hilo {

// Components are laid out by themselves and packed, unless nodes are pinned. Fails only with "cancelled".
Result<LayoutResult> layoutLayered(const LayoutInput& input, const CancelToken& cancel);

}  // namespace hilo
