// What is changed in the schedule view: scenarios of the edited side,
// by controls, menus and words for pictures.
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>

#include "core/analysis/async_op.h"
#include "ui/models/text_of.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_view.h"
#include "ui/widgets/instruction_menu.h"

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

}  // namespace

// What the next change is told against.
void ScheduleView::keepMetrics() {
  if (const ShownOrder* order = editedOrder()) before_ = order->outcome.metrics;
}

void ScheduleView::changeScenario(const std::function<void(ScheduleScenario&)>& edit) {
  ScheduleScenario next = experiment_->scenario(edited_);
  edit(next);
  keepMetrics();
  experiment_->change(edited_, std::move(next));
  showControls();
}

void ScheduleView::setPreset(const QString& preset) {
  changeScenario([&](ScheduleScenario& s) {
    s.preset = toStd(preset);
    s.order.clear();
  });
}

void ScheduleView::setDevice(const QString& device) {
  // Both sides, or their times would not compare.
  const ScheduleSide beside = otherSide(edited_);
  ScheduleScenario next = experiment_->scenario(beside);
  next.device = toStd(device);
  experiment_->change(beside, std::move(next));
  changeScenario([&](ScheduleScenario& s) { s.device = toStd(device); });
  before_.reset();
}

void ScheduleView::setOption(const QString& name, const QString& value) {
  changeScenario([&](ScheduleScenario& s) { s.set(toStd(name), toStd(value)); });
}

void ScheduleView::setLatency(const QString& instruction, double microseconds) {
  changeScenario([&](ScheduleScenario& s) { s.latenciesUs[toStd(instruction)] = microseconds; });
}

void ScheduleView::showMeasured(const QString& name, const std::string& profile) {
  const ShownOrder* order = editedOrder();
  if (order == nullptr) return;
  ScheduleScenario estimated = experiment_->scenario(edited_);
  estimated.profileText.clear();
  estimated.profileName.clear();
  ScheduleScenario measured = estimated;
  measured.name = "measured";
  measured.profileText = profile;
  measured.profileName = toStd(name);
  // A scheduler that knew the measured times would make another order.
  if (measured.preset != "original") measured.order = orderText(*order);
  experiment_->change(ScheduleSide::A, std::move(estimated));
  experiment_->change(ScheduleSide::B, std::move(measured));
  showSides(ScheduleSides::Both);
}

void ScheduleView::move(const ScheduleMove& move) {
  changeScenario([&](ScheduleScenario& s) { s.moves.push_back(move); });
}

void ScheduleView::togglePin() {
  const Instruction* held = selectedInstruction();
  if (held == nullptr) return;
  changeScenario([&](ScheduleScenario& s) {
    const std::string name(held->name());
    if (std::erase_if(s.pins, [&](const SchedulePin& pin) { return pin.instruction == name; }) > 0) return;
    const auto neighbour = [&](bool before) {
      const Instruction* at = before ? held->previous() : held->next();
      while (at != nullptr && isNopForScheduling(*at)) at = before ? at->previous() : at->next();
      return at == nullptr ? std::string() : std::string(at->name());
    };
    s.pins.push_back({name, neighbour(true), neighbour(false)});
  });
}

void ScheduleView::undo() {
  keepMetrics();
  experiment_->undo(edited_);
  showControls();
}

void ScheduleView::redo() {
  keepMetrics();
  experiment_->redo(edited_);
  showControls();
}

void ScheduleView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo)) return undo();
  if (event->matches(QKeySequence::Redo)) return redo();
  QWidget::keyPressEvent(event);
}

void ScheduleView::showMenu(QPoint globalPlace) {
  const auto [chart, event] = canvas_->placed().eventAt(canvas_->viewport()->mapFromGlobal(globalPlace));
  if (chart >= 0 && event != kNoEvent) {
    const ShownOrder& order = *canvas_->placed().orderOf(chart);
    selectStudied(order.chart().events[event].instruction);
    tell(selected_, &SelectionBus::select);
  }
  const Instruction* instruction = selectedInstruction();
  if (instruction == nullptr) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const bool held = std::ranges::any_of(editedOrder()->outcome.scenario.pins, [&](const SchedulePin& pin) {
    return pin.instruction == instruction->name();
  });
  menu->addAction(held ? "Unpin (P)" : "Pin (P)", this, [this] { togglePin(); });
  menu->addAction("Override duration…", this, [this] { askLatency(); });
  menu->addAction("Zoom to it (Z)", this, [this] { canvas_->axis().zoomTo(selected_); });
  menu->addAction("Show it in graph and text (Enter)", this,
                  [this] { tell(selected_, &SelectionBus::activate); });
  addInstructionMenu(*menu, context_);
  menu->popup(globalPlace);
}

void ScheduleView::askLatency() {
  const Instruction* instruction = selectedInstruction();
  if (instruction == nullptr) return;
  const ScheduleChart& chart = editedOrder()->chart();
  const uint32_t event = chart.eventOf(selected_);
  const double now = event == kNoEvent ? 0 : chart.events[event].time.width() / 1000;
  bool taken = false;
  const double us = QInputDialog::getDouble(
      this, "Override duration", qs(instruction->name()) + ", in microseconds", now, 0, 1e9, 3, &taken);
  if (taken) setLatency(qs(instruction->name()), us);
}

Status ScheduleView::arrange(const QString& words) {
  for (const QString& word : words.split(',', Qt::SkipEmptyParts)) {
    const QString key = word.section('=', 0, 0).trimmed(), value = word.section('=', 1).trimmed();
    if (key == "a" || key == "b" || key == "both") {
      showSides(key == "a" ? ScheduleSides::A : key == "b" ? ScheduleSides::B : ScheduleSides::Both);
    } else if (key == "program-order") {
      canvas_->axis().set(ChartAxis::Slots);
    } else if (key == "zoom") {
      zoomWhenShown_ = true;
      if (selected_.valid()) canvas_->axis().zoomTo(selected_);
    } else if (key == "preset") {
      setPreset(value);
    } else if (key == "device") {
      setDevice(value);
    } else if (key == "move") {
      move({toStd(value.section(':', 0, 0)), toStd(value.section(':', 1))});
    } else if (key == "order") {
      files_->takeOrder(value);
    } else if (key == "measured") {
      measured_->takeFile(value);
    } else if (key != "tab" || !panels_->showTab(value)) {
      return fail(
          "unknown-word", fmt::format("the schedule view does not know '{}'", toStd(word)), {},
          {"it knows a, b, both, program-order, zoom, preset=, device=, move=NAME:BEFORE, order=FILE, "
           "measured=FILE, tab=why|collectives|settings|changes"});
    }
  }
  return {};
}

Status ScheduleView::arrange(const RenderRequest& request, const RenderSteps& steps) {
  if (request.schedule.isEmpty()) return {};
  TRY_STATUS(steps.show(name()));
  return arrange(request.schedule);
}

}  // namespace hilo
