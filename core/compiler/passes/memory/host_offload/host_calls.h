// Starts the work that a program gives to the host and waits for it where its result is used, so that the
// device works meanwhile. Such work is a call that says so: frontend attribute _xla_compute_type="host", or
// device_type DEVICE_TYPE_HOST in its backend_config. As XLA's
// core/host_offloading/host_compute_asyncifier.cc; what XLA's hlo_host_device_type_call_wrapper.cc gathers
// around marked instructions must be a call already.
#pragma once

#include "core/compiler/pass/pass.h"

namespace hilo {

// The computation becomes one of the host's thread, with arrays alone as parameters and constants of its own;
// it and what it calls are copies, for others may call them on the device. Tiles and memory are the device's
// affair and are dropped there. Error kinds: those of CallGraph::build.
Result<bool> startHostCalls(Module& module, PassContext& context);

}  // namespace hilo
