// How many bytes XLA lets the order of a module for GPU keep live (GetSchedulerMemoryLimit of
// service/gpu/gpu_hlo_schedule.cc).
#pragma once

#include "core/hlo/ir/module.h"

namespace hilo {

// Four fifths of the device's memory, less parameters and results (what is aliased once), of that 95% (the
// default of xla_gpu_memory_limit_slop_factor). 0 where parameters and results alone are more. A module
// without an entry has neither.
int64_t gpuSchedulerMemoryLimit(const Module& module, int64_t deviceMemoryBytes);

}  // namespace hilo
