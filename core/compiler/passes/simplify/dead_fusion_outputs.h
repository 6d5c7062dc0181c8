// Results of fusions that nobody takes, and what only they need within the fusion; a fusion that is left with
// one result gives it without a tuple. Parameters that are needed no more go. As XLA's HloDCE (hlo_dce.cc).
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

bool removeDeadFusionOutputs(Module& module, PassContext& context);

}  // namespace hilo
