// Results written over arguments of the same size: what donate_argnums of jax.jit allows.
#include "core/workspace/peak/peak_proposals.h"

namespace hilo {

Result<std::vector<PeakChange>> donateArguments(const PeakBase& base, const JobContext& /*context*/) {
  if (base.module->entry()->parameters().empty()) return std::vector<PeakChange>();
  return std::vector<PeakChange>{
      {.text = "let results take the place of arguments of the same size",
       .how = "donate_argnums of jax.jit, for arguments that are not used again",
       .passes = {"optimize_input_output_buffer_alias{registered_buffer_donor_only=false}"}}};
}

}  // namespace hilo
