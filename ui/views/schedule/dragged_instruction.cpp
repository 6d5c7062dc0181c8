#include "ui/views/schedule/dragged_instruction.h"

#include <algorithm>

#include "ui/models/text_of.h"

namespace hilo {

DraggedInstruction::DraggedInstruction(std::shared_ptr<const ShownOrder> order, uint32_t event, bool atEnd)
    : order_(std::move(order)) {
  const std::vector<ChartEvent>& events = order_->chart().events;
  const ChartEvent& taken = events[event];
  const bool isDone = atEnd && taken.kind == TimelineEventKind::Async && taken.partner.valid();
  id_ = isDone ? taken.partner : taken.instruction;
  InstructionId last;
  for (uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].block != taken.block || events[i].instruction == last) continue;
    last = events[i].instruction;
    places_.push_back(i);
  }
}

bool DraggedInstruction::moveTo(ChartAxis axis, double at) {
  // The instruction that begins nearest; of those that begin together, the last, which takes the time.
  const auto begin = [&](uint32_t event) { return order_->chart().events[event].on(axis).begin; };
  auto next = std::ranges::upper_bound(places_, at, {}, begin);
  if (next != places_.begin() && (next == places_.end() || at - begin(*(next - 1)) < begin(*next) - at))
    --next;
  while (next + 1 != places_.end() && begin(*(next + 1)) == begin(*next)) ++next;
  if (*next == target_ || order_->instructionAt(*next) == nullptr || instruction() == nullptr) return false;
  target_ = *next;
  return true;
}

std::optional<ScheduleMove> DraggedInstruction::move() const {
  const Instruction* before = order_->instructionAt(target_);
  if (before == nullptr || before->id() == id_) return std::nullopt;
  return ScheduleMove{std::string(instruction()->name()), std::string(before->name())};
}

QString DraggedInstruction::targetName() const {
  const auto made = move();
  return made ? QString::fromStdString(made->before) : QString();
}

}  // namespace hilo
