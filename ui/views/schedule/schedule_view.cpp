#include "ui/views/schedule/schedule_view.h"

#include <QFileInfo>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "core/analysis/schedule/async_op.h"
#include "core/analysis/unpartitioned.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/schedule/answer_panel.h"
#include "ui/views/schedule/option_model.h"
#include "ui/views/schedule/scenario_shelf.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/widgets/table_view.h"

namespace hilo {
namespace {

constexpr size_t kWorst = 3;
constexpr int kMostCallers = 20;

QString percent(double part, double whole) {
  return whole > 0 ? QString::number(100 * part / whole, 'f', part > 0.1 * whole ? 0 : 1) + "%"
                   : QString("0%");
}

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
    shelf_->setModule(nullptr);
    canvas_->setCharts({}, true);
    canvas_->setEmptyText("Open a module to see what runs when.");
    return showHead();
  }
  if (!isVisible() || asked_ == snapshot->id || !context_.session.isShown()) return;
  asked_ = snapshot->id;
  before_.reset();
  selected_ = askedWhy_ = {};
  answers_->clearAnswer();
  canvas_->setCharts({}, true);
  canvas_->setEmptyText("Analysing the schedule…");
  movedModel_.setRows({});
  overlapModel_.setRows({});
  experiment_->setModule(snapshot->module, qs(snapshot->title),
                         snapshot->file == nullptr ? std::string() : snapshot->file->path,
                         refusedOrder(*snapshot));
  shelf_->setModule(snapshot->module);
  showHead();
}

void ScheduleView::showOrder(ScheduleSide side) {
  const bool first = canvas_->charts().empty();
  showCharts(first);
  if (side == edited_) showFigures();
  showHead();
  showControls();
  if (side != edited_) showOverlaps();
  if (side == edited_ && selected_.valid()) explainSelected();
  if (side == edited_ && !selected_.valid()) {
    showSelection(context_.bus.selected());
    explainWorst();
  }
  if (sides_ == Sides::kBoth) experiment_->compare();
  if (zoomWhenShown_ && side == edited_) arrangeShown();
}

QString ScheduleView::sideTitle(ScheduleSide side) const {
  const ScheduleScenario& scenario = experiment_->scenario(side);
  const QString name = side == ScheduleSide::A ? "A" : "B";
  const bool made = experiment_->study() != nullptr && experiment_->study()->madeOrder();
  QString what = !scenario.order.empty()         ? QString("order from a file")
                 : scenario.preset != "original" ? qs(scenario.preset)
                 : made ? QString("memory-minimising order (the module came without one)")
                        : QString("the module's own order");
  if (const size_t edits = scenario.moves.size() + scenario.pins.size() + scenario.latenciesUs.size();
      edits > 0)
    what += QString(", %1").arg(countOf(edits, "edit"));
  return QString("%1: %2").arg(name, what);
}

void ScheduleView::showCharts(bool fit) {
  std::vector<ScheduleCanvas::Chart> charts;
  for (const ScheduleSide side : {ScheduleSide::A, ScheduleSide::B}) {
    if (sides_ == (side == ScheduleSide::A ? Sides::kB : Sides::kA)) continue;
    const auto& order = experiment_->shown(side);
    if (order == nullptr) continue;
    const ScheduleMetrics& m = order->outcome.metrics;
    const QString memory =
        order->outcome.faults.empty() ? "peak " + bytesText(m.peakBytes) : QString("not a legal order");
    charts.push_back(
        {order,
         QString("%1    %2, exposed %3, %4")
             .arg(sideTitle(side), timeText(*order, m.makespanNs), timeText(*order, m.exposedNs), memory),
         side == edited_});
  }
  canvas_->setCharts(std::move(charts), fit);
  canvas_->select(selected_);
}

// The figures of the edited order, and what became of them.
void ScheduleView::showHead() {
  const ShownOrder* order = editedOrder();
  showTarget();
  if (order == nullptr) {
    head_->setText(context_.session.current() == nullptr ? "Open a module to see what runs when."
                                                         : "Analysing the schedule…");
    worst_->clear();
    return;
  }
  const Theme& theme = themeOf(*this);
  const ScheduleMetrics& m = order->outcome.metrics;
  const QString title = sideTitle(edited_).toHtmlEscaped();
  if (!order->outcome.faults.empty()) {
    QStringList messages;
    for (const ScheduleFault& fault : order->outcome.faults) messages << qs(fault.message).toHtmlEscaped();
    const qsizetype count = messages.size();
    messages = messages.mid(0, static_cast<qsizetype>(kWorst));
    head_->setText(QString("<b>%1</b> &nbsp; <span style=\"color:%2\"><b>Not a legal order.</b> %3%4</span>")
                       .arg(title, theme.colour(ColourRole::kError).name(), messages.join("; "),
                            count > messages.size() ? QString("; and %1 more").arg(count - messages.size())
                                                    : QString()));
    worst_->setText(
        "No module runs in this order. The nearest legal order is drawn, with what is wrong crossed.");
    return;
  }
  const QString exposedColour =
      theme.colour(m.exposedNs > 0 ? ColourRole::kMarkRemoved : ColourRole::kSuccess).name();
  head_->setText(
      QString(
          "<b>%1</b> &nbsp; step <b>%2</b> &nbsp;·&nbsp; <span style=\"color:%3\">exposed <b>%4</b></span> "
          "(%5 of the step, %6 of %7 communication) &nbsp;·&nbsp; peak <b>%8</b> &nbsp;·&nbsp; lower bound "
          "%9")
          .arg(title, timeText(*order, m.makespanNs), exposedColour, timeText(*order, m.exposedNs),
               percent(m.exposedNs, m.makespanNs), percent(m.exposedNs, m.communicationNs),
               timeText(*order, m.communicationNs), bytesText(m.peakBytes))
          .arg(timeText(*order, m.boundNs)));
  const QString link = theme.colour(ColourRole::kAccent).name();
  QStringList worst;
  for (size_t i = 0; i < std::min(kWorst, order->overlaps.size()); ++i) {
    const OverlapRow& row = order->overlaps[i];
    if (row.exposedNs <= 0) break;
    worst << QString("<a style=\"color:%1\" href=\"name:%2\">%2</a> %3%4")
                 .arg(link, qs(row.name).toHtmlEscaped(), timeText(*order, row.totalExposedNs()),
                      row.times > 1 ? QString(" (×%1)").arg(row.times) : QString());
  }
  const bool silent = m.communicationNs <= 0;
  const Snapshot* current = context_.session.current();
  const bool isWhole = silent && current != nullptr && isUnpartitioned(*current->module);
  worst_->setText(
      isWhole  ? "This module is " + qs(unpartitionedText(*current->module)) +
                     QString(". <a style=\"color:%1\" href=\"partition:\">Partition first</a>").arg(link)
      : silent ? "This module does not communicate: there is nothing to hide."
      : worst.isEmpty() ? "All communication overlaps with compute." + otherSideText()
                        : "Most exposed: " + worst.join(" &nbsp;·&nbsp; ") + otherSideText());
}

// What a change did, in the status line.
void ScheduleView::showFigures() {
  const ShownOrder* order = editedOrder();
  if (order == nullptr) return;
  showOverlaps();
  const ScheduleMetrics& now = order->outcome.metrics;
  QStringList words;
  for (const std::string& note : order->outcome.notes) words << qs(note);
  if (before_ && order->outcome.faults.empty()) {
    words << QString("exposed %1, step %2")
                 .arg(changeText(*order, now.exposedNs, before_->exposedNs),
                      changeText(*order, now.makespanNs, before_->makespanNs));
    if (now.peakBytes != before_->peakBytes)
      words << QString("peak %1%2")
                   .arg(now.peakBytes < before_->peakBytes ? "−" : "+",
                        bytesText(std::abs(now.peakBytes - before_->peakBytes)));
  }
  say(words.join(" · "));
}

void ScheduleView::showOverlaps() {
  const ShownOrder* order = editedOrder();
  if (order == nullptr) return;
  absl::flat_hash_map<InstructionId, double> other;
  if (const ShownOrder* beside = otherOrder()) {
    for (const OverlapRow& row : beside->overlaps) other[row.start] = row.totalExposedNs();
  }
  std::vector<OverlapLine> lines;
  for (const OverlapRow& row : order->overlaps) {
    const auto found = other.find(row.start);
    lines.push_back({row, found == other.end() ? -1 : found->second, isAbstract(order->outcome.scenario)});
  }
  tabs_->setTabText(tabs_->indexOf(overlapTable_),
                    lines.empty() ? QString("Collectives") : QString("Collectives (%1)").arg(lines.size()));
  overlapModel_.setRows(std::move(lines));
}

// With nothing selected, the collective that costs most is the question.
void ScheduleView::explainWorst() {
  const ShownOrder* order = editedOrder();
  if (order == nullptr || selected_.valid() || order->overlaps.empty()) return;
  if (order->overlaps[0].exposedNs > 0) selectStudied(order->overlaps[0].start);
}

// What the other side would cost, as a link to it.
QString ScheduleView::otherSideText() const {
  const ShownOrder* order = otherOrder();
  if (order == nullptr || !order->outcome.faults.empty()) return {};
  const ScheduleSide side = edited_ == ScheduleSide::A ? ScheduleSide::B : ScheduleSide::A;
  const ScheduleMetrics& m = order->outcome.metrics;
  return QString(" &nbsp;·&nbsp; <a style=\"color:%1\" href=\"side:\">%2</a> exposes %3, step %4")
      .arg(themeOf(*this).colour(ColourRole::kAccent).name(), sideTitle(side).toHtmlEscaped(),
           timeText(*order, m.exposedNs), timeText(*order, m.makespanNs));
}

void ScheduleView::showControls() {
  filling_ = true;
  const ScheduleScenario& scenario = experiment_->scenario(edited_);
  preset_->setCurrentIndex(preset_->findData(qs(scenario.preset)));
  showDevice(qs(scenario.device));
  showTarget();
  options_->setScenario(scenario);
  undo_->setEnabled(experiment_->canUndo(edited_));
  redo_->setEnabled(experiment_->canRedo(edited_));
  sideA_->setChecked(sides_ == Sides::kA);
  sideB_->setChecked(sides_ == Sides::kB);
  both_->setChecked(sides_ == Sides::kBoth);
  slots_->setChecked(canvas_->axis() == ChartAxis::Slots);
  filling_ = false;
}

// By its id or, where it is a file, by the file's name.
void ScheduleView::showDevice(const QString& device) {
  if (device_->findData(device) < 0) {
    device_->insertItem(0, QFileInfo(device).fileName(), device);
    device_->setItemData(0, device, Qt::ToolTipRole);
  }
  device_->setCurrentIndex(device_->findData(device));
}

// Said until another device is chosen: nobody may have asked for this one.
void ScheduleView::showTarget() {
  const ScheduleTarget& target = experiment_->target();
  const bool isTargets = editedOrder() != nullptr && experiment_->scenario(edited_).device == target.device;
  if (!isTargets) return target_->say({});
  target_->say(QString("Times are estimated for %1%2: %3.")
                   .arg(device_->currentText(),
                        target.isKnown ? QString() : QString(", a device that is assumed"),
                        qs(target.because)));
}

void ScheduleView::say(const QString& text, bool error) {
  status_->setText(text);
  QPalette palette = this->palette();
  if (error) palette.setColor(QPalette::WindowText, themeOf(*this).colour(ColourRole::kError));
  status_->setPalette(palette);
}

// What runs an instruction that has no place of its own: the fusion it is in, the loop of a condition.
InstructionId ScheduleView::running(const Module& module, InstructionId id) const {
  const ShownOrder* order = editedOrder();
  for (int depth = 0; order != nullptr && depth < kMostCallers; ++depth) {
    if (order->chart().eventOf(id) != kNoEvent) return id;
    const Instruction* instruction = module.instruction(id);
    if (instruction == nullptr) return {};
    const Instruction* caller = nullptr;
    for (const Computation* computation : module.computations()) {
      for (const Instruction* each : computation->instructions()) {
        const auto called = each->calledComputations();
        if (std::ranges::find(called, &instruction->parent()) != called.end()) caller = each;
      }
    }
    if (caller == nullptr) return {};
    id = caller->id();
  }
  return {};
}

void ScheduleView::showSelection(const Selection& selection) {
  const Snapshot* snapshot = context_.session.snapshot(asked_);
  if (snapshot == nullptr || experiment_->study() == nullptr || editedOrder() == nullptr) return;
  if (snapshotFor(context_.session, selection) != snapshot || !selection.instruction.valid()) return;
  // A start and its done stand for one collective of the module.
  if (selected_.valid() && experiment_->study()->ofModule(selected_) == selection.instruction) return;
  const ShownOrder& order = *editedOrder();
  selectStudied(running(order.module(), experiment_->study()->studied(selection.instruction)));
}

void ScheduleView::selectStudied(InstructionId id) {
  selected_ = id;
  canvas_->select(id);
  explainSelected();
}

void ScheduleView::explainSelected() {
  const ShownOrder* order = editedOrder();
  const Instruction* instruction =
      order == nullptr || !selected_.valid() ? nullptr : order->module().instruction(selected_);
  if (instruction == nullptr) return answers_->clearAnswer();
  if (askedWhy_ != selected_) answers_->setAsking(qs(instruction->name()));
  askedWhy_ = selected_;
  experiment_->explain(edited_, selected_);
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

void ScheduleView::goToName(const QString& name) {
  const ShownOrder* order = editedOrder();
  const Instruction* instruction = order == nullptr ? nullptr : order->module().findInstruction(toStd(name));
  if (instruction == nullptr) return;
  const InstructionId id = running(order->module(), instruction->id());
  if (!id.valid()) return;
  selectStudied(id);
  canvas_->zoomTo(id);
  tell(id, &SelectionBus::select);
}

void ScheduleView::showSides(Sides sides) {
  sides_ = sides;
  if (sides != Sides::kBoth) edited_ = sides == Sides::kA ? ScheduleSide::A : ScheduleSide::B;
  before_.reset();
  showCharts(/*fit=*/false);
  showFigures();
  showHead();
  showControls();
  if (selected_.valid()) explainSelected();
  if (sides == Sides::kBoth) experiment_->compare();
}

void ScheduleView::changeScenario(const std::function<void(ScheduleScenario&)>& edit) {
  ScheduleScenario next = experiment_->scenario(edited_);
  edit(next);
  if (const ShownOrder* order = editedOrder()) before_ = order->outcome.metrics;
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
  for (const ScheduleSide side : {ScheduleSide::A, ScheduleSide::B}) {
    if (side == edited_) continue;
    ScheduleScenario other = experiment_->scenario(side);
    other.device = toStd(device);
    experiment_->change(side, std::move(other));
  }
  changeScenario([&](ScheduleScenario& s) { s.device = toStd(device); });
  before_.reset();
}

void ScheduleView::setOption(const QString& name, const QString& value) {
  changeScenario([&](ScheduleScenario& s) { s.set(toStd(name), toStd(value)); });
}

void ScheduleView::setLatency(const QString& instruction, double microseconds) {
  changeScenario([&](ScheduleScenario& s) { s.latenciesUs[toStd(instruction)] = microseconds; });
}

void ScheduleView::move(const ScheduleMove& move) {
  changeScenario([&](ScheduleScenario& s) { s.moves.push_back(move); });
}

void ScheduleView::togglePin() {
  const ShownOrder* order = editedOrder();
  const Instruction* held =
      order == nullptr || !selected_.valid() ? nullptr : order->module().instruction(selected_);
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
  if (const ShownOrder* order = editedOrder()) before_ = order->outcome.metrics;
  experiment_->undo(edited_);
  showControls();
}

void ScheduleView::redo() {
  if (const ShownOrder* order = editedOrder()) before_ = order->outcome.metrics;
  experiment_->redo(edited_);
  showControls();
}

void ScheduleView::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo)) return undo();
  if (event->matches(QKeySequence::Redo)) return redo();
  QWidget::keyPressEvent(event);
}

Status ScheduleView::arrange(const RenderRequest& request, const RenderSteps& steps) {
  if (request.schedule.isEmpty()) return {};
  TRY_STATUS(steps.show(name()));
  return arrange(request.schedule);
}

View* makeScheduleView(const ViewContext& context) { return new ScheduleView(context); }

}  // namespace hilo
