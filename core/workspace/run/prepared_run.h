// A module compiled by an engine, with its arguments, ready to be run again and again.
#pragma once

#include "core/hlo/eval/arguments.h"
#include "core/runtime/engine/engine.h"
#include "core/workspace/run/runs.h"

namespace hilo {

struct PreparedRun {
  std::unique_ptr<Executable> executable;
  DeviceGrid grid;
  std::vector<std::vector<Literal>> arguments;  // one list for all devices, or one a device
  int64_t timeLimitNs = 0;                      // of one run; 0: none
  RunRecord record;

  // Gives what it took. The output replaces the one before.
  Result<int64_t> runOnce(const CancelToken& cancel);
  // What is slower the first times, such as reading code and memory for the first time, is over after a few.
  Status warmUp(const CancelToken& cancel);
  // One more run, which says what each thunk took.
  Status timeThunks(const CancelToken& cancel);
};

// Whether the engine can run the request's module on its devices, before anything is made for it: kinds
// "not-runnable", "unknown-engine" and "wrong-device-count", as execute(). For those who look at values
// within the module, to whom kAsDumped is an "unsupported-flag".
Status checkRunnable(const RunRequest& request);
// Errors as execute().
Result<PreparedRun> prepareModule(const RunRequest& request, const JobContext& context);

// The module with values for its elided constants, its arguments and its devices, not compiled yet. Errors
// and flags: as checkRunnable's.
struct SettledModule {
  std::shared_ptr<const Module> module;
  std::vector<std::vector<Literal>> arguments;
  DeviceGrid grid;
};
Result<SettledModule> settleModule(const RunRequest& request, const JobContext& context);

// The module with values in place of its elided constants, so that every engine sees the same ones.
std::shared_ptr<const Module> withConstants(std::shared_ptr<const Module> module,
                                            const GeneratedArguments& made);

}  // namespace hilo
