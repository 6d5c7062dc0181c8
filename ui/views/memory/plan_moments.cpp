#include "ui/views/memory/plan_moments.h"

namespace hilo {

std::vector<int64_t> stepsByInstruction(const MemoryPlans& plans) {
  std::vector<int64_t> steps(plans.module->idLimit(), -1);
  for (size_t step = 0; step < plans.sequence.size(); ++step)
    steps[plans.sequence[step].value] = static_cast<int64_t>(step);
  return steps;
}

PlanMoments::PlanMoments(const ViewContext& context, QObject* parent) : QObject(parent), context_(context) {}

void PlanMoments::setPlans(SnapshotId snapshot, std::shared_ptr<const MemoryPlans> plans,
                           std::shared_ptr<const std::vector<int64_t>> stepOf) {
  snapshot_ = snapshot;
  plans_ = std::move(plans);
  stepOf_ = std::move(stepOf);
}

void PlanMoments::point(const std::optional<MapPlace>& place) {
  context_.bus.time().point(place ? momentOf(*place) : Moment());
}

void PlanMoments::place(int64_t step) {
  const auto there = placed();
  if (!there || there->step != step) context_.bus.time().place(momentOf({step, 0.5}));
}

// None after the last step, and in what the plan has for a caller of its own.
Moment PlanMoments::momentOf(const MapPlace& place) const {
  const auto step = static_cast<size_t>(place.step);
  const Snapshot* snapshot = context_.session.snapshot(snapshot_);
  if (plans_ == nullptr || snapshot == nullptr || step >= plans_->sequence.size()) return {};
  const InstructionId id = plans_->sequence[step];
  return snapshot->module->instruction(id) == nullptr ? Moment() : Moment{snapshot_, id, place.part};
}

std::optional<MapPlace> PlanMoments::placeOf(const Moment& moment) const {
  if (stepOf_ == nullptr || !moment.valid() || moment.snapshot != snapshot_ ||
      moment.instruction.value >= stepOf_->size())
    return std::nullopt;
  const int64_t step = (*stepOf_)[moment.instruction.value];
  return step < 0 ? std::nullopt : std::optional(MapPlace{step, moment.part});
}

}  // namespace hilo
