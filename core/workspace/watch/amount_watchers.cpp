// Amounts that a module has without being run: memory, exposed communication, kernels.
#include <fmt/format.h>

#include "core/analysis/call_graph.h"
#include "core/analysis/diff/kernel_diff.h"
#include "core/workspace/memory/memory_plans.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/schedule/schedule_study.h"
#include "core/workspace/watch/limit.h"
#include "core/workspace/watch/watched_module.h"
#include "core/workspace/watch/watchers.h"

namespace hilo {
namespace {

using CountAmount = Result<double> (*)(const std::shared_ptr<const Module>& module,
                                       const JobContext& context);

class AmountWatcher : public Watcher {
 public:
  AmountWatcher(std::string_view kind, CountAmount count, WatchLimit limit)
      : kind_(kind), count_(count), limit_(std::move(limit)) {}

  Result<Observation> look(const WatchedCase& watched, const JobContext& context) override {
    TRY(const PassedModule passed, passedModule(watched, context));
    if (!passed.isSound()) return unknownFor(passed);
    const auto after = count_(withoutDeadCode(*passed.module), context);
    if (!after) return unknownFor(after.error());
    if (limit_.isFactor && watched.module != countedModule_) {
      if (const Status sound = requireVerified(*watched.module); !sound) return unknownFor(sound.error());
      const auto before = count_(withoutDeadCode(*watched.module), context);
      if (!before) return unknownFor(before.error());
      countedModule_ = watched.module;
      before_ = *before;
    }
    const std::string what = limit_.isFactor ? fmt::format("{:.10g}, was {:.10g}", *after, before_)
                                             : fmt::format("{:.10g}", *after);
    if (!limit_.isOver(before_, *after)) return Observation{.what = what};
    return Observation{Sight::Bad, kind_, what};
  }

  bool heedsValues() const override { return false; }

 private:
  const std::string kind_;
  const CountAmount count_;
  const WatchLimit limit_;
  std::shared_ptr<const Module> countedModule_;
  double before_ = 0;
};

// Bytes of Hilo's plan.
Result<double> memoryOf(const std::shared_ptr<const Module>& module, const JobContext& context) {
  TRY(const MemoryPlans plans, planMemory(module, nullptr, {.xla = false, .cancel = context.cancel()}));
  if (!plans.hilo) return fail("no-plan", fmt::format("no plan of buffers of {}", module->name()), {}, {});
  return static_cast<double>(plans.hilo->profile.totals.total);
}

// Nanoseconds, in the order the module has, or the one the scheduler gives it.
Result<double> exposedOf(const std::shared_ptr<const Module>& module, const JobContext& context) {
  TRY(const auto study, ScheduleStudy::open(module, /*asyncCollectives=*/true, context));
  ScheduleScenario scenario;
  if (module->isScheduled()) scenario.preset = "original";
  TRY(const ScheduleOutcome outcome, study->run(scenario, context));
  return outcome.metrics.exposedNs;
}

// Instructions that are a kernel or a call each, where instructions run one by one.
Result<double> kernelsOf(const std::shared_ptr<const Module>& module, const JobContext&) {
  TRY(const CallGraph graph, CallGraph::build(*module));
  int64_t count = 0;
  for (const Computation* computation : module->computations()) {
    if (!graph.runsInstructions(*computation)) continue;
    for (const Instruction* instruction : computation->instructions())
      count += isKernel(*instruction) ? 1 : 0;
  }
  return static_cast<double>(count);
}

MadeWatcher makeAmountWatcher(std::string_view kind, CountAmount count, std::string_view limitText) {
  TRY(WatchLimit limit, parseLimit(limitText));
  return std::make_unique<AmountWatcher>(kind, count, std::move(limit));
}

}  // namespace

MadeWatcher makeMemoryWatcher(std::string_view argument, const WatchOptions&) {
  return makeAmountWatcher("memory", memoryOf, argument);
}
MadeWatcher makeExposedWatcher(std::string_view argument, const WatchOptions&) {
  return makeAmountWatcher("exposed", exposedOf, argument);
}
MadeWatcher makeKernelsWatcher(std::string_view argument, const WatchOptions&) {
  return makeAmountWatcher("kernels", kernelsOf, argument);
}

}  // namespace hilo
