// From kernels as LLVM bitcode to machine code: equal ones once, several at a time, and from a cache on disk
// where they were compiled before.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/llvm_kernel_options.h"
#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/base/slow_watch.h"
#include "core/compiler/codegen/emit/codegen_target.h"
#include "core/compiler/codegen/emit/fast_math.h"
#include "core/compiler/codegen/emit/listed_code.h"
#include "core/runtime/program/compiled_module.h"

namespace llvm {
class Module;
}

namespace hilo {

struct KernelCompileOptions {
  ProgramTarget target;
  // Folder of compiled kernels by the hash of their bitcode, the target and the compiler; "" keeps none. May
  // be shared between processes.
  std::string cacheFolder;
  int threads = 0;  // 0: one a processor
  // Compiles quickly instead of well: no vectors, little inlined. The results are the same but for the
  // order of sums.
  bool quick = false;
  FastMath fastMath;  // of kernels when they are emitted
  CancelToken cancel;
  TellSlow tellSlow;  // of kernels that take long
};

// The bitcode of a module, the same for the same content.
std::string bitcodeOf(const llvm::Module& module);

struct CompiledKernels {
  std::vector<KernelObject> objects;
  std::vector<uint32_t> objectOf;  // of each source, in order
  KernelCompileCounts counts;
  std::string cacheProblem;  // why kernels were not kept in the cache; "" where they were
};
// Each source is a module with the function KernelBuilder::kSymbol; `kernels` has their names, for whoever is
// told of them. `kind` is that of the target. Error kinds: "codegen-failed", "cancelled".
Result<CompiledKernels> compileKernels(const std::vector<std::string>& sources,
                                       const std::vector<Kernel>& kernels, const CodegenTarget& kind,
                                       const KernelCompileOptions& options);

// Of LLVM and of the scalar functions.
std::string codegenVersion();

// What a kernel looks like on its way: LLVM IR as emitted, after optimisation, and assembly.
struct KernelListing {
  LlvmKernelOptions options;
  ListedCode before, after, assembly;
};
// `options`: as it would look compiled so, whatever the source says.
Result<KernelListing> listKernel(const std::string& source, const CodegenTarget& kind,
                                 const ProgramTarget& target,
                                 const std::optional<LlvmKernelOptions>& options = std::nullopt);

}  // namespace hilo
