// Makes one fusion of two products and what is done to the rows between them, such as the scores of an
// attention (core/analysis/product_chain.h says which). After loop-fusion, which makes one operation of what
// lies between.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseProductChains(Module& module, PassContext& context);

}  // namespace hilo
