#include "core/workspace/peak/peak_study.h"

#include "core/workspace/passes/optimize.h"

namespace hilo {
namespace {

// Why the step is not known, where it is not, goes to `said`.
Result<PeakFigures> figuresOf(const MemoryPlans& plans, const std::string& device, const JobContext& context,
                              std::vector<std::string>& said) {
  if (!plans.hilo) return fail("no-plan", "there is no plan of the changed module's memory");
  const MemoryProfile& profile = plans.hilo->profile;
  PeakFigures figures{
      .peakBytes = profile.peakBytes, .planBytes = profile.totals.total, .hostBytes = profile.totals.host};
  const auto study = ScheduleStudy::open(plans.module, true, context);
  const auto outcome =
      study ? (*study)->run({.preset = "original", .device = device}, context, {.chart = false})
            : std::unexpected(study.error());
  if (outcome) {
    figures.stepNs = outcome->metrics.makespanNs;
  } else {
    said.push_back(fmt::format("the step is not known: {}", outcome.error().message));
  }
  return figures;
}

// The base, or what was compiled anew, with the change in it.
Result<PassSeries> changedSeries(const PeakBase& base, const PeakChange& change, const JobContext& context) {
  if (change.layout) {
    TRY(const auto laid, withLayouts(*base.uncompiled, {*change.layout}));
    return compiledSeries(base, laid, context);
  }
  if (change.sharding) {
    const PartitionRequest request{.module = base.request.module,
                                   .path = base.request.path,
                                   .constraints = {*change.sharding},
                                   .device = base.device};
    TRY(const auto partitioned, makePartitioning(request, context));
    return compiledSeries(base, partitioned->local, context);
  }
  return optimize({.module = base.module, .passes = change.passes}, context);
}

// What passes over the base said; why nothing was done, where the change left it as it was.
void takeRemarks(PeakTrial& trial, const PeakBase& base) {
  for (const SeriesStep& step : trial.series.steps) {
    for (const Remark& remark : step.remarks) {
      const bool isOfValue = !trial.change.value.valid() || remark.instruction == trial.change.value;
      if (remark.kind == "missed") {
        if (isOfValue && trial.whyNot.empty()) trial.whyNot = remark.message;
      } else if (base.module->instruction(remark.instruction) != nullptr) {
        trial.done.push_back(fmt::format("%{} {}: {}", remark.name, remark.kind, remark.message));
      }
    }
  }
}

bool changedAnything(const PassSeries& series) {
  return std::ranges::any_of(series.steps, &SeriesStep::changed);
}

Status tryIt(PeakTrial& trial, const PeakBase& base, const JobContext& context) {
  TRY(trial.series, changedSeries(base, trial.change, context));
  if (!trial.change.passes.empty()) takeRemarks(trial, base);
  if (!trial.change.passes.empty() && !changedAnything(trial.series)) {
    if (trial.whyNot.empty())
      trial.whyNot = trial.change.value.valid() ? "it does not wait: it is made or used at the peak"
                                                : "the module stays as it is";
    return {};
  }
  trial.whyNot.clear();
  TRY(const auto module, trial.series.steps.back().module());
  TRY(const MemoryPlans plans, planMemory(module, nullptr, {.xla = false, .cancel = context.cancel()}));
  TRY(trial.figures, figuresOf(plans, base.device, context, trial.done));
  return {};
}

// The smallest plan first, of equal ones the lowest peak, then the shortest step; last what was not made.
void sortTrials(std::vector<PeakTrial>& trials) {
  const auto key = [](const PeakTrial& trial) {
    const PeakFigures figures = trial.figures.value_or(PeakFigures());
    return std::tuple(!trial.figures, figures.planBytes, figures.peakBytes, figures.stepNs.value_or(0));
  };
  std::ranges::stable_sort(trials, {}, key);
}

}  // namespace

Result<std::shared_ptr<const PeakStudy>> makePeakStudy(const PeakRequest& request,
                                                       const JobContext& context) {
  TRY(PeakBase base, makePeakBase(request, context));
  auto study = std::make_shared<PeakStudy>(PeakStudy{.base = std::move(base)});
  TRY(study->figures, figuresOf(study->base.plans, study->base.device, context, study->base.notes));
  const auto step = static_cast<size_t>(study->base.profile().peakStep);
  if (step < study->base.plans.sequence.size())
    study->at = study->base.module->instruction(study->base.plans.sequence[step])->name();
  TRY(std::vector<PeakChange> changes, peakChanges(study->base, context, study->base.notes));
  for (size_t i = 0; i < changes.size(); ++i) {
    if (context.cancel().cancelled()) return fail("cancelled", "cancelled");
    context.progress(static_cast<double>(i) / static_cast<double>(changes.size()), changes[i].text);
    PeakTrial trial{.change = std::move(changes[i])};
    if (const Status tried = tryIt(trial, study->base, context); !tried) {
      if (tried.error().kind == "cancelled") return std::unexpected(tried.error());
      trial.whyNot = tried.error().message;
    }
    study->trials.push_back(std::move(trial));
  }
  sortTrials(study->trials);
  return study;
}

}  // namespace hilo
