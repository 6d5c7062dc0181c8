// A processor to compile for.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/runtime/program/program.h"

namespace hilo {

// `name` as LLVM has it, of any kind in codegen_targets.def; "" is this machine. What the code may use of it
// is in features: only what checkMachine (runtime/program) can look for is ever used. Error kinds:
// "unknown-cpu", "unsupported-cpu" (one without CodegenTarget::needed).
Result<ProgramTarget> processorTarget(std::string_view name = {});

}  // namespace hilo
