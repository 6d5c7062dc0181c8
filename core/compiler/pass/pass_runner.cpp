#include "core/compiler/pass/pass_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/stopwatch.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

// Runs one pass on a clone of step.module and fills in what came of it. A clone that was left as it was is
// kept in `spare` for the next pass: most passes change nothing, and many are quicker than a clone. One in
// which instructions were made and taken away is not: ids and names would differ.
void runOnClone(const ConfiguredPass& configured, const PassRunOptions& options, Fuel fuel, PassStep& step,
                std::unique_ptr<Module>& spare) {
  const Pass& pass = *configured.pass;
  std::unique_ptr<Module> module = spare != nullptr ? std::move(spare) : step.module->clone();
  PassContext context(options.cancel, configured.settings, std::move(fuel));
  module->beginPass(configured.name());
  SlowWatch& slow = options.watch != nullptr ? *options.watch : SlowWatch::ofProcess();
  const SlowWatch::Work work(slow, fmt::format("the pass {} of {}", configured.name(), module->name()),
                             options.tellSlow);
  const Stopwatch watch;
  const Result<bool> changed = pass.run(*module, context);
  step.durationNs = watch.ns();
  module->endPass();
  step.remarks = context.takeRemarks();
  step.rewrites = context.fuel().taken();
  step.refused = context.fuel().refused();
  if (!changed) {
    step.outcome = PassOutcome::Failed;
    step.problems.push_back(changed.error());
    return;
  }
  if (options.cancel.cancelled()) {
    step.outcome = PassOutcome::Cancelled;
    return;
  }
  if (!*changed) {
    if (module->idLimit() == step.module->idLimit()) spare = std::move(module);
    return;
  }
  step.outcome = PassOutcome::Changed;
  step.module = std::move(module);
  if (!options.verify) return;
  step.problems = verify(*step.module, VerifyOptions{});
  if (hasErrors(step.problems)) step.outcome = PassOutcome::Failed;
}

}  // namespace

bool PassRun::completed() const {
  return std::ranges::none_of(steps, [](const PassStep& step) {
    return step.outcome == PassOutcome::Failed || step.outcome == PassOutcome::Cancelled;
  });
}

std::shared_ptr<const Module> PassRun::output() const {
  for (size_t i = steps.size(); i-- > 0;) {
    if (steps[i].outcome != PassOutcome::Failed && steps[i].outcome != PassOutcome::Cancelled)
      return steps[i].module;
  }
  return input;
}

namespace {

bool isDisabled(const ConfiguredPass& configured, const PassRunOptions& options) {
  return std::ranges::any_of(options.disabled, [&](const std::string& name) {
    return name == configured.name() || name == configured.pass->name;
  });
}

class Runner {
 public:
  Runner(std::shared_ptr<const Module> input, const std::vector<ConfiguredPass>& passes,
         const PassRunOptions& options)
      : passes_(passes), options_(options), current_(input), run_{.input = std::move(input), .steps = {}} {
    for (const auto& [name, rewrites] : options.fuel) fuel_.emplace(name, rewrites);
  }

  PassRun run() {
    for (size_t next = 0; next < passes_.size() && run_.completed();) {
      const auto loop = std::ranges::find(options_.fixpoints, next, &Fixpoint::first);
      if (loop == options_.fixpoints.end()) {
        step(next++, 1);
      } else {
        repeat(*loop);
        next += loop->count;
      }
    }
    return std::move(run_);
  }

 private:
  void repeat(const Fixpoint& loop) {
    for (int round = 1; round <= Fixpoint::kMostRounds; ++round) {
      bool changed = false;
      for (size_t i = loop.first; i < loop.first + loop.count && run_.completed(); ++i)
        changed |= step(i, round) == PassOutcome::Changed;
      if (!changed || !run_.completed()) return;
    }
  }

  PassOutcome step(size_t place, int round) {
    const ConfiguredPass& configured = passes_[place];
    if (options_.progress) options_.progress(place, passes_.size(), configured.name());
    PassStep& step = run_.steps.emplace_back();
    step.pass = configured.name();
    step.place = place;
    step.round = round;
    step.module = current_;
    step.settings = effectiveSettings(configured, *current_);
    if (options_.cancel.cancelled()) {
      step.outcome = PassOutcome::Cancelled;
    } else if (isDisabled(configured, options_)) {
      step.outcome = PassOutcome::Disabled;
    } else if (!configured.pass->isThere()) {
      step.outcome = PassOutcome::Absent;
    } else {
      auto left = fuel_.find(configured.name());
      if (left == fuel_.end()) left = fuel_.find(configured.pass->name);
      runOnClone(configured, options_, left == fuel_.end() ? Fuel() : Fuel(left->second), step, spare_);
      if (left != fuel_.end()) left->second -= step.rewrites;
    }
    if (run_.completed()) current_ = step.module;
    return step.outcome;
  }

  const std::vector<ConfiguredPass>& passes_;
  const PassRunOptions& options_;
  FuelByPass fuel_;
  std::shared_ptr<const Module> current_;
  std::unique_ptr<Module> spare_;  // a clone of current_, or null
  PassRun run_;
};

}  // namespace

PassRun runPasses(std::shared_ptr<const Module> input, const std::vector<ConfiguredPass>& passes,
                  const PassRunOptions& options) {
  return Runner(std::move(input), passes, options).run();
}

}  // namespace hilo
