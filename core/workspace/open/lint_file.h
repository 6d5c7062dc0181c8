// What is worth a second look in a module that XLA would take: warnings, none of them an error.
#pragma once

#include "core/workspace/open/opened.h"

namespace hilo {

// Kinds:
//  - unstable-reduction: a sum accumulated in fewer than 32 bits (core/analysis/unstable_reduction.h);
//  - false-trip-count: a loop that states another known_trip_count than its counter gives.
// Places have file, line and column where the module came from text, else computation and instruction.
Diagnostics lintFile(const OpenedFile& file);
// A module at hand: places have computation and instruction.
Diagnostics lintModule(const Module& module);

}  // namespace hilo
