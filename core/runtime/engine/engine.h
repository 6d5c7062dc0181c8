// An engine: what can compile and run a module. All engines give the same call, so that results and timings
// compare; one that makes programs says how besides (ProgramCompiler).
//
// The table is filled by workspace at start. The runtime knows no compiler: options and what was compiled
// travel as plain data.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/base/slow_watch.h"
#include "core/hlo/ir/device_grid.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"
#include "core/runtime/device/open_device.h"
#include "core/runtime/program/compiled_module.h"
#include "core/runtime/trace/run_mode.h"
#include "core/runtime/trace/thunk_trace.h"
#include "core/runtime/worker/worker_options.h"

namespace hilo {

// What an engine itself measured of a run.
struct RunMeasure {
  // From arguments in place to results in place; 0 where only the caller's clock knows.
  int64_t executionNs = 0;
  // Of a traced run: when each thunk ran.
  std::vector<ThunkEvent> events;
  int64_t droppedEvents = 0;
  // What a device that checks found wrong.
  Diagnostics findings;
  // The most that one device held at once; 0 where nobody counts.
  int64_t mostHeldBytes = 0;
};

// A module made ready to run. One thread at a time.
class Executable {
 public:
  virtual ~Executable() = default;
  // One literal a parameter of the entry, by number. The output is as host_feed.h says. Error kinds:
  // "wrong-argument", "infeed-empty", "cancelled", the engine's own.
  virtual Result<Literal> run(std::span<const Literal> arguments, const CancelToken& cancel) = 0;
  // The same on every device of a grid, side by side, with one list of arguments for all or one a device.
  // Gives one output a device, by its number. Kind "one-device" where the engine has no more than one.
  virtual Result<std::vector<Literal>> runOnDevices(DeviceGrid grid,
                                                    std::span<const std::vector<Literal>> arguments,
                                                    const CancelToken& cancel);
  // Of the next runs, where there are thunks.
  virtual void setMode(RunMode) {}
  // Of the last run that ended well.
  virtual RunMeasure lastMeasure() const { return {}; }
  // Whether runs are in a process of their own, which keeps to the time limit and is ended
  // when they are cancelled.
  virtual bool runsApart() const { return false; }
  // What it was compiled to; null for an engine that does not compile.
  virtual const Program* program() const { return nullptr; }
  // The module as the engine's own compiler left it, as a HloModuleProto; of an engine of others, which
  // compile by themselves. Kind "no-module" of the rest.
  virtual Result<std::string> optimizedModule();
  // What whoever compiled it should know, a sentence each.
  std::vector<std::string> notes;
};

// How a module is to be compiled and run.
struct EngineSettings {
  // Of Engine::flags.
  std::vector<std::string> flags;
  // Runs are in a process of their own when set, compiled ones and the evaluator's.
  std::optional<WorkerOptions> worker;
  // What infeeds take in every run: one list for all devices or one a device; none: they find nothing.
  std::vector<InfeedValues> infeeds;
  // Of an engine with several devices, which; counted from 0.
  int64_t deviceNumber = 0;
  // Of an engine that checks.
  DeviceChecks checks;
  // Told of what takes long when it is compiled.
  TellSlow tellSlow;
};

// How a module is made a program.
struct CompileOptions {
  // Of Engine::flags.
  std::vector<std::string> flags = {};
  // The compiler's pipeline first, where it has one.
  bool runsPasses = true;
  // By the compiler's name for it; "": the one of this machine.
  std::string processor = {};
  // In the place of `processor`.
  std::optional<ProgramTarget> target = std::nullopt;
  // Told of what takes long.
  TellSlow tellSlow = nullptr;
};

// What an engine that makes programs does to a module before it runs.
struct ProgramCompiler {
  // The passes that make a module ready, by the name of their pipeline; "": it takes modules as they stand.
  std::string pipeline;
  // Everything that keeps the module from being compiled, by name; empty when nothing does.
  std::function<Diagnostics(const Module&)> obstacles;
  // Error kinds: those of the first obstacle (the others in the notes), "cancelled",
  // a pass's, the compiler's.
  std::function<Result<CompiledModule>(std::shared_ptr<const Module>, const CompileOptions&,
                                       const CancelToken&)>
      compile;
  // The module as it is compiled without the pipeline: calls to libraries written as HLO, the
  // rest as it stands.
  std::function<Result<std::shared_ptr<const Module>>(std::shared_ptr<const Module>, const CancelToken&)>
      expanded;
};

struct EngineFlag {
  std::string name;         // "no-passes"
  std::string description;  // one line
};

// How fast about, for an estimate before a run: floating-point operations, and bytes of operands and results.
struct EngineRates {
  double flopsPerSecond = 1, bytesPerSecond = 1;
};

struct Engine {
  std::string name;         // what --engine takes: "reference"
  std::string description;  // one line
  // Every reason the engine cannot run the module, without running anything; empty when it can.
  std::function<Diagnostics(const Module&)> canRun;
  // The same on several devices; not set where the engine has no more than one.
  std::function<Diagnostics(const Module&, DeviceGrid)> canRunOnDevices = nullptr;
  // Runs programs[i] on device i, all side by side, and gives what each gave; the programs may be
  // computations of one module or of several. Not set where the engine runs the same on every device, or has
  // no more than one. Errors: what keeps a program from running, and the engine's own.
  std::function<Result<std::vector<Literal>>(DeviceGrid, std::span<const DeviceProgram>, const CancelToken&)>
      runPrograms = nullptr;
  // Keeps the module alive as long as the executable needs it.
  std::function<Result<std::unique_ptr<Executable>>(std::shared_ptr<const Module>, const EngineSettings&,
                                                    const CancelToken&)>
      compile;
  // What settings may name.
  std::vector<EngineFlag> flags = {};
  // Of an engine that makes programs.
  std::optional<ProgramCompiler> compiler = std::nullopt;
  // Runs programs of grids, whoever made them (isForGrids).
  bool runsGrids = false;
  // A number may follow its name: NAME:1 is the second of its devices.
  bool hasNumbers = false;
  // Takes EngineSettings::checks: it looks at each access, and draws orders of streams.
  bool checks = false;
  // Of an engine on this machine's processors and in its memory; not set of others.
  std::optional<EngineRates> rates = std::nullopt;
};

// Engines by name, in the order they were added. Any thread; engines are never removed, so
// pointers stay valid.
class EngineTable {
 public:
  // Refuses (kind "duplicate-engine") a name already taken.
  Status add(Engine engine);
  const Engine* find(const std::string& name) const;
  std::vector<const Engine*> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace hilo
