// Lets results of the entry computation take the place of parameters that the caller donates: of the same
// size and memory space, the largest first. As
// xla/hlo/transforms/simplifiers/optimize_input_output_buffer_alias.cc with registered_buffer_donor_only.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

Result<bool> aliasDonatedParameters(Module& module, PassContext& context);

}  // namespace hilo
