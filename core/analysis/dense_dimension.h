// The dimension whose neighbours lie side by side in memory.
#pragma once

#include "core/hlo/ir/shape.h"

namespace hilo {

// The layout's first, the last without one. Rank above 0.
int64_t denseDimension(Shape array);

}  // namespace hilo
