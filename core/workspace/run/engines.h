// The engines there are. The one place where runtime's table meets what fills it.
#pragma once

#include <string_view>

#include "core/runtime/engine/engine.h"

namespace hilo {

// The flag of engines that can round every sum as StableHLO's specification says: for programs that hold
// answers worked out so.
inline constexpr std::string_view kSumsAsSpecified = "sums-as-specified";

// Made at the first call, the reference evaluator in it.
EngineTable& engineTable();

}  // namespace hilo
