// Writes what lies in another order than that of its dimensions as the same work on an array whose dimensions
// are in the order of memory, between bitcasts; a copy that changes the order becomes a transpose. Transposes
// lose what they do not move: dimensions of size 1, and neighbours that stay together become one. As XLA's
// service/layout_normalization.cc, with the grouping of its transpose_dimension_grouper.cc. Left as they are:
// calls, dots, gathers and scatters, windows, several results.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> normalizeLayouts(Module& module, PassContext& context);

}  // namespace hilo
