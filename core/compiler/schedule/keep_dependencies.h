// Orders put right after dependencies were added.
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// The order nearest to the present one that keeps all dependencies: of what may come next, what came first.
// Where dependencies go round in a circle the order is left as it is.
void keepDependencies(Computation& computation);

}  // namespace hilo
