// Writes a gather as one of a list of index vectors [windows, length] whose result is [window, size...],
// then drops, splits and transposes dimensions as asked. Gathers with batching dimensions stay. As
// xla/hlo/transforms/simplifiers/gather_simplifier.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyGathers(Module& module, PassContext& context);

}  // namespace hilo
