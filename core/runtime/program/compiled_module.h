// What a compiler gives for a module: its program, and what there is to show of how it was made. Plain data,
// so that an engine can hand it on to those who know no compiler.
#pragma once

#include <string>
#include <vector>

#include "core/runtime/program/program.h"

namespace hilo {

struct KernelCompileCounts {
  size_t kernels = 0, distinct = 0, fromCache = 0;
};

// How long the phases took, by the wall clock.
struct CompileTimes {
  int64_t passesNs = 0;    // whatever went before: obstacles, the pipeline
  int64_t loweringNs = 0;  // from instructions to thunks and kernels as they are emitted
  int64_t kernelsNs = 0;   // kernels to machine code, or the cache
};

struct CompiledModule {
  Program program;
  std::vector<std::string> kernelSources;  // bitcode of each kernel of the program, for listKernel
  KernelCompileCounts counts;
  CompileTimes times;
  std::vector<std::string> notes;  // what whoever compiles should know: a cache that cannot be used
};

}  // namespace hilo
