// Makes a scatter of a sort that only undoes another: it sorts, by what became of an iota in that one, the
// places of the elements, which are a permutation. As XLA's
// hlo/transforms/expanders/permutation_sort_expander.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> simplifyPermutationSorts(Module& module, PassContext& context);

}  // namespace hilo
