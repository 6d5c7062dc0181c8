// Decides what lies in the host's memory, S(5), from the calls that say so: MoveToHost and MoveToDevice, and
// the parameters and results that the entry's layout has there. Everything that such a value goes through
// gets the host's memory in its layout, copies are made where it goes to the host and where it comes back,
// and the calls go. An array that a loop writes slice by slice is a buffer of the host from the start
// (host_buffers.h). Work between the two calls is marked as the host's. As XLA's
// hlo/transforms/host_offloader.cc, but that a buffer with contents other than zeros keeps them, and that all
// who read a buffer moved to the host are told.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

struct HostOffloadSettings {
  bool refusesHostCompute = false;
  bool allowsHostCopies = false;
};

// Error kinds: "host-result-on-device", "host-compute-disabled", "host-buffer-on-device",
// "host-value-in-condition", "malformed-move", and those of CallGraph::build and AliasAnalysis::run.
Result<bool> offloadToHost(Module& module, PassContext& context, const HostOffloadSettings& settings = {});

}  // namespace hilo
