// How large a module is, for a person who has to read it. Private to the room.
#pragma once

#include <array>

#include "core/hlo/ir/module.h"

namespace hilo {

// Compared from the first on: instructions that do something, parameters, constants, how often loops
// run, elements of all values, attributes. A computation counts for each call of it, so that
// inlining makes nothing larger.
using ModuleSize = std::array<int64_t, 6>;
ModuleSize sizeOf(const Module& module);

}  // namespace hilo
