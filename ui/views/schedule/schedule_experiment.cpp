#include "ui/views/schedule/schedule_experiment.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr size_t kMostUndone = 200;

}  // namespace

ScheduleExperiment::ScheduleExperiment(JobQueue& jobs, QObject* parent)
    : QObject(parent), jobs_(jobs), tag_(fmt::format("schedule.{}", static_cast<const void*>(this))) {}

void ScheduleExperiment::setModule(std::shared_ptr<const Module> module, const QString& title,
                                   const std::string& path, std::vector<ScheduleFault> faults) {
  using Studied = std::pair<ScheduleTarget, std::shared_ptr<const ScheduleStudy>>;
  module_ = std::move(module);
  study_.reset();
  target_ = {};
  for (Side& side : sides_) side = {};
  of(ScheduleSide::A).now = {.name = "A", .preset = "original"};
  of(ScheduleSide::B).now = {.name = "B", .preset = "gpu"};
  for (const char* kind : {".A", ".B", ".try", ".why", ".decided", ".compare"}) jobs_.cancelTag(tag_ + kind);
  if (module_ == nullptr) return jobs_.cancelTag(tag_ + ".study");
  jobs_.submit(
      tag_ + ".study", "Analysing schedule of " + toStd(title),
      [module = module_, path, faults = std::move(faults)](JobContext& context) -> Result<Studied> {
        const ScheduleTarget target = scheduleTargetOf(*module, path);
        TRY(auto study, ScheduleStudy::open(module, target.asyncCollectives, context, faults));
        return Studied(target, std::move(study));
      },
      [this, module = module_](Result<Studied> studied) {
        if (module != module_) return;
        if (!studied) return Q_EMIT failed(studied.error());
        study_ = std::move(studied->second);
        take(studied->first);
        // An order made here to begin with says less than one made to hide.
        Q_EMIT this->studied();
        run(ScheduleSide::A);
        run(ScheduleSide::B);
      },
      &scope_);
}

// What somebody has changed meanwhile stays as they want it.
void ScheduleExperiment::take(const ScheduleTarget& target) {
  target_ = target;
  for (Side& side : sides_) {
    if (side.undone.empty()) side.now.device = target.device;
  }
  if (Side& made = of(ScheduleSide::B); made.undone.empty()) made.now.preset = target.preset;
}

void ScheduleExperiment::run(ScheduleSide side) {
  if (study_ == nullptr) return;
  jobs_.submit(
      tag_ + (side == ScheduleSide::A ? ".A" : ".B"), "Schedule",
      [study = study_,
       scenario = of(side).now](JobContext& context) -> Result<std::shared_ptr<const ShownOrder>> {
        TRY(ScheduleOutcome outcome, study->run(scenario, context));
        return std::make_shared<const ShownOrder>(std::move(outcome));
      },
      [this, side, study = study_](Result<std::shared_ptr<const ShownOrder>> order) {
        if (study != study_) return;  // of the module before
        Side& own = of(side);
        if (order) {
          own.shown = *std::move(order);
          return Q_EMIT orderChanged(side);
        }
        if (order.error().kind == "cancelled") return;
        if (!own.undone.empty()) {
          own.now = std::move(own.undone.back());
          own.undone.pop_back();
        }
        Q_EMIT orderChanged(side);
        Q_EMIT failed(order.error());
      },
      &scope_);
}

void ScheduleExperiment::change(ScheduleSide side, ScheduleScenario next) {
  Side& own = of(side);
  if (next == own.now) return;
  own.undone.push_back(std::exchange(own.now, std::move(next)));
  if (own.undone.size() > kMostUndone) own.undone.erase(own.undone.begin());
  own.redone.clear();
  run(side);
}

void ScheduleExperiment::undo(ScheduleSide side) {
  Side& own = of(side);
  if (own.undone.empty()) return;
  own.redone.push_back(std::exchange(own.now, std::move(own.undone.back())));
  own.undone.pop_back();
  run(side);
}

void ScheduleExperiment::redo(ScheduleSide side) {
  Side& own = of(side);
  if (own.redone.empty()) return;
  own.undone.push_back(std::exchange(own.now, std::move(own.redone.back())));
  own.redone.pop_back();
  run(side);
}

void ScheduleExperiment::tryOut(ScheduleSide, ScheduleScenario next) {
  if (study_ == nullptr) return;
  jobs_.submit(
      tag_ + ".try", "Try a move",
      [study = study_, next = std::move(next)](JobContext& context) -> Result<ScheduleMetrics> {
        TRY(const ScheduleOutcome outcome, study->run(next, context));
        return outcome.metrics;
      },
      [this, study = study_](Result<ScheduleMetrics> metrics) {
        if (metrics && study == study_) Q_EMIT triedOut(*metrics);
      },
      &scope_);
}

void ScheduleExperiment::explain(ScheduleSide side, InstructionId instruction) {
  const auto order = of(side).shown;
  if (study_ == nullptr || order == nullptr) return;
  // What is known at once, and then what the scheduler has to be asked for.
  for (const bool decisions : {false, true}) {
    jobs_.submit(
        tag_ + (decisions ? ".decided" : ".why"), "Ask the schedule why",
        [study = study_, order, instruction, decisions](JobContext& context) {
          return explainPlace(*study, order->outcome, instruction, context, decisions);
        },
        [this, decisions, study = study_](Result<ScheduleAnswer> answer) {
          if (study != study_) return;
          if (answer) return Q_EMIT explained(*answer, decisions);
          if (decisions && answer.error().kind != "cancelled") Q_EMIT failed(answer.error());
        },
        &scope_);
  }
}

void ScheduleExperiment::compare() {
  const auto a = of(ScheduleSide::A).shown, b = of(ScheduleSide::B).shown;
  if (study_ == nullptr || a == nullptr || b == nullptr) return;
  jobs_.submit(
      tag_ + ".compare", "Compare two schedules",
      [study = study_, a, b](JobContext& context) {
        return compareSchedules(*study, a->outcome, b->outcome, context);
      },
      [this, study = study_](Result<ScheduleComparison> comparison) {
        if (study != study_) return;
        if (comparison) return Q_EMIT compared(*comparison);
        if (comparison.error().kind != "cancelled") Q_EMIT failed(comparison.error());
      },
      &scope_);
}

Result<ExportedSchedule> ScheduleExperiment::exported(ScheduleSide side, ScheduleExport form) const {
  if (study_ == nullptr || of(side).shown == nullptr) return fail("nothing-open", "there is no schedule yet");
  return exportSchedule(*study_, of(side).shown->outcome, form);
}

QString ScheduleExperiment::title(ScheduleSide side) const {
  const ScheduleScenario& scenario = of(side).now;
  const QString name = side == ScheduleSide::A ? "A" : "B";
  const bool made = study_ != nullptr && study_->madeOrder();
  QString what = !scenario.order.empty()         ? QString("order from a file")
                 : scenario.preset != "original" ? qs(scenario.preset)
                 : made ? QString("memory-minimising order (the module came without one)")
                        : QString("the module's own order");
  if (const size_t edits = scenario.moves.size() + scenario.pins.size() + scenario.latenciesUs.size();
      edits > 0)
    what += QString(", %1").arg(countOf(edits, "edit"));
  if (!scenario.profileText.empty()) what += QString(", as measured by %1").arg(qs(scenario.profileName));
  return QString("%1: %2").arg(name, what);
}

}  // namespace hilo
