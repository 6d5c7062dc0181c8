// What keys, the menu of an instruction and words for pictures change in the schedule view.
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>

#include "ui/models/text_of.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_view.h"
#include "ui/widgets/instruction_menu.h"

namespace hilo {

void ScheduleView::togglePin() {
  if (const Instruction* held = selectedInstruction()) edited_->togglePin(*held);
}

void ScheduleView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo)) return edited_->undo();
  if (event->matches(QKeySequence::Redo)) return edited_->redo();
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
  const bool held = std::ranges::any_of(edited_->order()->outcome.scenario.pins, [&](const SchedulePin& pin) {
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
  const ScheduleChart& chart = edited_->order()->chart();
  const uint32_t event = chart.eventOf(selected_);
  const double now = event == kNoEvent ? 0 : chart.events[event].time.width() / 1000;
  bool taken = false;
  const double us = QInputDialog::getDouble(
      this, "Override duration", qs(instruction->name()) + ", in microseconds", now, 0, 1e9, 3, &taken);
  if (taken) edited_->setLatency(qs(instruction->name()), us);
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
      edited_->setPreset(value);
    } else if (key == "device") {
      edited_->setDevice(value);
    } else if (key == "move") {
      edited_->move({toStd(value.section(':', 0, 0)), toStd(value.section(':', 1))});
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
