// A processor to compile for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/runtime/program/program.h"

namespace llvm {
class TargetMachine;
}

namespace hilo {

// `cpu` as LLVM names it, of any kind in codegen_targets.def; "" is this machine. What the code may use of it
// is in features: only what checkMachine (runtime/program) can look for is ever used. Error kinds:
// "unknown-cpu", "unsupported-cpu" (one without CodegenTarget::needed).
Result<ProgramTarget> cpuTarget(std::string_view cpu = {});

// A machine that emits code for the target. One thread at a time. Error kind "codegen-failed".
Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const ProgramTarget& target, bool quick);

}  // namespace hilo
