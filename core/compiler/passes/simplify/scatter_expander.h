// Writes scatters of one update (or one a batch of none) as a dynamic-update-slice: what is there is read,
// combined and written where the whole window lies inside. XLA's service/scatter_expander.cc with its mode
// kEliminateSimpleScatters; others stay.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> expandSimpleScatters(Module& module, PassContext& context);

}  // namespace hilo
