// Writes gathers and scatters with batching dimensions as ones without: the number of the batch stands in
// front of each index vector, in a type that holds it. Gathers whose indices name a batching dimension too
// stay. As XLA's service/batched_gather_scatter_normalizer.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> normalizeBatches(Module& module, PassContext& context);

}  // namespace hilo
