// The side of a schedule experiment that edits go to: its scenario is changed here, and what the order was
// like before the latest change is kept, to tell what that did. UI thread.
#pragma once

#include <functional>
#include <optional>

#include "ui/views/schedule/schedule_experiment.h"

namespace hilo {

class EditedSide : public QObject {
  Q_OBJECT

 public:
  EditedSide(ScheduleExperiment& experiment, QObject* parent);

  ScheduleSide side() const { return side_; }
  // What was before is not told against it.
  void set(ScheduleSide side);
  const ScheduleScenario& scenario() const { return experiment_.scenario(side_); }
  // Null while it is not there.
  const ShownOrder* order() const { return experiment_.shown(side_).get(); }
  const ShownOrder* otherOrder() const { return experiment_.shown(otherSide(side_)).get(); }
  // Of the order before the latest change; null where nothing is to be told.
  const std::optional<ScheduleMetrics>& before() const { return before_; }
  void forgetBefore() { before_.reset(); }

  void change(const std::function<void(ScheduleScenario&)>& edit);
  void setPreset(const QString& preset);
  // Of both sides, or their times would not compare.
  void setDevice(const QString& device);
  void setOption(const QString& name, const QString& value);
  void setLatency(const QString& instruction, double microseconds);
  void move(const ScheduleMove& move);
  // Holds an instruction of the order between its neighbours, or lets it go.
  void togglePin(const Instruction& held);
  void undo();
  void redo();
  // A: this side's order as estimated; B: the same order as measured. Needs an order.
  void measure(const QString& name, const std::string& profile);

 Q_SIGNALS:
  // There is another scenario; its order follows.
  void changed();

 private:
  void keepBefore();

  ScheduleExperiment& experiment_;
  ScheduleSide side_ = ScheduleSide::A;
  std::optional<ScheduleMetrics> before_;
};

}  // namespace hilo
