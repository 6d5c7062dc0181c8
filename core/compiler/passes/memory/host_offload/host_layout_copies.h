// Takes copies that only change an array's layout off the host: between MoveToHost, or a parameter on the
// host, and MoveToDevice the array keeps the layout it came with, through tuples, loops and updates, and the
// copy is made on the device behind MoveToDevice; where the array stays on the host, in front of MoveToHost
// if the copy stands right behind it. As XLA's hlo/transforms/host_offload_legalize.cc, but that a move is
// made as a whole or not at all.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// Wants layouts assigned. Error kinds: those of CallGraph::build.
Result<bool> moveLayoutCopiesOffHost(Module& module, PassContext& context);

}  // namespace hilo
