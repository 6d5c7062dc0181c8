// What is tried with a module's schedule: two sides, A and B, each a scenario with the scenarios before it,
// and the orders they give. Everything that takes time runs in jobs; of several wishes for a side the newest
// wins. UI thread.
#pragma once

#include <QObject>
#include <QString>
#include <optional>

#include "core/workspace/job_queue.h"
#include "core/workspace/schedule/schedule_compare.h"
#include "core/workspace/schedule/schedule_export.h"
#include "core/workspace/schedule/schedule_target.h"
#include "core/workspace/schedule/schedule_why.h"
#include "ui/views/schedule/shown_order.h"

namespace hilo {

enum class ScheduleSide : uint8_t { A, B };

inline ScheduleSide otherSide(ScheduleSide side) {
  return side == ScheduleSide::A ? ScheduleSide::B : ScheduleSide::A;
}

class ScheduleExperiment : public QObject {
  Q_OBJECT

 public:
  explicit ScheduleExperiment(JobQueue& jobs, QObject* parent = nullptr);

  // Begins anew: A is the order the module came with, B that of the preset for what it was compiled for, both
  // on the device that follows from that. Null lets go of everything. `path`: the module's file, "" for none;
  // `faults`: why the order in it was refused, if it was.
  void setModule(std::shared_ptr<const Module> module, const QString& title, const std::string& path = {},
                 std::vector<ScheduleFault> faults = {});
  // Of the study; the default before it is made.
  const ScheduleTarget& target() const { return target_; }
  const std::shared_ptr<const Module>& module() const { return module_; }
  // Null until it is made.
  const ScheduleStudy* study() const { return study_.get(); }
  const ScheduleScenario& scenario(ScheduleSide side) const { return of(side).now; }
  // "A: the module's own order, 1 edit"
  QString title(ScheduleSide side) const;
  // The order of a side's scenario, or while that is being made the one before; null at first.
  const std::shared_ptr<const ShownOrder>& shown(ScheduleSide side) const { return of(side).shown; }
  bool isCurrent(ScheduleSide side) const {
    return of(side).shown && of(side).shown->outcome.scenario == of(side).now;
  }

  // Replaces a side's scenario; what was can be undone to.
  void change(ScheduleSide side, ScheduleScenario next);
  bool canUndo(ScheduleSide side) const { return !of(side).undone.empty(); }
  bool canRedo(ScheduleSide side) const { return !of(side).redone.empty(); }
  void undo(ScheduleSide side);
  void redo(ScheduleSide side);
  // What a scenario would give, without making it the side's.
  void tryOut(ScheduleSide side, ScheduleScenario next);
  void explain(ScheduleSide side, InstructionId instruction);
  // A with B, once both are there.
  void compare();
  Result<ExportedSchedule> exported(ScheduleSide side, ScheduleExport form) const;

 Q_SIGNALS:
  void studied();  // the study is there
  void orderChanged(hilo::ScheduleSide side);
  void triedOut(const hilo::ScheduleMetrics& metrics);
  // Twice: first without what the scheduler has to be asked for.
  void explained(const hilo::ScheduleAnswer& answer, bool whole);
  void compared(const hilo::ScheduleComparison& comparison);
  // What could not be done. A scenario that failed is taken back.
  void failed(const hilo::Diagnostic& why);

 private:
  struct Side {
    ScheduleScenario now;
    std::vector<ScheduleScenario> undone, redone;  // the latest last
    std::shared_ptr<const ShownOrder> shown;
  };
  Side& of(ScheduleSide side) { return sides_[static_cast<size_t>(side)]; }
  const Side& of(ScheduleSide side) const { return sides_[static_cast<size_t>(side)]; }
  void take(const ScheduleTarget& target);
  void run(ScheduleSide side);

  JobQueue& jobs_;
  JobScope scope_;
  std::string tag_;  // of this experiment's jobs
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const ScheduleStudy> study_;
  ScheduleTarget target_;
  Side sides_[2];
};

}  // namespace hilo
