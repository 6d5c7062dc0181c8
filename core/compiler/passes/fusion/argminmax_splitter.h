// Makes two reductions of one that finds where the greatest or smallest element along a dimension is: of the
// element itself, and of the first place that holds it. Each folds in vectors, where the two together are one
// comparison after the other. The computation is known by what it does, not by how it is written. XLA has no
// such pass; its argmax (ArgMax in xla/hlo/builder/lib/arithmetic.cc) and JAX's are what it is for.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> splitArgminmax(Module& module, PassContext& context);

}  // namespace hilo
