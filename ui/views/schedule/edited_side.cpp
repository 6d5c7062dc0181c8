#include "ui/views/schedule/edited_side.h"

#include "core/analysis/async_op.h"
#include "ui/models/text_of.h"

namespace hilo {
namespace {

// As ScheduleScenario::order has it: names, one a line.
std::string orderText(const ShownOrder& order) {
  std::string text;
  for (const Computation* computation : order.module().computations())
    for (const Instruction* instruction : computation->instructions())
      text.append(instruction->name()).push_back('\n');
  return text;
}

SchedulePin pinWhereItIs(const Instruction& held) {
  const auto neighbour = [&](bool before) {
    const Instruction* at = before ? held.previous() : held.next();
    while (at != nullptr && isNopForScheduling(*at)) at = before ? at->previous() : at->next();
    return at == nullptr ? std::string() : std::string(at->name());
  };
  return {std::string(held.name()), neighbour(true), neighbour(false)};
}

}  // namespace

EditedSide::EditedSide(ScheduleExperiment& experiment, QObject* parent)
    : QObject(parent), experiment_(experiment) {}

void EditedSide::set(ScheduleSide side) {
  side_ = side;
  before_.reset();
}

void EditedSide::keepBefore() {
  if (order() != nullptr) before_ = order()->outcome.metrics;
}

void EditedSide::change(const std::function<void(ScheduleScenario&)>& edit) {
  ScheduleScenario next = scenario();
  edit(next);
  keepBefore();
  experiment_.change(side_, std::move(next));
  Q_EMIT changed();
}

void EditedSide::setPreset(const QString& preset) {
  change([&](ScheduleScenario& s) {
    s.preset = toStd(preset);
    s.order.clear();
  });
}

void EditedSide::setDevice(const QString& device) {
  ScheduleScenario beside = experiment_.scenario(otherSide(side_));
  beside.device = toStd(device);
  experiment_.change(otherSide(side_), std::move(beside));
  change([&](ScheduleScenario& s) { s.device = toStd(device); });
  before_.reset();
}

void EditedSide::setOption(const QString& name, const QString& value) {
  change([&](ScheduleScenario& s) { s.set(toStd(name), toStd(value)); });
}

void EditedSide::setLatency(const QString& instruction, double microseconds) {
  change([&](ScheduleScenario& s) { s.latenciesUs[toStd(instruction)] = microseconds; });
}

void EditedSide::move(const ScheduleMove& move) {
  change([&](ScheduleScenario& s) { s.moves.push_back(move); });
}

void EditedSide::togglePin(const Instruction& held) {
  change([&](ScheduleScenario& s) {
    const auto isOfIt = [&](const SchedulePin& pin) { return pin.instruction == held.name(); };
    if (std::erase_if(s.pins, isOfIt) == 0) s.pins.push_back(pinWhereItIs(held));
  });
}

void EditedSide::undo() {
  keepBefore();
  experiment_.undo(side_);
  Q_EMIT changed();
}

void EditedSide::redo() {
  keepBefore();
  experiment_.redo(side_);
  Q_EMIT changed();
}

void EditedSide::measure(const QString& name, const std::string& profile) {
  ScheduleScenario estimated = scenario();
  estimated.profileText.clear();
  estimated.profileName.clear();
  ScheduleScenario measured = estimated;
  measured.name = "measured";
  measured.profileText = profile;
  measured.profileName = toStd(name);
  // A scheduler that knew the measured times would make another order.
  if (measured.preset != "original") measured.order = orderText(*order());
  experiment_.change(ScheduleSide::A, std::move(estimated));
  experiment_.change(ScheduleSide::B, std::move(measured));
}

}  // namespace hilo
