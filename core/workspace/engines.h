// The engines there are. The one place where runtime's table meets what fills it.
#pragma once

#include "core/runtime/engine/engine.h"

namespace hilo {

// Made at the first call, the reference evaluator in it.
EngineTable& engineTable();

}  // namespace hilo
