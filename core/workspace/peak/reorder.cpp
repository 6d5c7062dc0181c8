// Another order of the same instructions.
#include "core/workspace/peak/peak_proposals.h"

namespace hilo {

Result<std::vector<PeakChange>> reorder(const PeakBase& /*base*/, const JobContext& /*context*/) {
  return std::vector<PeakChange>{{.text = "run in the order that needs the least memory",
                                  .how = "--xla_gpu_enable_latency_hiding_scheduler=false",
                                  .passes = {"memory-scheduler"}}};
}

}  // namespace hilo
