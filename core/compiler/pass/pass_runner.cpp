#include "core/compiler/pass/pass_runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/stopwatch.h"
#include "core/hlo/verify/verify.h"

namespace hilo {
namespace {

// Runs one pass on a clone of step.module and fills in what came of it.
void runOnClone(const ConfiguredPass& configured, const PassRunOptions& options, Fuel fuel, PassStep& step) {
  const Pass& pass = *configured.pass;
  std::unique_ptr<Module> module = step.module->clone();
  PassContext context(options.cancel, configured.settings, std::move(fuel));
  module->beginPass(pass.name);
  SlowWatch& slow = options.watch != nullptr ? *options.watch : SlowWatch::ofProcess();
  const SlowWatch::Work work(slow, fmt::format("the pass {} of {}", pass.name, module->name()),
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
  if (!*changed) return;
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

PassRun runPasses(std::shared_ptr<const Module> input, const std::vector<ConfiguredPass>& passes,
                  const PassRunOptions& options) {
  PassRun run{.input = input, .steps = {}};
  auto fuel = options.fuel;
  std::shared_ptr<const Module> current = std::move(input);
  for (size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = *passes[i].pass;
    if (options.progress) options.progress(i, passes.size(), pass.name);
    PassStep& step = run.steps.emplace_back();
    step.pass = pass.name;
    step.module = current;
    step.settings = effectiveSettings(passes[i], *current);
    if (options.cancel.cancelled()) {
      step.outcome = PassOutcome::Cancelled;
    } else if (std::ranges::find(options.disabled, pass.name) != options.disabled.end()) {
      step.outcome = PassOutcome::Disabled;
    } else {
      const auto left = fuel.find(pass.name);
      runOnClone(passes[i], options, left == fuel.end() ? Fuel() : Fuel(left->second), step);
      if (left != fuel.end()) left->second -= step.rewrites;
    }
    if (!run.completed()) break;
    current = step.module;
  }
  return run;
}

}  // namespace hilo
