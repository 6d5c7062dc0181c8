// Arrays on the host that are written slice by slice: what an update in place writes to lies there from where
// it is made, through every loop in between.
#pragma once

#include "core/compiler/passes/memory/host_offload/offload_paths.h"

namespace hilo {

// Decides where each update met on the paths lies, and those that come up meanwhile. The host does one that
// is written with what lies on the host. One into an array on the host, or one that the program wants there
// (`wanted`), is written by the device into the host's memory: its array is walked back to where it is made,
// everything on the way is placed, and the array itself becomes memory of the host. Zeros are no longer
// written (an "AllocateBuffer" instead), anything else is copied there. True where anything changed. Error
// kinds: "host-buffer-on-device" where the array is a parameter that the entry's layout has on the device,
// and those of OffloadPaths.
Result<bool> placeUpdates(OffloadPaths& paths, const absl::flat_hash_set<const Instruction*>& wanted);

// In computations that are not the entry, an update that lies in the same memory as a parameter is copied
// before it is written to the host, or scheduling could be forced into an order that writes too early.
Result<bool> copySharedUpdates(Module& module);

}  // namespace hilo
