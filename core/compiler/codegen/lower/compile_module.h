// From a verified module to a program of an engine: each computation becomes a sequence of thunks, each
// instruction a kernel, a copy, a library call or nothing at all.
#pragma once

#include "core/base/cancel.h"
#include "core/compiler/codegen/emit/kernel_compiler.h"
#include "core/compiler/codegen/lower/codegen_engine.h"
#include "core/compiler/codegen/lower/device_work.h"
#include "core/hlo/ir/module.h"
#include "core/runtime/program/compiled_module.h"

namespace hilo {

// Everything of the module that cannot be compiled, one Diagnostic an instruction, named: opcodes
// and element types without an emitter, dynamic shapes, tiled layouts. Empty: compileModule will
// not refuse it. Kinds: "unsupported-opcode", "unsupported-type", "unsupported-dynamic-shape",
// "unsupported-layout", "elided-constant". Custom calls besides those that XLA itself fixes are
// taken when `hasHandler` knows their target.
Diagnostics codegenObstacles(const Module& module, const CodegenEngine& engine,
                             const HasHandler& hasHandler = {});

// The module must have passed the verifier and have no obstacles. Error kinds: "codegen-failed",
// "too-large", "cancelled".
Result<CompiledModule> compileModule(const Module& module, const CodegenEngine& engine,
                                     const KernelCompileOptions& options, const DeviceWork& deviceWork = {});

// CompiledModule::kernelSources of the same module and target, not compiled, with lines: what of a kernel
// came of which instruction. Error kinds as compileModule.
Result<std::vector<std::string>> emitKernels(const Module& module, const CodegenEngine& engine,
                                             const ProgramTarget& target);

// One of these kernels, as listKernel of kernel_compiler.h. Error kind "codegen-failed".
Result<KernelListing> listKernel(const std::string& source, const CodegenEngine& engine,
                                 const ProgramTarget& target,
                                 const std::optional<LlvmKernelOptions>& options = std::nullopt);

}  // namespace hilo
