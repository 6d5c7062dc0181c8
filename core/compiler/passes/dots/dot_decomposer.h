// Brings dots into the form libraries take: batch dimensions first, one contracting and at most one free
// dimension on each side, by transposes and reshapes around them. As XLA's
// hlo/transforms/expanders/dot_decomposer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> decomposeDots(Module& module, PassContext& context);

}  // namespace hilo
