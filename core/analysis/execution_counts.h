// How often each computation runs when the entry runs once: loops by their known trip counts, a loop whose
// count is not known once, every branch of a conditional once.
#pragma once

#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// By computation id. 0 for what the entry does not reach through while, call, conditional and async starts:
// the bodies of fusions and the scalar functions of reductions and the like are part of their callers.
std::vector<int64_t> executionCounts(const Module& module);

}  // namespace hilo
