// The engines whose programs this machine's processor runs: passes, code by LLVM, thunks on its threads. They
// differ in how kernels are made: cpu makes them fast, plain makes them one instruction at a time.
#pragma once

#include "core/runtime/engine/engine.h"

namespace hilo {

Engine cpuEngine();
Engine plainEngine();

}  // namespace hilo
