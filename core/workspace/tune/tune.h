// Finds out how the instructions of a module are best compiled for this machine, by trying: each way
// there is of compiling one (compiler/codegen/cpu/codegen_backend.h) runs on the same arguments, in turns
// with the others.
//
// What is tuned is the module the engine compiles: the pipeline runs first, and the result is to be run
// without it. Instructions that are the same but for their names are tried once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/workspace/run/runs.h"

namespace hilo {

class RunStore;

struct TuneRequest {
  std::shared_ptr<const Module> module;
  std::string engine = {};  // whose programs they are; "": the first engine that makes programs
  bool runsPasses = true;   // the engine's pipeline first
  // The instruction of this name in the tuned module, or the fusion or call that holds it; empty: all.
  std::string only = {};
  uint64_t seed = 0;  // of the arguments
  int repeat = 20;    // samples of each way; fewer than six decide nothing
  // Where what was found is looked for and kept; null: nowhere.
  RunStore* store = nullptr;
  bool triesAgain = false;  // what is kept is not asked for
  std::optional<WorkerOptions> worker = std::nullopt;
};

// One way of compiling an instruction.
struct TriedConfig {
  std::string config;  // "default", "library", "disable_loop_unrolling"
  // Empty where it was not run to the end, `remark` says why: the same code as another, a failure.
  Timings timings;
  std::optional<Ratio> ratio;  // its time over the default's of the same turn; 1 is none of the default
  std::string remark;
};

// What was found out of one instruction, and those like it, with one backend.
struct TunedInstruction {
  std::string backend;
  std::vector<std::string> instructions;  // names in the tuned module
  std::string opcode;                     // of a fusion that of its root, "fusion of tanh"
  std::vector<TriedConfig> tried;         // the default first; empty where what was kept is reused
  std::string best;                       // of these; the default unless another is significantly faster
  int64_t defaultNs = 0, bestNs = 0;      // medians; 0: there was no choice
  bool reused = false;
};

struct TuneReport {
  std::shared_ptr<const Module> module;  // with the best configs written to it
  std::vector<TunedInstruction> tuned;   // by backend, then as they stand in the module
  std::vector<std::string> untried;      // instructions that cannot be compiled or run by themselves, and why
};

// Error kinds: those of optimize(), "not-compiled" (the obstacles in the notes), "no-such-instruction",
// "cancelled", and the store's.
Result<TuneReport> tune(const TuneRequest& request, const JobContext& context);

}  // namespace hilo
