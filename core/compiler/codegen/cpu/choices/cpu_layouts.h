// Orders of arrays that processors' kernels and libraries take: layout_rules.def.
#pragma once

#include "core/compiler/pass/engine_layouts.h"

namespace hilo {

const EngineLayouts& cpuLayouts();

}  // namespace hilo
