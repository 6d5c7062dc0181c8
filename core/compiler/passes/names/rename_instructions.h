// Ends the names of instructions outside fusions in ".0", so that what fusing makes of one can be told from
// it later. As XLA's backends/gpu/transforms/add_tracking_suffix_to_instruction_names.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> addTrackingSuffixes(Module& module, PassContext& context);

}  // namespace hilo
