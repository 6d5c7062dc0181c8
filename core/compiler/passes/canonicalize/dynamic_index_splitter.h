// Makes one scalar a dimension of the vector of starts that dynamic-slices and dynamic-update-slices once
// had; those of scalars are what they take or write. As XLA's
// hlo/transforms/expanders/dynamic_index_splitter.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitDynamicIndices(Module& module, PassContext& context);

}  // namespace hilo
