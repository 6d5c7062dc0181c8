#include "ui/views/thunks/thunk_moment_link.h"

namespace hilo {

ThunkMomentLink::ThunkMomentLink(const ViewContext& context, ThunkLanes& lanes, QObject* parent)
    : QObject(parent), context_(context), lanes_(lanes) {
  TimeCursor& time = context_.bus.time();
  connect(&lanes_, &ThunkLanes::pointed, this,
          [this, &time](const auto& moment) { time.point(momentOf(moment)); });
  connect(&lanes_, &ThunkLanes::placed, this,
          [this, &time](const auto& moment) { time.place(momentOf(moment)); });
  connect(&time, &TimeCursor::pointedChanged, this, &ThunkMomentLink::show);
  connect(&time, &TimeCursor::placedChanged, this, &ThunkMomentLink::show);
}

void ThunkMomentLink::setSnapshot(SnapshotId snapshot) {
  snapshot_ = snapshot;
  show();
}

void ThunkMomentLink::show() {
  const TimeCursor& time = context_.bus.time();
  lanes_.showMoments(thunkAt(time.pointed()), thunkAt(time.placed()));
}

Moment ThunkMomentLink::momentOf(const std::optional<ThunkMoment>& moment) const {
  const Snapshot* snapshot = context_.session.snapshot(snapshot_);
  if (!moment || snapshot == nullptr || lanes_.study() == nullptr) return {};
  const auto& instructions = lanes_.study()->thunks[moment->thunk].instructions;
  if (instructions.empty()) return {};
  return {snapshot_, instructions.front(), moment->part};
}

// What is no thunk, a bitcast or a tuple, is at the end of the one before it.
std::optional<ThunkMoment> ThunkMomentLink::thunkAt(const Moment& moment) const {
  const Snapshot* snapshot = context_.session.snapshot(snapshot_);
  if (snapshot == nullptr || !moment.valid() || moment.snapshot != snapshot_ || lanes_.laneCount() == 0)
    return std::nullopt;
  for (const Instruction* at = snapshot->module->instruction(moment.instruction); at != nullptr;
       at = at->previous()) {
    const auto thunk = lanes_.timeline().thunkOf.find(at->id());
    if (thunk != lanes_.timeline().thunkOf.end())
      return ThunkMoment{thunk->second, at->id() == moment.instruction ? moment.part : 1};
  }
  return std::nullopt;
}

}  // namespace hilo
