#include "ui/views/schedule/schedule_view.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/schedule/answer_panel.h"
#include "ui/views/schedule/moment_link.h"
#include "ui/views/schedule/option_model.h"
#include "ui/views/schedule/overview_strip.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/widgets/elided_label.h"

namespace hilo {
namespace {

QString changeText(const ShownOrder& order, double now, double before) {
  if (std::abs(now - before) < 0.5) return "unchanged";
  return (now < before ? "−" : "+") + timeText(order, std::abs(now - before));
}

// What the reader found wrong with the order in the module's file.
std::vector<ScheduleFault> refusedOrder(const Snapshot& snapshot) {
  std::vector<ScheduleFault> faults;
  if (snapshot.file == nullptr) return faults;
  for (const Diagnostic& problem : snapshot.file->diagnostics) {
    if (problem.kind != "bad-schedule") continue;
    const Instruction* instruction = problem.place.instruction.empty()
                                         ? nullptr
                                         : snapshot.module->findInstruction(problem.place.instruction);
    faults.push_back({instruction == nullptr ? InstructionId{} : instruction->id(), problem.message});
  }
  return faults;
}

}  // namespace

ScheduleView::ScheduleView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      experiment_(new ScheduleExperiment(context.jobs, this)),
      edited_(new EditedSide(*experiment_, this)),
      head_(new ScheduleHead(this)),
      canvas_(new ScheduleCanvas(this)),
      bar_(new ScheduleBar(*canvas_, this)),
      panels_(new SchedulePanels(this)),
      files_(new ScheduleFiles(context, *experiment_, *edited_, this)),
      measured_(new MeasuredTimes(context, this)),
      status_(new ElidedLabel(this)) {
  setFocusProxy(canvas_);
  status_->setContentsMargins(kSpace, kSpaceTiny, kSpace, kSpaceTiny);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  status_->setAccessibleName("Status of the schedule");
  status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  auto* timeline = new QWidget(split);
  auto* column = new QVBoxLayout(timeline);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(new OverviewStrip(*canvas_, timeline));
  column->addWidget(canvas_, 1);
  split->addWidget(timeline);
  split->addWidget(panels_);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 0);
  split->setSizes({900, 340});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(head_);
  layout->addWidget(bar_);
  layout->addWidget(split, 1);
  layout->addWidget(status_);
  head_->showText("Open a module to see what runs when.");
  canvas_->setEmptyText("Open a module to see what runs when.");
  moments_ = new MomentLink(context_, *canvas_, *experiment_, this);
  connectExperiment();
  connectCanvas();
  connectControls();
  connect(&context_.changes, &SessionChanges::currentShown, this, &ScheduleView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &ScheduleView::showSelection);
}

void ScheduleView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void ScheduleView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && experiment_ != nullptr) showHead();
}

void ScheduleView::refresh() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    asked_ = {};
    experiment_->setModule(nullptr, {});
    files_->setModule(nullptr);
    measured_->setModule(nullptr);
    canvas_->setCharts({}, true);
    canvas_->setEmptyText("Open a module to see what runs when.");
    moments_->setSnapshot({});
    return showHead();
  }
  if (!isVisible() || asked_ == snapshot->id || !context_.session.isShown()) return;
  asked_ = snapshot->id;
  edited_->forgetBefore();
  selected_ = askedWhy_ = {};
  panels_->clearRows();
  canvas_->setCharts({}, true);
  canvas_->setEmptyText("Analysing the schedule…");
  experiment_->setModule(snapshot->module, qs(snapshot->title),
                         snapshot->file == nullptr ? std::string() : snapshot->file->path,
                         refusedOrder(*snapshot));
  files_->setModule(snapshot->module);
  measured_->setModule(snapshot->module);
  moments_->setSnapshot(asked_);
  showHead();
}

void ScheduleView::showSides(ScheduleSides sides) {
  sides_ = sides;
  edited_->set(sides == ScheduleSides::Both ? edited_->side()
               : sides == ScheduleSides::A  ? ScheduleSide::A
                                            : ScheduleSide::B);
  showCharts(/*fit=*/false);
  showChange();
  showHead();
  showControls();
  if (selected_.valid()) explainSelected();
  if (sides == ScheduleSides::Both) experiment_->compare();
}

void ScheduleView::showOrder(ScheduleSide side) {
  showCharts(/*fit=*/canvas_->placed().empty());
  if (side == edited_->side()) {
    showChange();
  } else if (const ShownOrder* order = edited_->order()) {
    panels_->showOverlaps(*order, edited_->otherOrder());
  }
  showHead();
  showControls();
  if (side == edited_->side() && selected_.valid()) explainSelected();
  if (side == edited_->side() && !selected_.valid()) {
    showSelection(context_.bus.selected());
    // With nothing selected, the collective that costs most is the question.
    const std::vector<OverlapRow>& overlaps = edited_->order()->overlaps;
    if (!selected_.valid() && !overlaps.empty() && overlaps[0].exposedNs > 0)
      selectStudied(overlaps[0].start);
  }
  if (sides_ == ScheduleSides::Both) experiment_->compare();
  if (zoomWhenShown_ && side == edited_->side() && selected_.valid()) canvas_->axis().zoomTo(selected_);
}

void ScheduleView::showCharts(bool fit) {
  std::vector<TimelineChart> charts;
  for (const ScheduleSide side : {ScheduleSide::A, ScheduleSide::B}) {
    if (sides_ == (side == ScheduleSide::A ? ScheduleSides::B : ScheduleSides::A)) continue;
    const auto& order = experiment_->shown(side);
    if (order == nullptr) continue;
    const ScheduleMetrics& m = order->outcome.metrics;
    const QString memory =
        order->outcome.faults.empty() ? "peak " + bytesText(m.peakBytes) : QString("not a legal order");
    charts.push_back({order,
                      QString("%1    %2, exposed %3, %4")
                          .arg(experiment_->title(side), timeText(*order, m.makespanNs),
                               timeText(*order, m.exposedNs), memory),
                      side == edited_->side()});
  }
  canvas_->setCharts(std::move(charts), fit);
  canvas_->select(selected_);
}

void ScheduleView::showHead() {
  const Snapshot* current = context_.session.current();
  const ScheduleSide beside = otherSide(edited_->side());
  showTarget();
  if (edited_->order() == nullptr)
    return head_->showText(current == nullptr ? "Open a module to see what runs when."
                                              : "Analysing the schedule…");
  head_->show({edited_->order(), experiment_->title(edited_->side()), edited_->otherOrder(),
               experiment_->title(beside), current == nullptr ? nullptr : current->module.get()});
}

// Said until another device is chosen: nobody may have asked for this one.
void ScheduleView::showTarget() {
  const ScheduleTarget& target = experiment_->target();
  const bool isTargets = edited_->order() != nullptr && edited_->scenario().device == target.device;
  if (!isTargets) return head_->showTarget({});
  head_->showTarget(QString("Times are estimated for %1%2: %3.")
                        .arg(bar_->deviceBox().currentText(),
                             target.isKnown ? QString() : QString(", a device that is assumed"),
                             qs(target.because)));
}

// What a change did, in the status line.
void ScheduleView::showChange() {
  const ShownOrder* order = edited_->order();
  if (order == nullptr) return;
  panels_->showOverlaps(*order, edited_->otherOrder());
  const ScheduleMetrics& now = order->outcome.metrics;
  QStringList words;
  for (const std::string& note : order->outcome.notes) words << qs(note);
  if (edited_->before() && order->outcome.faults.empty()) {
    words << QString("exposed %1, step %2")
                 .arg(changeText(*order, now.exposedNs, edited_->before()->exposedNs),
                      changeText(*order, now.makespanNs, edited_->before()->makespanNs));
    if (now.peakBytes != edited_->before()->peakBytes)
      words << QString("peak %1%2")
                   .arg(now.peakBytes < edited_->before()->peakBytes ? "−" : "+",
                        bytesText(std::abs(now.peakBytes - edited_->before()->peakBytes)));
  }
  say(words.join(" · "));
}

void ScheduleView::showControls() {
  const ScheduleScenario& scenario = edited_->scenario();
  bar_->show(
      {sides_, scenario, experiment_->canUndo(edited_->side()), experiment_->canRedo(edited_->side())});
  panels_->options().setScenario(scenario);
  showTarget();
}

void ScheduleView::say(const QString& text, bool error) {
  status_->setText(text);
  QPalette palette = this->palette();
  if (error) palette.setColor(QPalette::WindowText, themeOf(*this).colour(ColourRole::kError));
  status_->setPalette(palette);
}

const Instruction* ScheduleView::selectedInstruction() const {
  const ShownOrder* order = edited_->order();
  return order == nullptr || !selected_.valid() ? nullptr : order->module().instruction(selected_);
}

void ScheduleView::showSelection(const Selection& selection) {
  const Snapshot* snapshot = context_.session.snapshot(asked_);
  if (snapshot == nullptr || experiment_->study() == nullptr || edited_->order() == nullptr) return;
  if (snapshotFor(context_.session, selection) != snapshot || !selection.instruction.valid()) return;
  // A start and its done stand for one collective of the module.
  if (selected_.valid() && experiment_->study()->ofModule(selected_) == selection.instruction) return;
  const ShownOrder& order = *edited_->order();
  selectStudied(runnerOf(order, experiment_->study()->studied(selection.instruction)));
}

void ScheduleView::selectStudied(InstructionId id) {
  selected_ = id;
  canvas_->select(id);
  explainSelected();
}

void ScheduleView::jumpTo(InstructionId id) {
  if (!id.valid() || edited_->order() == nullptr || edited_->order()->chart().eventOf(id) == kNoEvent) return;
  selectStudied(id);
  canvas_->axis().zoomTo(id);
  tell(id, &SelectionBus::select);
}

void ScheduleView::explainSelected() {
  const Instruction* instruction = selectedInstruction();
  if (instruction == nullptr) return panels_->answers().clearAnswer();
  if (askedWhy_ != selected_) panels_->answers().setAsking(qs(instruction->name()));
  askedWhy_ = selected_;
  experiment_->explain(edited_->side(), selected_);
}

void ScheduleView::tell(InstructionId id, void (SelectionBus::*verb)(const Selection&)) {
  const Snapshot* snapshot = context_.session.snapshot(asked_);
  const Instruction* instruction = snapshot == nullptr || !id.valid() || experiment_->study() == nullptr
                                       ? nullptr
                                       : snapshot->module->instruction(experiment_->study()->ofModule(id));
  if (instruction != nullptr) {
    (context_.bus.*verb)(selectionOf(*snapshot, *instruction));
  } else if (verb == &SelectionBus::hover) {
    context_.bus.hover({});
  }
}

void ScheduleView::take(const ViewAsk& what) {
  if (const auto* selected = std::get_if<RunSelected>(&what)) measured_->setRun(selected->run);
}

View* makeScheduleView(const ViewContext& context) { return new ScheduleView(context); }

}  // namespace hilo
