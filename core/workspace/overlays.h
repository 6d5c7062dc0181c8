// Overlays that need more than the module: the passes it went through, or a run of it.
#pragma once

#include "core/analysis/overlay.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/pass_series.h"

namespace hilo {

// For each instruction of step `step`'s module the last pass up to there that made, changed or moved it; none
// for those that are as they were in step 0. Reads every step before it: run it in a job. Fails with
// "cancelled" and as reading a step does.
Result<Overlay> changedByPass(const PassSeries& series, size_t step, const JobContext& context);

// How long each instruction takes, compiled as it stands by the cpu engine and run on one thunk after the
// other with made-up arguments: of a few runs the median; what is run several times (in a loop) is summed.
// Instructions without a thunk of their own have none. Errors: as of compiling and running for cpu.
Result<Overlay> measuredTimes(std::shared_ptr<const Module> module, const JobContext& context);

}  // namespace hilo
