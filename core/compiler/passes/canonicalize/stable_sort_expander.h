// Makes a stable sort of one that need not be: positions are sorted along, and decide between elements that
// the comparator holds to be equal. As xla/hlo/transforms/expanders/stable_sort_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandStableSorts(Module& module, PassContext& context);

}  // namespace hilo
