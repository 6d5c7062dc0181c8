// What work on the host gives and the program returns without the device ever looking at it.
#pragma once

#include "core/compiler/passes/memory/host_offload/offload_paths.h"

namespace hilo {

// Results of `start`, an async-start on the host's thread, stay on the host where they only pass through to
// results of the program that the entry's layout has there; calls of MoveToHost on the way go. XLA calls it
// removing redundant copies back to the host. True where it placed any.
bool keepResultsOnHost(Instruction& start, OffloadPaths& paths);

}  // namespace hilo
