#include "ui/views/passes/strip_facts.h"

#include "core/workspace/passes/beside.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

// A longer series is compared only where the user goes: reading all its stages would keep them all in memory.
constexpr size_t kMeasuredSteps = 64;

// What counting needs of one step; the module itself is not kept by the reply.
struct Measured {
  int64_t instructions = 0;
  int64_t delta = 0;
  int64_t changes = -1;
  bool changed = false;
  int64_t reordered = -1;
};

// -1 where there is more to say than that.
int64_t onlyReordered(const StepDiff& diff) {
  return diff.empty() && hasOrder(diff) ? static_cast<int64_t>(diff.reordered.size()) : -1;
}

}  // namespace

bool hasOrder(const StepDiff& diff) { return diff.becameScheduled || !diff.reordered.empty(); }

StripFacts::StripFacts(JobQueue& jobs, PassStrip& strip, QObject* parent)
    : QObject(parent), jobs_(jobs), strip_(strip) {}

void StripFacts::setSeries(std::shared_ptr<const PassSeries> series) {
  series_ = series;
  if (series == nullptr) return strip_.setSteps({});
  std::vector<StripStep> steps;
  for (const SeriesStep& step : series->steps) {
    StripStep cell{step.kind, qs(step.name), qs(step.pipeline), step.outcome, qs(step.made)};
    cell.durationNs = step.durationNs;
    cell.isTheirs = series->isTheirs(steps.size());
    if (const auto module = step.moduleIfLoaded()) {
      cell.instructions = static_cast<int64_t>(module->instructionCount());
    }
    steps.push_back(std::move(cell));
  }
  for (size_t i = 1; i < steps.size(); ++i) {
    const std::optional<size_t> before = series->previousOf(i);
    const bool both = before && steps[i].instructions >= 0 && steps[*before].instructions >= 0;
    if (both) steps[i].delta = steps[i].instructions - steps[*before].instructions;
  }
  strip_.setSteps(std::move(steps));
}

void StripFacts::compareSteps() {
  if (series_->hasBoth) return measurePairs();
  if (series_->steps.size() <= kMeasuredSteps) measureSteps();
}

// Compares every step of a dump's series in the background, so that the strip says what changed.
void StripFacts::measureSteps() {
  const bool known =
      std::ranges::all_of(strip_.steps(), [](const StripStep& s) { return s.outcome.has_value(); });
  if (known || strip_.steps().size() < 2) return;
  jobs_.submit(
      "passes.measure", "Compare the steps of " + series_->title,
      [series = series_](JobContext& job) -> Result<std::vector<Measured>> {
        std::vector<Measured> all;
        for (size_t i = 0; i < series->steps.size(); ++i) {
          if (job.cancelled()) return cancelledError();
          job.progress(static_cast<double>(i) / static_cast<double>(series->steps.size()),
                       series->steps[i].name);
          TRY(auto module, series->steps[i].module());
          Measured m{static_cast<int64_t>(module->instructionCount())};
          if (i > 0) {
            TRY(const StepDiff diff, diffSteps(*series, i - 1, i));
            m.changed = !diff.empty() || hasOrder(diff);
            m.changes = static_cast<int64_t>(diff.changes.size());
            m.reordered = onlyReordered(diff);
            m.delta = m.instructions - all.back().instructions;
          }
          all.push_back(m);
        }
        return all;
      },
      [this, series = series_](Result<std::vector<Measured>> all) {
        if (!all || series != series_) return;
        std::vector<StripStep> steps = strip_.steps();
        for (size_t i = 0; i < all->size(); ++i) {
          // A pass that said so itself may have changed what a diff does not show: an order.
          if (!steps[i].outcome) steps[i].setCompared((*all)[i].changed);
          steps[i].instructions = (*all)[i].instructions;
          steps[i].delta = (*all)[i].delta;
          steps[i].changes = (*all)[i].changes;
          steps[i].reordered = (*all)[i].reordered;
        }
        strip_.setSteps(std::move(steps));
      },
      &scope_);
}

// Compares XLA's and ours after each pass both have, and goes to the first after which they part.
void StripFacts::measurePairs() {
  jobs_.submit(
      "passes.measure", "Compare XLA's stages with ours: " + series_->title,
      [series = series_](JobContext& job) { return comparePairs(*series, job); },
      [this, series = series_, shown = strip_.current()](Result<std::vector<PairDifference>> all) {
        if (series != series_) return;
        if (!all) return Q_EMIT failed(all.error());
        std::optional<size_t> parting;
        std::vector<StripStep> steps = strip_.steps();
        for (const PairDifference& pair : *all) {
          StripStep &theirs = steps[pair.steps.theirs], &ours = steps[pair.steps.ours];
          theirs.instructions = static_cast<int64_t>(pair.theirs);
          ours.instructions = static_cast<int64_t>(pair.ours);
          theirs.agrees = ours.agrees = pair.isSame();
          if (!pair.isSame() && !parting) parting = pair.steps.ours;
        }
        strip_.setSteps(std::move(steps));
        if (parting && strip_.current() == shown) strip_.setCurrent(*parting);
      },
      &scope_);
}

void StripFacts::note(size_t step, const StepContent& content) {
  const StepDiff& diff = content.diff;
  std::vector<StripStep> steps = strip_.steps();
  StripStep& cell = steps[step];
  if (content.beforeStep != series_->previousOf(step).value_or(step)) {
    cell.agrees = diff.empty();
    return strip_.setSteps(std::move(steps));
  }
  if (!cell.skipped()) cell.setCompared(step > 0 && (!diff.empty() || hasOrder(diff)));
  if (step > 0) cell.changes = static_cast<int64_t>(diff.changes.size());
  cell.reordered = step > 0 ? onlyReordered(diff) : -1;
  cell.instructions = static_cast<int64_t>(diff.instructionsAfter);
  cell.delta = static_cast<int64_t>(diff.instructionsAfter) - static_cast<int64_t>(diff.instructionsBefore);
  strip_.setSteps(std::move(steps));
}

}  // namespace hilo
