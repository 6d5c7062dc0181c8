// Walks through the values of a module, as one engine has them, from the entry into the computations that
// instructions call: what first-divergence and the search for the origin of NaNs have in common.
//
// Values are held one a device. A computation is gone through in windows (value_windows.h), as few as there
// is memory for: where there is enough, it is run whole once, with all its steps as results.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <vector>

#include "core/workspace/run/prepared_run.h"
#include "core/workspace/values/probe.h"
#include "core/workspace/values/value_request.h"
#include "core/workspace/values/value_windows.h"

namespace hilo {

using DeviceValues = std::vector<Literal>;  // of one instruction, by device

// An instruction reached from the entry: "while.3 (turn 17)", "fusion.2", then the instruction itself.
struct ValuePlace {
  std::vector<std::string> path;
  const Instruction* instruction = nullptr;  // of the module walked through
};

class ValueWalk {
 public:
  // `engine` gives the true values. The arguments: one list for all devices or one a device. `roomBytes` is
  // what values may take, arguments aside.
  ValueWalk(std::shared_ptr<const Module> module, DeviceGrid grid, std::string engine,
            std::optional<WorkerOptions> worker, int64_t roomBytes, const JobContext& context)
      : module_(std::move(module)),
        grid_(grid),
        engine_(std::move(engine)),
        worker_(std::move(worker)),
        roomBytes_(roomBytes),
        context_(context) {}

  const Module& module() const { return *module_; }
  DeviceGrid grid() const { return grid_; }
  // What there is left for values and what is done with them.
  int64_t roomBytes() const { return roomBytes_; }

  // Values of instructions of one computation.
  struct Values {
    absl::flat_hash_map<const Instruction*, DeviceValues> of;
    const DeviceValues& at(const Instruction& instruction) const;
    bool has(const Instruction& instruction) const { return of.contains(&instruction); }
    // These, and what takes tuples apart and puts them together, which would keep parts of them alive.
    void drop(std::span<const Instruction* const> instructions);
  };
  // Every instruction's but tokens' at once. Kind "memory-limit" where there is no room for them.
  Result<Values> valuesOf(const Computation& computation, const std::vector<std::vector<Literal>>& arguments);

  // A computation on these arguments, a window of it at a time: the values of its steps and of
  // what they read.
  struct Stretch {
    const Computation& computation;
    const std::vector<std::vector<Literal>>& arguments;
    const ValueWindow& window;
    const Values& values;
  };
  // Whether to go on. What it walks through meanwhile has the room that is left.
  using Look = std::function<Result<bool>(const Stretch& stretch)>;
  // `copies`: as cutIntoWindows'.
  Status walkThrough(const Computation& computation, const std::vector<std::vector<Literal>>& arguments,
                     int64_t copies, const Look& look);
  // Whether there is room for that.
  bool canWalkThrough(const Computation& computation, int64_t copies) const {
    return cutIntoWindows(computation, grid_.count(), copies, roomBytes_).has_value();
  }

  Values parameterValues(const Computation& computation,
                         const std::vector<std::vector<Literal>>& arguments) const;
  // Adds the values of what a part gives, made by an engine of those it takes.
  Status add(Values& values, const ProbedPart& part, const std::string& engine);

  // What a probe gives on these values, by any engine, in its order.
  Result<std::vector<DeviceValues>> run(const Probe& probe, const Values& values, const std::string& engine);

  // What an instruction calls, and with what: the body of a fusion or call, the branch that is taken. Of a
  // while: the body, at the first turn whose result `stops` at. nullopt where there is nothing to go into.
  struct Inner {
    const Computation* computation = nullptr;
    std::vector<std::vector<Literal>> arguments;
    std::string step;  // of the path: "fusion.2"
  };
  using Stops = std::function<Result<bool>(
      const Computation& body, const std::vector<std::vector<Literal>>& state, const DeviceValues& next)>;
  Result<std::optional<Inner>> inside(const Instruction& instruction, const Values& values,
                                      const Stops& stops);

 private:
  // What is computed now; negative: how far it is cannot be said.
  void tell(const Computation& computation, double fraction) const;
  Result<std::vector<DeviceValues>> runProbe(const Probe& probe, std::vector<std::vector<Literal>> arguments,
                                             const std::string& engine);
  Result<std::optional<Inner>> insideLoop(const Instruction& loop, const Values& values, const Stops& stops);
  Result<std::optional<Inner>> insideBranch(const Instruction& choice, const Values& values);
  std::vector<std::vector<Literal>> operandsOf(const Instruction& instruction, const Values& values,
                                               size_t first = 0) const;

  std::shared_ptr<const Module> module_;
  DeviceGrid grid_;
  std::string engine_;
  std::optional<WorkerOptions> worker_;
  int64_t roomBytes_;
  const JobContext& context_;
};

// What a walk begins with: the module with values for its elided constants, its arguments, its devices.
struct WalkedModule {
  std::shared_ptr<const Module> module;
  std::vector<std::vector<Literal>> arguments;
  DeviceGrid grid;
};
// Errors as execute().
Result<WalkedModule> walkedModule(const ValueRequest& request, const JobContext& context);
// In the memory the request's worker may take, and never more than is free now (memory_limit.h). `context`
// outlives the walk.
ValueWalk startWalk(const WalkedModule& walked, const ValueRequest& request, const JobContext& context);

int64_t bytesOf(const std::vector<std::vector<Literal>>& arguments);

// One computation of a module as a module: for running it by itself.
std::shared_ptr<const Module> asModule(const Module& module, const Computation& computation);

}  // namespace hilo
