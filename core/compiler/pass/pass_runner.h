// The one place that runs passes: cancelled? disabled? copy, time, run, verify, keep the snapshot, its
// provenance and its remarks. A pass works on a clone, so every earlier snapshot stays as it was and may be
// looked at from other threads meanwhile.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/slow_watch.h"
#include "core/compiler/pass/pass.h"
#include "core/compiler/pass/pipeline.h"

namespace hilo {

struct PassStep {
  std::string pass;                        // the name it goes by (ConfiguredPass::name)
  size_t place = 0;                        // in the list of passes
  int round = 1;                           // of its fixpoint, from 1
  std::vector<EffectiveSetting> settings;  // as it ran; of a disabled pass as it would have
  PassOutcome outcome = PassOutcome::Unchanged;
  int64_t durationNs = 0;  // of the pass alone: no copy, no verification
  // The module after the step; the same object as before it unless the pass changed it. When a pass failed
  // verification this is the broken module, for looking at.
  std::shared_ptr<const Module> module;
  std::vector<Remark> remarks;
  Diagnostics problems;                     // why it failed
  int64_t rewrites = 0;                     // that it asked for and was allowed (fuel.h)
  std::optional<NamedInstruction> refused;  // what it would have rewritten next
  // It changed the module without asking: its rewrites cannot be counted.
  bool asksNoFuel() const { return outcome == PassOutcome::Changed && rewrites == 0; }
};

struct PassRun {
  std::shared_ptr<const Module> input;
  std::vector<PassStep> steps;
  // True when every pass ran or was disabled by name.
  bool completed() const;
  // The last module that passed verification.
  std::shared_ptr<const Module> output() const;
};

struct PassRunOptions {
  CancelToken cancel;
  std::vector<std::string> disabled;  // by the name a pass goes by, or its own
  bool verify = true;                 // after each pass that changed something
  FuelByPass fuel;
  std::vector<Fixpoint> fixpoints;  // in order, apart from each other
  std::function<void(size_t step, size_t count, std::string_view pass)> progress;
  TellSlow tellSlow;           // of passes that take long
  SlowWatch* watch = nullptr;  // who sees that they do; null: the process's own
};

// Runs the passes in order, those of a fixpoint until a round changes nothing: a step each time. Stops at the
// first that fails or is cancelled; that step is the last.
PassRun runPasses(std::shared_ptr<const Module> input, const std::vector<ConfiguredPass>& passes,
                  const PassRunOptions& options);

}  // namespace hilo
