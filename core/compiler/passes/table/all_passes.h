// The table of passes (passes.def).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Sorted by name.
std::span<const Pass> allPasses();
const Pass* findPass(std::string_view name);

}  // namespace hilo
