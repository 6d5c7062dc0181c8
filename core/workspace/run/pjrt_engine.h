// An engine that is somebody else's library with PJRT's C API.
#pragma once

#include "core/runtime/engine/engine.h"

namespace hilo {

// "pjrt:/path/lib.so+devices=2": the path, then options of the client. Kind "unknown-engine" of no path.
Result<Engine> pjrtEngine(const std::string& text);

}  // namespace hilo
