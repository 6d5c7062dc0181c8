// Permutes once what several collective-permutes send along the same pairs: equal values, and slices of what
// another one sends, which are cut out of its result instead. As XLA's
// hlo/transforms/collectives/collective_permute_cse.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> mergePermutes(Module& module, PassContext& context);

}  // namespace hilo
