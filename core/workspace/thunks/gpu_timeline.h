// What a GPU is expected to do with a program, before anything runs: how long each thunk takes on a described
// device, and when each is on which stream.
#pragma once

#include "core/analysis/cost/device.h"
#include "core/compiler/codegen/gpu/gpu_target.h"
#include "core/runtime/program/program.h"

namespace hilo {

// A built-in description of the architecture, or of the nearest older one; else of the oldest.
DeviceDescription deviceLike(const GpuTarget& target);

// Of the kernels of a program, by sequence and thunk, as long as the instructions they are of take: several
// kernels of one share its time. Of copies by their bytes, of collectives and library calls as of their
// instruction; 0 of others. `compiled` has these instructions.
std::vector<std::vector<int64_t>> estimatedThunkNs(const Program& program, const Module& compiled,
                                                   const DeviceDescription& device);

struct PlannedSpan {
  uint32_t thunk = 0, stream = 0;
  int64_t startNs = 0, durationNs = 0;
};
// The first sequence on as many streams as engines use, each thunk as long as `ns` says and as early as its
// stream and the events it waits for allow.
std::vector<PlannedSpan> plannedOnStreams(const Program& program, const std::vector<int64_t>& ns);

}  // namespace hilo
