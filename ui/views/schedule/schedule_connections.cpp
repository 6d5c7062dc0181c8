// What the parts of the schedule view tell it, and what it does then.
#include <QMenu>

#include "ui/models/text_of.h"
#include "ui/views/schedule/answer_panel.h"
#include "ui/views/schedule/option_model.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_view.h"

namespace hilo {

void ScheduleView::connectExperiment() {
  connect(experiment_, &ScheduleExperiment::studied, this, [this] {
    // A module's own order says why its step is slow; one made here to save memory says nothing of the kind.
    const ScheduleSide first = experiment_->study()->madeOrder() ? ScheduleSide::B : ScheduleSide::A;
    if (sides_ != ScheduleSides::Both)
      sides_ = first == ScheduleSide::A ? ScheduleSides::A : ScheduleSides::B;
    edited_->set(first);
    showControls();
  });
  connect(experiment_, &ScheduleExperiment::orderChanged, this, &ScheduleView::showOrder);
  connect(edited_, &EditedSide::changed, this, &ScheduleView::showControls);
  connect(experiment_, &ScheduleExperiment::failed, this, [this](const Diagnostic& why) {
    QString text = qs(why.message);
    if (!why.notes.empty()) text += " (" + qs(why.notes.front()) + ")";
    say(text, true);
    if (canvas_->placed().empty()) {
      canvas_->setEmptyText(text);
      head_->showText("This module's schedule cannot be shown.");
    }
    showControls();
  });
  connect(experiment_, &ScheduleExperiment::triedOut, this, [this](const ScheduleMetrics& metrics) {
    const ShownOrder* order = edited_->order();
    if (order == nullptr) return;
    say(QString("Let go here: exposed %1, step %2, peak %3")
            .arg(timeText(*order, metrics.exposedNs), timeText(*order, metrics.makespanNs),
                 bytesText(metrics.peakBytes)));
  });
  connect(experiment_, &ScheduleExperiment::explained, this,
          [this](const ScheduleAnswer& answer, bool whole) {
            if (answer.instruction != selected_) return;
            panels_->answers().setAnswer(answer, whole);
            canvas_->setWindow(&answer);
          });
  connect(experiment_, &ScheduleExperiment::compared, panels_, &SchedulePanels::showMoved);
}

void ScheduleView::connectCanvas() {
  connect(canvas_, &ScheduleCanvas::instructionSelected, this, [this](InstructionId id) {
    selected_ = id;
    tell(id, &SelectionBus::select);
    explainSelected();
  });
  connect(canvas_, &ScheduleCanvas::instructionActivated, this,
          [this](InstructionId id) { tell(id, &SelectionBus::activate); });
  connect(canvas_, &ScheduleCanvas::instructionHovered, this,
          [this](InstructionId id) { tell(id, &SelectionBus::hover); });
  connect(canvas_, &ScheduleCanvas::chartActivated, this, [this](int chart) {
    if (sides_ != ScheduleSides::Both) return;
    edited_->set(chart == 0 ? ScheduleSide::A : ScheduleSide::B);
    showCharts(/*fit=*/false);
    showChange();
    showHead();
    showControls();
  });
  connect(canvas_, &ScheduleCanvas::moveTried, this, [this](const ScheduleMove& move) {
    ScheduleScenario next = edited_->scenario();
    next.moves.push_back(move);
    experiment_->tryOut(edited_->side(), std::move(next));
  });
  connect(canvas_, &ScheduleCanvas::moveMade, edited_, &EditedSide::move);
  connect(canvas_, &ScheduleCanvas::moveLeft, this, [this] { say({}); });
  connect(canvas_, &ScheduleCanvas::pinAsked, this, &ScheduleView::togglePin);
  canvas_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(canvas_, &QWidget::customContextMenuRequested, this,
          [this](QPoint place) { showMenu(canvas_->mapToGlobal(place)); });
}

void ScheduleView::connectControls() {
  const auto jumpToName = [this](const QString& name) {
    const ShownOrder* order = edited_->order();
    const Instruction* named = order == nullptr ? nullptr : order->module().findInstruction(toStd(name));
    if (named != nullptr) jumpTo(runnerOf(*order, named->id()));
  };
  connect(head_, &ScheduleHead::nameClicked, this, jumpToName);
  connect(head_, &ScheduleHead::partitionClicked, this, [this] { context_.bus.ask(PartitionFirst{}); });
  connect(head_, &ScheduleHead::otherSideClicked, this,
          [this] { showSides(edited_->side() == ScheduleSide::A ? ScheduleSides::B : ScheduleSides::A); });
  connect(bar_, &ScheduleBar::sidesAsked, this, &ScheduleView::showSides);
  connect(bar_, &ScheduleBar::presetAsked, edited_, &EditedSide::setPreset);
  connect(bar_, &ScheduleBar::deviceAsked, edited_, &EditedSide::setDevice);
  connect(bar_, &ScheduleBar::deviceFileAsked, this, [this] {
    showControls();  // The box stays at the device there is until a file is chosen.
    files_->askDevice();
  });
  connect(bar_, &ScheduleBar::undoAsked, edited_, &EditedSide::undo);
  connect(bar_, &ScheduleBar::redoAsked, edited_, &EditedSide::redo);
  connect(bar_, &ScheduleBar::exportAsked, files_, &ScheduleFiles::askExport);
  connect(&bar_->scenarioMenu(), &QMenu::aboutToShow, files_,
          [this] { files_->fillMenu(bar_->scenarioMenu()); });
  connect(&bar_->measuredMenu(), &QMenu::aboutToShow, measured_,
          [this] { measured_->fillMenu(bar_->measuredMenu(), edited_->scenario()); });
  connect(measured_, &MeasuredTimes::taken, this, [this](const QString& name, const std::string& profile) {
    if (edited_->order() == nullptr) return;
    edited_->measure(name, profile);
    showSides(ScheduleSides::Both);
  });
  connect(measured_, &MeasuredTimes::fitted, edited_, &EditedSide::setDevice);
  // The status line is the new order's, as soon as that is there.
  connect(measured_, &MeasuredTimes::said, this, [this](const QString& text, bool isError) {
    if (isError) return say(text, true);
    Q_EMIT said(text);
  });
  connect(files_, &ScheduleFiles::deviceTaken, edited_, &EditedSide::setDevice);
  connect(files_, &ScheduleFiles::said, this, &ScheduleView::say);
  connect(files_, &ScheduleFiles::scenarioTaken, this, [this](const ScheduleScenario& taken) {
    edited_->change([&](ScheduleScenario& now) { now = taken; });
  });
  connect(files_, &ScheduleFiles::orderTaken, this, [this](const std::string& text) {
    edited_->change([&](ScheduleScenario& scenario) { scenario.order = text; });
  });
  connect(&panels_->answers(), &AnswerPanel::nameClicked, this, jumpToName);
  connect(&panels_->answers(), &AnswerPanel::suggestionTaken, edited_, &EditedSide::move);
  connect(&panels_->options(), &OptionModel::valueAsked, edited_, &EditedSide::setOption);
  connect(panels_, &SchedulePanels::instructionActivated, this, &ScheduleView::jumpTo);
}

}  // namespace hilo
