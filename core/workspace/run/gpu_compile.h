// A module compiled for a GPU, on any machine: its kernels are PTX. What assembles them says what they take.
#pragma once

#include "core/compiler/codegen/lower/compile_module.h"

namespace hilo {

// The pipeline "cuda" and then a grid an instruction. No cache. Error kinds: those of compileForCpu.
Result<CompiledModule> compileForGpu(std::shared_ptr<const Module> module, const ProgramTarget& target,
                                     const CancelToken& cancel);

// The PTX of a kernel of such a program.
std::string_view ptxOf(const Program& program, const Kernel& kernel);
// The PTX of every distinct kernel, each under a line that names it.
std::string ptxText(const Program& program);

// Assembles every distinct kernel by the ptxas that is found and says what each takes, a line a kernel. Error
// kinds: those of assemblePtx, with the kernel as the place; "too-many-registers", "too-much-shared-memory"
// where the target does not have that much.
Result<std::string> assembledText(const Program& program);

}  // namespace hilo
