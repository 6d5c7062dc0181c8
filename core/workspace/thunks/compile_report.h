// A module compiled to a program, for looking at and for keeping.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct CompileRequest {
  std::shared_ptr<const Module> module;
  std::string engine = {};     // "": the first that makes programs
  std::string processor = {};  // as the engine's compiler names it; "": this machine's
  // Of a file that says the target (target_options.h), in the place of `processor`, or an NVIDIA GPU's
  // architecture, "sm_90a"; "": none.
  std::string targetPath;
  std::string targetOut;  // where the target is written, as text or as binary by its name; "": nowhere
  std::string savePath;   // where the program is written, to be loaded where no compiler is; "": nowhere
  bool listsKernels = false, makesDot = false;
  bool assembles = false;  // PTX to machine code, which nothing is kept of but what kernels take
};

struct CompileReport {
  std::string text;  // thunks, buffers and kernels, one a line; for a GPU the PTX of each distinct kernel
  std::string json;
  // The thunks in DOT's language, an edge where one must wait for another. Empty unless asked for.
  std::string dot;
  // Of each distinct kernel: the LLVM IR as emitted, after optimisation, and the assembly. Empty
  // unless asked for.
  std::string kernels;
  std::string assembled;  // what each distinct kernel takes, a line each. Empty unless asked for
  int64_t compileNs = 0;
  size_t kernelCount = 0, distinctKernels = 0, kernelsFromCache = 0;
  std::vector<std::string> notes;  // as CompiledModule's
};

// Error kinds: "unknown-engine", "no-programs", the compiler's (the first obstacle, the others
// in the notes), "not-writable", "unknown-gpu", an assembler's.
Result<CompileReport> compileAndReport(const CompileRequest& request, const CancelToken& cancel = {});

}  // namespace hilo
