// PTX to machine code (a cubin), by ptxas, nvJitLink or nvPTXCompiler.
#pragma once

#include "core/base/cancel.h"
#include "core/compiler/toolchain/assembler_words.h"
#include "core/compiler/toolchain/toolchain.h"

namespace hilo {

struct AssembledPtx {
  std::string cubin;
  std::vector<KernelResources> kernels;
  std::string words;  // all the assembler said
  std::string by;     // "ptxas 13.0": cubins of different assemblers differ
};

// The first usable one of ptxas, nvJitLink and nvPTXCompiler; where there is none, one that says why.
Tool findAssembler(const ToolSearch& search);

// `target` is "sm_90a". Error kinds: those of complaintsIn (further complaints in the notes), "no-assembler"
// where the tool is not usable, those of assembler_answer.h.
Result<AssembledPtx> assemblePtx(const Tool& assembler, std::string_view ptx, const std::string& target);

// What a GPU has for a block of threads.
struct GpuLimits {
  int registersPerThread = 255;
  int64_t registersPerBlock = 65536;
  int64_t sharedBytesPerBlock = 49152;
};
// What of a kernel launched with so many threads a block, and shared memory asked for when it is launched,
// the GPU does not have, with the numbers. Kind "too-many-registers", "too-much-shared-memory".
Diagnostics whyNotLaunched(const KernelResources& kernel, const GpuLimits& limits, int threadsPerBlock,
                           int64_t dynamicSharedBytes = 0);

}  // namespace hilo
