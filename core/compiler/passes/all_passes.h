// The table of passes (passes.def).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Sorted by name.
std::span<const Pass> allPasses();
const Pass* findPass(std::string_view name);
// The passes of "a,b,c"; an unknown name is refused (kind "unknown-pass") with the nearest known one.
Result<std::vector<const Pass*>> parsePassList(std::string_view list);

}  // namespace hilo
