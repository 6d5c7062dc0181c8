// What surrounds the schedule's canvas: head, tool bar, menus, panels, and what each of them does.
#include <QFileDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "core/workspace/open/convert.h"
#include "core/workspace/open/read_bytes.h"
#include "core/workspace/schedule/schedule.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/views/schedule/answer_panel.h"
#include "ui/views/schedule/option_model.h"
#include "ui/views/schedule/scenario_shelf.h"
#include "ui/views/schedule/schedule_canvas.h"
#include "ui/views/schedule/schedule_view.h"
#include "ui/widgets/instruction_menu.h"
#include "ui/widgets/table_view.h"

namespace hilo {
namespace {

std::vector<TableColumn<OverlapLine>> overlapColumns() {
  const auto column = [](const char* title, auto number) {
    return TableColumn<OverlapLine>{
        title,
        [number](const OverlapLine& line) {
          const double ns = number(line);
          return ns < 0 ? QString("-") : ns == 0 ? QString("0") : timeText(ns, line.abstract);
        },
        number};
  };
  return {
      {"collective", [](const OverlapLine& line) { return qs(line.row.name); }},
      column("exposed", [](const OverlapLine& line) { return line.row.totalExposedNs(); }),
      column("other side", [](const OverlapLine& line) { return line.otherExposedNs; }),
      {"times", [](const OverlapLine& line) { return countText(line.row.times); },
       [](const OverlapLine& line) { return static_cast<double>(line.row.times); }},
      column("takes", [](const OverlapLine& line) { return line.row.latencyNs; }),
      column("overlapped compute", [](const OverlapLine& line) { return line.row.workNs; }),
      column("queued", [](const OverlapLine& line) { return line.row.queuedNs; }),
      {"what", [](const OverlapLine& line) { return qs(line.row.what); }},
      {"computation", [](const OverlapLine& line) { return qs(line.row.computation); }},
  };
}

std::vector<TableColumn<MovedInstruction>> movedColumns() {
  return {
      {"instruction", [](const MovedInstruction& r) { return qs(r.name); }},
      {"in A", [](const MovedInstruction& r) { return countText(static_cast<int64_t>(r.placeA) + 1); },
       [](const MovedInstruction& r) { return static_cast<double>(r.placeA); }},
      {"in B", [](const MovedInstruction& r) { return countText(static_cast<int64_t>(r.placeB) + 1); },
       [](const MovedInstruction& r) { return static_cast<double>(r.placeB); }},
      {"why", [](const MovedInstruction& r) { return qs(r.why); }},
      {"computation", [](const MovedInstruction& r) { return qs(r.computation); }},
  };
}

}  // namespace

ScheduleView::ScheduleView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      experiment_(new ScheduleExperiment(context.jobs, this)),
      shelf_(new ScenarioShelf(context, this)),
      overlapModel_(overlapColumns()),
      movedModel_(movedColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  canvas_ = new ScheduleCanvas(this);
  setFocusProxy(canvas_);
  layout->addWidget(buildHead());
  buildToolBar();
  layout->addWidget(bar_);
  split_ = new QSplitter(Qt::Horizontal, this);
  split_->setChildrenCollapsible(false);
  split_->addWidget(canvas_);
  split_->addWidget(buildPanels());
  split_->setStretchFactor(0, 1);
  split_->setStretchFactor(1, 0);
  split_->setSizes({900, 340});
  layout->addWidget(split_, 1);
  status_ = new QLabel(this);
  status_->setContentsMargins(kSpace, kSpaceTiny, kSpace, kSpaceTiny);
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  status_->setAccessibleName("Status of the schedule");
  status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  layout->addWidget(status_);
  canvas_->setEmptyText("Open a module to see what runs when.");
  connectExperiment();
  connectCanvas();
  connect(&context_.changes, &SessionChanges::currentShown, this, &ScheduleView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &ScheduleView::showSelection);
}

ScheduleView::~ScheduleView() = default;

QWidget* ScheduleView::buildHead() {
  auto* part = new QWidget(this);
  auto* layout = new QVBoxLayout(part);
  layout->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceTiny);
  layout->setSpacing(kSpaceTiny);
  head_ = new QLabel("Open a module to see what runs when.", part);
  head_->setTextFormat(Qt::RichText);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  head_->setAccessibleName("Figures of the schedule");
  worst_ = new QLabel(part);
  worst_->setTextFormat(Qt::RichText);
  worst_->setWordWrap(true);
  worst_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  worst_->setAccessibleName("The most exposed collectives");
  connect(worst_, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link.startsWith("name:")) return goToName(link.mid(5));
    if (link.startsWith("partition:")) return context_.bus.ask(PartitionFirst{});
    showSides(edited_ == ScheduleSide::A ? Sides::kB : Sides::kA);
  });
  target_ = new MessageLine(ColourRole::kTextDim, part);
  target_->setContentsMargins(0, 0, 0, 0);
  target_->setAccessibleName("The device that times are estimated for");
  layout->addWidget(head_);
  layout->addWidget(worst_);
  layout->addWidget(target_);
  return part;
}

QAction* ScheduleView::addAction(const QString& text, const QString& tip, const QKeySequence& keys,
                                 std::function<void()> run) {
  QAction* action = bar_->addAction(text);
  action->setToolTip(keys.isEmpty() ? tip : QString("%1 (%2)").arg(tip, keys.toString()));
  connect(action, &QAction::triggered, this, std::move(run));
  return action;
}

void ScheduleView::buildToolBar() {
  bar_ = new QToolBar(this);
  bar_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  buildSides();
  buildPresetBoxes();
  slots_ = addAction("Program order", "Every instruction as wide as the next, instead of by its time (X)", {},
                     [this] {
                       if (filling_) return;
                       canvas_->setAxis(slots_->isChecked() ? ChartAxis::Slots : ChartAxis::Time);
                     });
  slots_->setCheckable(true);
  addAction("Fit", "The whole step (F)", {}, [this] { canvas_->fit(); });
  addAction("−", "Zoom out (-)", {}, [this] { canvas_->zoomBy(1 / 1.5); })->setIconText("−");
  addAction("+", "Zoom in (+)", {}, [this] { canvas_->zoomBy(1.5); });
  bar_->addSeparator();
  undo_ = addAction("Undo", "Take the last change back", QKeySequence::Undo, [this] { undo(); });
  redo_ = addAction("Redo", "Make it again", QKeySequence::Redo, [this] { redo(); });
  undo_->setEnabled(false);
  redo_->setEnabled(false);
  buildMenus();
}

void ScheduleView::buildSides() {
  const auto side = [&](const char* text, const char* tip, Sides sides) {
    QAction* action = addAction(text, tip, {}, [this, sides] {
      if (!filling_) showSides(sides);
    });
    action->setCheckable(true);
    return action;
  };
  sideA_ = side("A", "Show side A", Sides::kA);
  sideB_ = side("B", "Show side B", Sides::kB);
  both_ = side("A with B", "Both, one below the other, and what moved", Sides::kBoth);
  sideA_->setChecked(true);
  bar_->addSeparator();
}

void ScheduleView::buildPresetBoxes() {
  preset_ = new QComboBox(bar_);
  for (const SchedulePreset& preset : schedulePresets()) {
    preset_->addItem(qs(preset.name), qs(preset.name));
    preset_->setItemData(preset_->count() - 1, qs(preset.summary), Qt::ToolTipRole);
  }
  preset_->setToolTip("Whose order the shown side has");
  preset_->setAccessibleName("Order of the shown side");
  device_ = new QComboBox(bar_);
  device_->addItem("uniform", "uniform");
  for (const std::string& device : deviceNames()) device_->addItem(qs(device), qs(device));
  device_->addItem("from a file…");
  device_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  device_->setMinimumContentsLength(10);
  device_->setToolTip("What the times are estimated for");
  device_->setAccessibleName("Device");
  bar_->addWidget(preset_);
  bar_->addWidget(device_);
  bar_->addSeparator();
  connect(preset_, &QComboBox::activated, this, [this](int index) {
    if (!filling_) setPreset(preset_->itemData(index).toString());
  });
  connect(device_, &QComboBox::activated, this, [this](int index) {
    if (filling_) return;
    if (const QVariant device = device_->itemData(index); device.isValid())
      return setDevice(device.toString());
    showControls();
    askFile(false, "A description of a device", "Devices (*.json *.pbtxt *.txtpb *.textproto);;All files (*)",
            [this](const QString& path) { setDevice(path); });
  });
}

void ScheduleView::buildMenus() {
  const auto menuButton = [&](const QString& text, const QString& tip) {
    auto* button = new QToolButton(bar_);
    button->setText(text);
    button->setToolTip(tip);
    button->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(button);
    button->setMenu(menu);
    bar_->addWidget(button);
    return menu;
  };
  shelfMenu_ = menuButton("Scenarios", "Settings and edits kept with this module");
  connect(shelfMenu_, &QMenu::aboutToShow, this, &ScheduleView::fillShelfMenu);
  QMenu* exports = menuButton("Export", "Take the order out of the studio");
  exports->addAction("As a &module in this order…", this, [this] { askExport(ScheduleExport::Module); });
  exports->addAction("As &control dependencies of the edits…", this,
                     [this] { askExport(ScheduleExport::Control); });
  exports->addAction("As scheduling &annotations…", this, [this] { askExport(ScheduleExport::Annotations); });
}

void ScheduleView::fillShelfMenu() {
  shelfMenu_->clear();
  for (const ScheduleScenario& kept : shelf_->scenarios()) {
    shelfMenu_->addAction(qs(kept.name), this, [this, kept] {
      changeScenario([&](ScheduleScenario& scenario) { scenario = kept; });
    });
  }
  if (!shelf_->scenarios().empty()) shelfMenu_->addSeparator();
  shelfMenu_->addAction("&Keep this one…", this, [this] {
    bool taken = false;
    const QString name = QInputDialog::getText(this, "Keep a scenario", "Name", QLineEdit::Normal,
                                               qs(experiment_->scenario(edited_).name), &taken);
    if (!taken || name.trimmed().isEmpty()) return;
    ScheduleScenario kept = experiment_->scenario(edited_);
    kept.name = toStd(name.trimmed());
    shelf_->keep(kept);
  });
  QMenu* removal = shelfMenu_->addMenu("&Remove");
  removal->setEnabled(!shelf_->scenarios().empty());
  for (const ScheduleScenario& kept : shelf_->scenarios())
    removal->addAction(qs(kept.name), this, [this, name = kept.name] { shelf_->remove(name); });
  shelfMenu_->addSeparator();
  const QString json = "JSON (*.json);;All files (*)";
  shelfMenu_->addAction("&Open a scenario…", this, [this, json] {
    askFile(false, "A scenario", json, [this](const QString& path) { loadScenario(path); });
  });
  shelfMenu_->addAction("&Save this one as…", this, [this, json] {
    askFile(true, "A scenario", json, [this](const QString& path) { saveScenario(path); });
  });
  shelfMenu_->addAction("&Take an order from a file…", this, [this] {
    askFile(false, "An order: names one a line, or HLO text", "All files (*)",
            [this](const QString& path) { takeOrder(path); });
  });
}

QWidget* ScheduleView::buildPanels() {
  tabs_ = new QTabWidget(this);
  tabs_->setAccessibleName("Answers and settings");
  tabs_->setDocumentMode(true);
  tabs_->setMinimumWidth(200);
  answers_ = new AnswerPanel(tabs_);
  tabs_->addTab(answers_, "Why");
  overlapTable_ = new TableView(tabs_);
  overlapTable_->setModel(&overlapModel_);
  overlapTable_->setEmptyText("No collectives: there is nothing to hide.");
  overlapTable_->setColumnWidths({22, 12, 12, 8, 11, 14, 11, 24, 20});
  overlapTable_->setAccessibleName("Collectives and what of them is exposed");
  overlapTable_->setAccessibleName("Collectives");
  tabs_->addTab(overlapTable_, "Collectives");
  options_ = new OptionModel(this);
  optionTable_ = new QTreeView(tabs_);
  optionTable_->setModel(options_);
  optionTable_->setRootIsDecorated(false);
  optionTable_->setUniformRowHeights(true);
  optionTable_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                                QAbstractItemView::AnyKeyPressed | QAbstractItemView::SelectedClicked);
  optionTable_->setAccessibleName("Settings of the scheduler");
  optionTable_->header()->resizeSection(OptionModel::kName, 210);
  optionTable_->header()->resizeSection(OptionModel::kValue, 80);
  optionTable_->setAccessibleName("Settings");
  tabs_->addTab(optionTable_, "Settings");
  auto* changes = new QWidget(tabs_);
  auto* layout = new QVBoxLayout(changes);
  layout->setContentsMargins(0, 0, 0, 0);
  movedHead_ = new QLabel("Press “A with B” to see what moved between the two orders.", changes);
  movedHead_->setWordWrap(true);
  movedHead_->setMargin(kSpace);
  movedHead_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  movedHead_->setAccessibleName("What moved");
  movedTable_ = new TableView(changes);
  movedTable_->setModel(&movedModel_);
  movedTable_->setEmptyText("Nothing moved.");
  movedTable_->setColumnWidths({20, 7, 7, 60, 20});
  movedTable_->setAccessibleName("Instructions that moved");
  layout->addWidget(movedHead_);
  layout->addWidget(movedTable_, 1);
  tabs_->addTab(changes, "Changes");
  return tabs_;
}

void ScheduleView::connectExperiment() {
  connect(experiment_, &ScheduleExperiment::studied, this, [this] {
    // A module's own order says why its step is slow; one made here to save memory says nothing of the kind.
    const ScheduleSide first = experiment_->study()->madeOrder() ? ScheduleSide::B : ScheduleSide::A;
    if (sides_ != Sides::kBoth) sides_ = first == ScheduleSide::A ? Sides::kA : Sides::kB;
    edited_ = first;
    showControls();
  });
  connect(experiment_, &ScheduleExperiment::orderChanged, this, &ScheduleView::showOrder);
  connect(experiment_, &ScheduleExperiment::failed, this, [this](const Diagnostic& why) {
    QString text = qs(why.message);
    if (!why.notes.empty()) text += " (" + qs(why.notes.front()) + ")";
    say(text, true);
    if (canvas_->charts().empty()) {
      canvas_->setEmptyText(text);
      head_->setText("This module's schedule cannot be shown.");
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
            answers_->setAnswer(answer, whole);
            canvas_->setWindow(&answer);
          });
  connect(experiment_, &ScheduleExperiment::compared, this, [this](const ScheduleComparison& comparison) {
    movedModel_.setRows(comparison.moved);
    const double a = comparison.a.exposedNs, b = comparison.b.exposedNs;
    movedHead_->setText(QString("%1 moved from A to B. Exposed: A %2, B %3. Peak: A %4, B %5.")
                            .arg(countOf(comparison.movedCount, "instruction"),
                                 timeText(a, comparison.abstract), timeText(b, comparison.abstract),
                                 bytesText(comparison.a.peakBytes), bytesText(comparison.b.peakBytes)));
  });
  connect(options_, &OptionModel::valueAsked, this, &ScheduleView::setOption);
  connect(shelf_, &ScenarioShelf::failed, this,
          [this](const Diagnostic& why) { say(qs(why.message), true); });
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
    if (sides_ != Sides::kBoth) return;
    edited_ = chart == 0 ? ScheduleSide::A : ScheduleSide::B;
    before_.reset();
    showCharts(false);
    showFigures();
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
  connect(canvas_, &ScheduleCanvas::viewChanged, this,
          [this] { slots_->setChecked(canvas_->axis() == ChartAxis::Slots); });
  canvas_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(canvas_, &QWidget::customContextMenuRequested, this,
          [this](QPoint place) { showMenu(canvas_->mapToGlobal(place)); });
  connect(answers_, &AnswerPanel::nameClicked, this, &ScheduleView::goToName);
  connect(answers_, &AnswerPanel::suggestionTaken, this, &ScheduleView::move);
  const auto jump = [this](InstructionId id) {
    if (!id.valid() || editedOrder() == nullptr || editedOrder()->chart().eventOf(id) == kNoEvent) return;
    selectStudied(id);
    canvas_->zoomTo(id);
    tell(id, &SelectionBus::select);
  };
  connect(overlapTable_, &QAbstractItemView::activated, this, [this, jump](const QModelIndex& index) {
    if (const OverlapLine* line = overlapModel_.rowAt(index)) jump(line->row.start);
  });
  connect(movedTable_, &QAbstractItemView::activated, this, [this, jump](const QModelIndex& index) {
    if (const MovedInstruction* row = movedModel_.rowAt(index)) jump(row->instruction);
  });
}

void ScheduleView::showMenu(QPoint globalPlace) {
  const auto [chart, event] = canvas_->eventAt(canvas_->viewport()->mapFromGlobal(globalPlace));
  if (chart >= 0 && event != kNoEvent) {
    const ShownOrder& order = *canvas_->charts()[static_cast<size_t>(chart)].order;
    selectStudied(order.chart().events[event].instruction);
    tell(selected_, &SelectionBus::select);
  }
  const ShownOrder* order = editedOrder();
  const Instruction* instruction =
      order == nullptr || !selected_.valid() ? nullptr : order->module().instruction(selected_);
  if (instruction == nullptr) return;
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const bool held = std::ranges::any_of(order->outcome.scenario.pins, [&](const SchedulePin& pin) {
    return pin.instruction == instruction->name();
  });
  menu->addAction(held ? "Unpin (P)" : "Pin (P)", this, [this] { togglePin(); });
  menu->addAction("Override duration…", this, [this] { askLatency(); });
  menu->addAction("Zoom to it (Z)", this, [this] { canvas_->zoomTo(selected_); });
  menu->addAction("Show it in graph and text (Enter)", this,
                  [this] { tell(selected_, &SelectionBus::activate); });
  addInstructionMenu(*menu, context_);
  menu->popup(globalPlace);
}

void ScheduleView::askLatency() {
  const ShownOrder* order = editedOrder();
  const Instruction* instruction =
      order == nullptr || !selected_.valid() ? nullptr : order->module().instruction(selected_);
  if (instruction == nullptr) return;
  const uint32_t event = order->chart().eventOf(selected_);
  const double now = event == kNoEvent ? 0 : order->chart().events[event].time.width() / 1000;
  bool taken = false;
  const double us = QInputDialog::getDouble(
      this, "Override duration", qs(instruction->name()) + ", in microseconds", now, 0, 1e9, 3, &taken);
  if (taken) setLatency(qs(instruction->name()), us);
}

void ScheduleView::askFile(bool save, const QString& title, const QString& filter,
                           std::function<void(const QString&)> take) {
  auto* dialog = new QFileDialog(this, title, {}, filter);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(save ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
  dialog->setFileMode(save ? QFileDialog::AnyFile : QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, std::move(take));
  dialog->open();
}

void ScheduleView::askExport(ScheduleExport form) {
  askFile(true, "Export the schedule", "HLO text (*.hlo *.txt);;HloProto (*.pb);;All files (*)",
          [this, form](const QString& path) { exportTo(path, form); });
}

void ScheduleView::exportTo(const QString& path, ScheduleExport form) {
  auto exported = experiment_->exported(edited_, form);
  if (!exported) return say(qs(exported.error().message), true);
  QString told = "Written: " + path;
  if (form != ScheduleExport::Module)
    told += QString(", %1").arg(countOf(exported->added,
                                        form == ScheduleExport::Control ? "control dependency" : "group",
                                        form == ScheduleExport::Control ? "control dependencies" : nullptr));
  for (const std::string& note : exported->notes) told += " · " + qs(note);
  context_.jobs.submit(
      "", "Write " + toStd(path),
      [module = exported->module, path = toStd(path)](JobContext&) -> Result<void> {
        TRY(const OutputKind kind, outputKindFromPath(path));
        TRY(const std::string bytes, convertModule(*module, ConvertOptions{.kind = kind}));
        return writeOutput(path, bytes);
      },
      [this, told](Result<void> written) { say(written ? told : qs(written.error().message), !written); },
      &scope_);
}

void ScheduleView::saveScenario(const QString& path) {
  context_.jobs.submit(
      "", "Write " + toStd(path),
      [text = scenarioText(experiment_->scenario(edited_)) + "\n",
       path = toStd(path)](JobContext&) -> Result<void> { return writeOutput(path, text); },
      [this, path](Result<void> written) {
        say(written ? "Written: " + path : qs(written.error().message), !written);
      },
      &scope_);
}

void ScheduleView::loadScenario(const QString& path) {
  context_.jobs.submit(
      "", "Read " + toStd(path),
      [path = toStd(path)](JobContext&) -> Result<ScheduleScenario> {
        TRY(const std::string text, readBytes(path));
        return parseScenario(text, path);
      },
      [this](Result<ScheduleScenario> scenario) {
        if (!scenario) return say(qs(scenario.error().message), true);
        changeScenario([&](ScheduleScenario& now) { now = *scenario; });
      },
      &scope_);
}

void ScheduleView::takeOrder(const QString& path) {
  context_.jobs.submit(
      "", "Read " + toStd(path), [path = toStd(path)](JobContext&) { return readBytes(path); },
      [this](Result<std::string> text) {
        if (!text) return say(qs(text.error().message), true);
        changeScenario([&](ScheduleScenario& scenario) { scenario.order = *text; });
      },
      &scope_);
}

Status ScheduleView::arrange(const QString& words) {
  for (const QString& word : words.split(',', Qt::SkipEmptyParts)) {
    const QString key = word.section('=', 0, 0).trimmed(), value = word.section('=', 1).trimmed();
    const QStringList tabs = {"why", "collectives", "settings", "changes"};
    if (key == "a" || key == "b" || key == "both") {
      showSides(key == "a" ? Sides::kA : key == "b" ? Sides::kB : Sides::kBoth);
    } else if (key == "program-order") {
      canvas_->setAxis(ChartAxis::Slots);
    } else if (key == "zoom") {
      zoomWhenShown_ = true;
      arrangeShown();
    } else if (key == "preset") {
      setPreset(value);
    } else if (key == "device") {
      setDevice(value);
    } else if (key == "move") {
      move({toStd(value.section(':', 0, 0)), toStd(value.section(':', 1))});
    } else if (key == "order") {
      takeOrder(value);
    } else if (key == "tab" && tabs.contains(value)) {
      tabs_->setCurrentIndex(static_cast<int>(tabs.indexOf(value)));
    } else {
      return fail(
          "unknown-word", fmt::format("the schedule view does not know '{}'", toStd(word)), {},
          {"it knows a, b, both, program-order, zoom, preset=, device=, move=NAME:BEFORE, order=FILE, "
           "tab=why|collectives|settings|changes"});
    }
  }
  return {};
}

void ScheduleView::arrangeShown() {
  if (selected_.valid()) canvas_->zoomTo(selected_);
}

}  // namespace hilo
