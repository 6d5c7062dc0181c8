// Makes one computation of equal ones that reduce, compare or combine elements. As XLA's
// hlo/transforms/simplifiers/ hlo_computation_deduplicator.cc for what is applied to elements; fusions keep
// bodies of their own.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> deduplicateComputations(Module& module, PassContext& context);

}  // namespace hilo
