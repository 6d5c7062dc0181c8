// Finds out which kernel a GPU is best given for each instruction, by trying: the shapes of kernels that the
// architecture has for it (codegen/gpu/kernel_variants.h), and of a fusion tile programs, are compiled side
// by side, run on the same arguments, held to the reference evaluator, and ordered by their time, which is
// measured or estimated.
//
// Answers that are alike are one cluster; right is the one that most trusted variants are in, the evaluator
// first of all. Others are "wrong results". On the simulated GPU each access is checked, and one outside of
// its array is a failure of its own (red zone). Of variants within 2 us of the quickest that with the least
// scratch memory is chosen. As XLA's backends/autotuner. What fails is kept, with the reason.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/cost/device.h"
#include "core/analysis/gpu_kernel_choice.h"
#include "core/runtime/program/compiled_module.h"
#include "core/workspace/run/runs.h"

namespace hilo {

class AutotuneResults;
class RunStore;

enum class TrialFailure : uint8_t { None, Compilation, Execution, RedZone, WrongResults };
// Begins the backend under which the store keeps what was found.
inline constexpr std::string_view kGpuKernelBackend = "gpu-kernel";

// "compilation failed", "execution failed", "red zone", "wrong results"; "" of none.
const char* trialFailureName(TrialFailure failure);

struct TriedKernel {
  std::string choice;  // "default", "tensor dot 64x64", "library call"
  bool isTrusted = false;
  TrialFailure failure = TrialFailure::None;
  std::string remark;        // of a failure why; "the code of tiled dot"; why it was not run
  Timings timings;           // on a GPU; empty else
  double estimatedNs = 0;    // 0: there is no estimate
  int64_t scratchBytes = 0;  // of memory besides arguments and results
  int64_t sharedBytes = 0;   // of a block, the most of its kernels
  int64_t registers = 0;     // of a thread, estimated; 0: there is no estimate
  bool wasRun = false;       // and its answer is that of the right cluster
  double ns() const { return timings.n() > 0 ? static_cast<double>(timings.medianNs()) : estimatedNs; }
};

struct TunedKernel {
  std::vector<std::string> instructions;  // names in the tuned module, of those that are alike
  std::string work;                       // "dot", "fusion of reduce"
  std::vector<TriedKernel> tried;         // the default first
  std::string best;                       // of these
  double bestNs = 0, defaultNs = 0;
  bool isEstimated = true;  // the times are
  bool reused = false;      // found before
  std::string fromXla;      // what XLA's file says was chosen; "" where it does not
  std::string error;        // where no variant works: all reasons in one sentence
};

// Makes a program of an instruction as a module of its own, with this kernel; nullopt: the one that is made
// where nothing is said.
using CompileKernel = std::function<Result<Program>(const Module& alone, const std::string& instruction,
                                                    const std::optional<GpuKernelChoice>& choice)>;

struct GpuTuneRequest {
  std::shared_ptr<const Module> module;
  DeviceDescription device;         // whose times are estimated
  std::string target;               // what kernels are compiled for: "sm_90a"
  std::string engine = "cuda-sim";  // what runs them; times of "cuda" are measured
  bool runsPasses = true;           // the pipeline "cuda" first
  std::string only = {};            // the instruction of this name in the tuned module; "": all
  uint64_t seed = 0;                // of the arguments
  int repeat = 20;                  // samples on a GPU
  size_t tilings = 8;               // of a fusion as a tile program, by their estimate the quickest
  // Instructions of more operations are not run on the simulated GPU: their variants are ordered unseen.
  double mostFlops = 5e7;
  RunStore* store = nullptr;
  bool triesAgain = false;  // what is kept is not asked for
  std::optional<WorkerOptions> worker = std::nullopt;
  const AutotuneResults* imported = nullptr;  // what XLA chose
  AutotuneResults* exported = nullptr;        // what is chosen is written to it
  CompileKernel compile = nullptr;            // else by Hilo's compiler
};

struct GpuTuneReport {
  std::shared_ptr<const Module> module;  // with what was chosen stated in it
  std::vector<TunedKernel> tuned;        // as they stand in the module
  std::vector<std::string> untried;      // instructions that cannot be taken out alone, and why
};

// Error kinds: those of optimize(), "unknown-gpu", "no-such-instruction", "cancelled", and the store's.
Result<GpuTuneReport> tuneForGpu(const GpuTuneRequest& request, const JobContext& context);

}  // namespace hilo
