// The kinds of processor there are kernels for. A kind is a file (x86_target.cpp) and a line in
// codegen_targets.def; nothing else names it.
#pragma once

#include "core/compiler/codegen/emit/codegen_target.h"

namespace hilo {

// By the whole triple; null when there is none.
const CodegenTarget* findCodegenTarget(std::string_view triple);
// The first is that of this machine.
std::span<const CodegenTarget* const> codegenTargets();

// void symbol(void* const* buffers, int64_t begin, int64_t end), as processors run kernels.
KernelFrame beginHostKernel(llvm::Module& module, const char* symbol);
void endHostKernel(const KernelFrame& frame, llvm::IRBuilderBase& b, int buffers);

}  // namespace hilo
