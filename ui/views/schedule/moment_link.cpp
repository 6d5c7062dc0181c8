#include "ui/views/schedule/moment_link.h"

#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_experiment.h"
#include "ui/views/schedule/timeline_overlay.h"

namespace hilo {

MomentLink::MomentLink(const ViewContext& context, ScheduleCanvas& canvas,
                       const ScheduleExperiment& experiment, QObject* parent)
    : QObject(parent), context_(context), canvas_(canvas), experiment_(experiment) {
  TimeCursor& time = context_.bus.time();
  connect(&canvas_.overlay(), &TimelineOverlay::pointed, this,
          [this, &time](const auto& moment) { time.point(momentOf(moment)); });
  connect(&canvas_.overlay(), &TimelineOverlay::placed, this,
          [this, &time](const auto& moment) { time.place(momentOf(moment)); });
  connect(&experiment_, &ScheduleExperiment::studied, this, &MomentLink::show);
  connect(&time, &TimeCursor::pointedChanged, this, &MomentLink::show);
  connect(&time, &TimeCursor::placedChanged, this, &MomentLink::show);
}

void MomentLink::setSnapshot(SnapshotId snapshot) {
  snapshot_ = snapshot;
  show();
}

void MomentLink::show() {
  const TimeCursor& time = context_.bus.time();
  canvas_.overlay().show(studied(time.pointed()), studied(time.placed()));
}

// Of what was made for the study alone, a caller's own copy of a computation, there is no moment elsewhere.
Moment MomentLink::momentOf(const std::optional<OrderMoment>& moment) const {
  const Snapshot* snapshot = context_.session.snapshot(snapshot_);
  if (!moment || snapshot == nullptr || experiment_.study() == nullptr) return {};
  const InstructionId id = experiment_.study()->ofModule(moment->instruction);
  if (snapshot->module->instruction(id) == nullptr) return {};
  return {snapshot_, id, moment->part};
}

std::optional<OrderMoment> MomentLink::studied(const Moment& moment) const {
  if (!moment.valid() || moment.snapshot != snapshot_ || experiment_.study() == nullptr) return std::nullopt;
  return OrderMoment{experiment_.study()->studied(moment.instruction), moment.part};
}

}  // namespace hilo
