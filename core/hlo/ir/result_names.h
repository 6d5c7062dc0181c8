// What a module's results are called: by the operands of the tuple its entry ends in ("loss", "grads.3"), by
// the entry's ROOT where it gives one value, and by the ROOT and the element where it gives a tuple of
// something else ("while.2{1}").
#pragma once

#include <string>
#include <vector>

#include "core/hlo/ir/module.h"

namespace hilo {

// One an element of the result's tuple, or one; none without an entry. Two may be the same.
std::vector<std::string> resultNames(const Module& module);

}  // namespace hilo
