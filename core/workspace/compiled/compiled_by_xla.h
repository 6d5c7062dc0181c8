// What XLA:GPU made of a module, as a program that cuda-sim and cuda run: the kernels of the PTX in its dump,
// each with the arrays that its buffer assignment gives it, in the order of its schedule. Calls of libraries
// become programs for this machine's processor, made by the engine cpu, and are said to be substituted.
//
// How kernels are launched is not in a dump of text. Threads of a block are what the PTX requires; blocks are
// what the LLVM IR says block numbers stay below, or follow from the tiles in the fusion's configuration, or
// are 1 where a kernel does not ask for its block's number. Shared memory that the launch gives is as much as
// the target has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/runtime/program/program.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/run/runs.h"

namespace hilo {

struct CompiledByXla {
  std::shared_ptr<const Module>
      module;          // the optimized one, or the instruction with its operands as parameters
  std::string source;  // the file it was read from
  std::shared_ptr<const Program> program;
  std::vector<std::string> notes;
};

struct AsCompiledOptions {
  // One instruction alone, by name, on values in the place of its operands; "": the module.
  std::string instruction = {};
  // Of constants whose values the dump does not have.
  uint64_t seed = 0;
  CancelToken cancel = {};
};

// Error kinds: "no-ptx", "no-buffer-assignment" (the dump lacks them; the flag that writes them in the
// notes), "unsupported-program" (everything that cannot be run, by name, one a note), "no-such-instruction",
// and those of the readers.
Result<CompiledByXla> compiledByXla(const OpenedDump& dump, size_t moduleIndex,
                                    const AsCompiledOptions& options = {});

// The request with what XLA made of that module in the module's place, and the arguments settled for it.
// Errors: those of compiledByXla and settleArguments.
Result<RunRequest> asCompiledByXla(RunRequest request, const OpenedDump& dump, size_t moduleIndex,
                                   const JobContext& context);

// The dump has kernels of this module: it may be run so.
bool hasPtx(const DumpModuleInfo& module);

}  // namespace hilo
