// A kept run once more: for what can only be found out by running.
#pragma once

#include "core/workspace/run/runs.h"

namespace hilo {

// What gave `run`, its arguments settled. `open` is what may have: modules and programs, each with the
// arguments that the run names. The one of the run's hash is taken, and run once to see that it still gives
// what was kept. Error kinds: "not-open", "not-repeated", those of settleArguments and of execute.
Result<RunRequest> runAgain(const RunRecord& run, std::vector<RunRequest> open, const JobContext& context);

}  // namespace hilo
