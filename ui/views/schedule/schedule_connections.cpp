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
    setEditedSide(first);
    showControls();
  });
  connect(experiment_, &ScheduleExperiment::orderChanged, this, &ScheduleView::showOrder);
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
    const ShownOrder* order = editedOrder();
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
    setEditedSide(chart == 0 ? ScheduleSide::A : ScheduleSide::B);
    showCharts(/*fit=*/false);
    showChange();
    showHead();
    showControls();
  });
  connect(canvas_, &ScheduleCanvas::moveTried, this, [this](const ScheduleMove& move) {
    ScheduleScenario next = experiment_->scenario(edited_);
    next.moves.push_back(move);
    experiment_->tryOut(edited_, std::move(next));
  });
  connect(canvas_, &ScheduleCanvas::moveMade, this, &ScheduleView::move);
  connect(canvas_, &ScheduleCanvas::moveLeft, this, [this] { say({}); });
  connect(canvas_, &ScheduleCanvas::pinAsked, this, &ScheduleView::togglePin);
  canvas_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(canvas_, &QWidget::customContextMenuRequested, this,
          [this](QPoint place) { showMenu(canvas_->mapToGlobal(place)); });
}

void ScheduleView::connectControls() {
  const auto jumpToName = [this](const QString& name) {
    const ShownOrder* order = editedOrder();
    const Instruction* named = order == nullptr ? nullptr : order->module().findInstruction(toStd(name));
    if (named != nullptr) jumpTo(runnerOf(*order, named->id()));
  };
  connect(head_, &ScheduleHead::nameClicked, this, jumpToName);
  connect(head_, &ScheduleHead::partitionClicked, this, [this] { context_.bus.ask(PartitionFirst{}); });
  connect(head_, &ScheduleHead::otherSideClicked, this,
          [this] { showSides(edited_ == ScheduleSide::A ? ScheduleSides::B : ScheduleSides::A); });
  connect(bar_, &ScheduleBar::sidesAsked, this, &ScheduleView::showSides);
  connect(bar_, &ScheduleBar::presetAsked, this, &ScheduleView::setPreset);
  connect(bar_, &ScheduleBar::deviceAsked, this, &ScheduleView::setDevice);
  connect(bar_, &ScheduleBar::deviceFileAsked, this, [this] {
    showControls();  // The box stays at the device there is until a file is chosen.
    files_->askDevice();
  });
  connect(bar_, &ScheduleBar::undoAsked, this, &ScheduleView::undo);
  connect(bar_, &ScheduleBar::redoAsked, this, &ScheduleView::redo);
  connect(bar_, &ScheduleBar::exportAsked, files_, &ScheduleFiles::askExport);
  connect(&bar_->scenarioMenu(), &QMenu::aboutToShow, files_,
          [this] { files_->fillMenu(bar_->scenarioMenu()); });
  connect(&bar_->measuredMenu(), &QMenu::aboutToShow, measured_,
          [this] { measured_->fillMenu(bar_->measuredMenu(), experiment_->scenario(edited_)); });
  connect(measured_, &MeasuredTimes::taken, this, &ScheduleView::showMeasured);
  connect(measured_, &MeasuredTimes::fitted, this, &ScheduleView::setDevice);
  // The status line is the new order's, as soon as that is there.
  connect(measured_, &MeasuredTimes::said, this, [this](const QString& text, bool isError) {
    if (isError) return say(text, true);
    Q_EMIT said(text);
  });
  connect(files_, &ScheduleFiles::deviceTaken, this, &ScheduleView::setDevice);
  connect(files_, &ScheduleFiles::said, this, &ScheduleView::say);
  connect(files_, &ScheduleFiles::scenarioTaken, this, [this](const ScheduleScenario& taken) {
    changeScenario([&](ScheduleScenario& now) { now = taken; });
  });
  connect(files_, &ScheduleFiles::orderTaken, this, [this](const std::string& text) {
    changeScenario([&](ScheduleScenario& scenario) { scenario.order = text; });
  });
  connect(&panels_->answers(), &AnswerPanel::nameClicked, this, jumpToName);
  connect(&panels_->answers(), &AnswerPanel::suggestionTaken, this, &ScheduleView::move);
  connect(&panels_->options(), &OptionModel::valueAsked, this, &ScheduleView::setOption);
  connect(panels_, &SchedulePanels::instructionActivated, this, &ScheduleView::jumpTo);
}

}  // namespace hilo
