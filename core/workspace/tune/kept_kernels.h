// Tried kernels as they are kept in the store of runs beside what was chosen, so that times and the reasons
// of failures can be read again.
#pragma once

#include "core/workspace/tune/gpu_tune.h"

namespace hilo {

// JSON, and back. Text of a store may be damaged: what has another form than it was written in is left out.
std::string keptText(const TunedKernel& tuned);
void readKept(const std::string& text, TunedKernel& tuned);

// What was found out of an instruction with one device, architecture, engine and code generator.
struct KeptKernels {
  std::string machine, compiler;
  TunedKernel tuned;
};

// All of the instruction, whatever its name, by machine. Error kinds: those of extractModule and the store.
Result<std::vector<KeptKernels>> keptKernelsOf(const RunStore& store, const Instruction& instruction);

}  // namespace hilo
