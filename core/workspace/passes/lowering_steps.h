// What the compiler makes of the module that passes end with, as steps of their series: where values lie,
// then thunks and kernels. These are no passes (compiler/pipelines): each keeps the module it was given, says
// in a line what it made, and in its remarks what it decided of which instruction.
#pragma once

#include "core/workspace/job_queue.h"
#include "core/workspace/passes/pass_series.h"

namespace hilo {

struct ProgramCompiler;

// Steps "buffers" and "emit". Of a module that cannot be compiled "buffers" alone, skipped, with the reasons.
// Error kinds: "cancelled".
Result<std::vector<SeriesStep>> lowerInSteps(const ProgramCompiler& compiler,
                                             std::shared_ptr<const Module> module, const JobContext& context);

}  // namespace hilo
