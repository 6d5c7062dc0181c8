// A program run a few times to time its thunks: one thunk after the other, on made-up arguments.
#pragma once

#include "core/runtime/program/program.h"
#include "core/runtime/trace/thunk_trace.h"
#include "core/workspace/values/value_walk.h"

namespace hilo {

struct ThunkRuns {
  std::vector<std::vector<ThunkEvent>> byItself;  // a run each: one thunk after the other
  std::vector<ThunkEvent> together;               // of one run on all threads; empty unless asked for
  int64_t dropped = 0;                            // events of that one that were too many
};

// The arguments: one list for all devices or one a device; in a worker when `worker` is set. Errors:
// as of running.
Result<ThunkRuns> runThunks(std::shared_ptr<const Program> program, DeviceGrid grid,
                            const std::vector<std::vector<Literal>>& arguments,
                            const std::optional<WorkerOptions>& worker, bool together,
                            const JobContext& context);

// The instruction of `module` that one of the module expanded from it (ProgramCompiler::expanded) belongs to:
// itself, or a library call; not valid for one that is not there.
InstructionId expandedFrom(const Module& module, const Module& expanded, InstructionId id);

}  // namespace hilo
