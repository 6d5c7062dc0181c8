// Lets results of the entry computation take the place of parameters: of the same size and memory space, the
// largest first. As xla/hlo/transforms/simplifiers/optimize_input_output_buffer_alias.cc.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct DonationRules {
  bool donorsOnly = true;  // parameters that the caller donates; else any
};
Result<bool> aliasDonatedParameters(Module& module, PassContext& context, const DonationRules& rules = {});

}  // namespace hilo
