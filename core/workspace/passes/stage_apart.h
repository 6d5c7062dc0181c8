// What an engine with a compiler of its own makes of a module, as a stage beside Hilo's own: a library of
// PJRT, here or on another machine. Private to the room.
#pragma once

#include "core/workspace/passes/optimize.h"

namespace hilo {

// Whether the pipeline's name is that of such an engine (run/engines_apart.h).
bool isEngineApart(const std::string& pipeline);

// The input and the stage. Kinds: "not-runnable", the engine's.
Result<PassSeries> stageApart(const OptimizeRequest& request, const JobContext& context);

}  // namespace hilo
