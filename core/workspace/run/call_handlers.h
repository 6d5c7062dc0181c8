// What this process has for custom calls: plug-ins, then libraries of XLA's FFI.
#pragma once

#include <string_view>
#include <vector>

#include "core/runtime/thunk/custom_calls.h"

namespace hilo {

CallHandler findCallHandler(std::string_view target);

// Names libraries and handlers to this process and the workers it starts, in front of those that the
// environment names already; before anything was compiled or run. Each as ffi_handler.h has it. Error: what
// could not be taken.
Status useFfiLibraries(const std::vector<std::string>& libraries, const std::vector<std::string>& handlers);

}  // namespace hilo
