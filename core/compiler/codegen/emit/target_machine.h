// LLVM's code generator for a target.
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/compiler/codegen/emit/codegen_target.h"
#include "core/runtime/program/program.h"

namespace llvm {
class Target;
class TargetMachine;
}  // namespace llvm

namespace hilo {

// Null where this LLVM was built without it.
const llvm::Target* llvmTarget(const CodegenTarget& kind);

// A machine that emits code for the target, a processor of this kind. One thread at a time.
// Error kind "codegen-failed".
Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const CodegenTarget& kind,
                                                               const ProgramTarget& target, bool quick);

// Whose code is made: the plain one of the kind, or the target's own.
std::string_view processorOf(const CodegenTarget& kind, const ProgramTarget& target);

}  // namespace hilo
