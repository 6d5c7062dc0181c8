// Results of fusions that nobody takes, and what only they need within the fusion; a fusion that is left with
// one result gives it without a tuple. Parameters that are needed no more go. Fusions of kind kCustom stay,
// whose results are places that what they stand for writes to. As XLA's HloDCE (hlo_dce.cc).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

bool removeDeadFusionOutputs(Module& module, PassContext& context);

// A fusion of the same body without the parameters that nothing reads, in place of this one, which is gone
// then; this one where all are read. The body must be its own.
Instruction* withoutUnusedOperands(Instruction& fusion);

}  // namespace hilo
