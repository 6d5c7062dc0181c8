// Makes one fusion of instructions whose elements can be computed together, so that what lies between them
// is never stored: elementwise work, moves of data, and reductions with what feeds them. Left as they are:
// what has an effect or an order given by control dependencies, fusions that are there already, dots,
// convolutions, sorts, scatters and everything that is no array. What fuses is decided by cost
// (fusion_plan.h), as in XLA's service/cpu/cpu_instruction_fusion.cc, which has rules instead of a cost.
#pragma once

#include "core/compiler/pass/engine_costs.h"
#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> fuseLoops(Module& module, PassContext& context, const EngineCosts& costs);

}  // namespace hilo
