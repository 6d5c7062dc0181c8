#include "ui/views/passes/passes_view.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "core/analysis/lineage/lineage.h"
#include "core/workspace/passes/optimize.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/views/passes/run_passes_dialog.h"
#include "ui/widgets/diff_text_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {

namespace {

constexpr const char* kNothing = "Run passes over the current module, or open a dump with a pass series.";

// The pass and all it ran with, a line each.
QString settingsText(const SeriesStep& step) {
  QString text = qs(step.name);
  for (const EffectiveSetting& setting : step.settings)
    text +=
        QString("\n%1 = %2%3").arg(qs(setting.name), qs(setting.value), setting.isDefault ? "" : "  (set)");
  return text;
}

// The instruction on the other side: its partner, else the first that it came from or became.
InstructionId acrossFrom(InstructionId id, bool inAfter, const StepDiff& diff, const SideBySide& text) {
  const InstructionId partner = inAfter ? diff.partnerAfter[id.value] : diff.partnerBefore[id.value];
  if (partner.valid() || text.lineage == nullptr) return partner;
  const auto links = inAfter ? text.lineage->sourcesOf(id) : text.lineage->targetsOf(id);
  return links.empty() ? InstructionId() : links.front().id;
}

}  // namespace

PassesView::PassesView(const ViewContext& context, QWidget* parent) : View(context, parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  addActions();
  buildBar();
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  strip_ = new PassStrip(this);
  facts_ = new StripFacts(context_.jobs, *strip_, this);
  layout->addWidget(strip_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  lists_ = new StepLists(context_.jobs, split);
  panes_ = new StepPanes(context, split);
  split->addWidget(lists_);
  split->addWidget(panes_);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 3);
  split->setSizes({400, 640});
  layout->addWidget(split, 1);
  connect(facts_, &StripFacts::failed, this, [this](const Diagnostic& why) { message_->sayWhy(why); });
  connectPanes();
  connect(strip_, &PassStrip::currentChanged, this, &PassesView::showStep);
  connect(strip_, &PassStrip::stepActivated, this, &PassesView::showStepInViews);
  connect(&context_.changes, &SessionChanges::seriesAdded, this, &PassesView::addSeries);
  connect(&context_.changes, &SessionChanges::seriesClosed, this, &PassesView::closeSeries);
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &PassesView::followSelection);
  for (const SeriesEntry& entry : context_.session.series()) addSeries(entry.id);
}

void PassesView::connectPanes() {
  connect(&panes_->text(), &DiffTextView::nameActivated, this, &PassesView::activateName);
  connect(&panes_->text(), &DiffTextView::lineSelected, this, &PassesView::selectLine);
  connect(panes_, &StepPanes::semanticToggled, this, [this] {
    if (content_) showStep(static_cast<int>(strip_->current()));
  });
  connect(lists_, &StepLists::changeChosen, this, &PassesView::selectChange);
  connect(lists_, &StepLists::remarkChosen, this, &PassesView::selectRemark);
  connect(lists_, &StepLists::historyChosen, this, &PassesView::goToHistory);
  connect(&lists_->history(), &HistoryPane::rowsChanged, this, &PassesView::filterStrip);
  connect(lists_, &StepLists::originChosen, panes_, &StepPanes::reveal);
}

void PassesView::buildBar() {
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  seriesBox_ = new QComboBox(this);
  seriesBox_->setAccessibleName("Pass series");
  seriesBox_->setFixedWidth(260);
  seriesBox_->setPlaceholderText("no pipeline yet");
  auto* runButton = new QPushButton("Run passes...", this);
  runButton->setToolTip("Run a pipeline or chosen passes over the current module");
  fold_ = new QCheckBox("Fold unchanged", this);
  fold_->setChecked(true);
  only_ = new QCheckBox("Only of the selection", this);
  only_->setToolTip("Show the steps that made, changed or removed the selected instruction");
  caption_ = new ElidedLabel(kNothing, this);
  caption_->setForegroundRole(QPalette::PlaceholderText);
  bar->add(seriesBox_);
  bar->add(runButton);
  thunksButton_ = new QPushButton("Show the thunks", this);
  thunksButton_->setToolTip("What this module was lowered to: thunks, the bytes they use, their kernels");
  thunksButton_->hide();
  beside_ = new BesideControls(*bar, this);
  connect(beside_, &BesideControls::runAsked, this, &PassesView::runBeside);
  connect(beside_, &BesideControls::chosen, this, [this] { showStep(static_cast<int>(strip_->current())); });
  bar->add(fold_);
  bar->add(only_);
  bar->add(caption_, 1);
  bar->add(thunksButton_);
  connect(thunksButton_, &QPushButton::clicked, this, &PassesView::showThunks);
  static_cast<QVBoxLayout*>(layout())->addLayout(bar);
  connect(runButton, &QPushButton::clicked, this, &PassesView::askAndRun);
  connect(fold_, &QCheckBox::toggled, this, [this](bool on) {
    strip_->setFolded(on);
    panes_->foldUnchanged(on);
  });
  connect(only_, &QCheckBox::toggled, this, &PassesView::filterStrip);
  connect(seriesBox_, &QComboBox::currentIndexChanged, this, &PassesView::showSeries);
}

// With nothing selected all steps stay.
void PassesView::filterStrip() {
  std::vector<size_t> steps;
  for (const HistoryEntry& entry : lists_->history().rows().rows()) steps.push_back(entry.step);
  std::ranges::sort(steps);
  const bool isFiltered = only_->isChecked() && !steps.empty();
  strip_->setWanted(isFiltered ? std::optional(std::move(steps)) : std::nullopt);
}

void PassesView::askAndRun() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    caption_->setText("Open a module first: passes run over the module that is shown.");
    return;
  }
  auto* dialog = new RunPassesDialog(snapshot->module, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] { run(dialog->request()); });
  dialog->open();
}

void PassesView::run(OptimizeRequest request) {
  message_->say({});
  caption_->setText("Running ...");
  request.lowers = true;
  context_.jobs.submit(
      "optimize", "Run passes over " + std::string(request.module->name()),
      [request](JobContext& context) { return optimize(request, context); },
      [this, origin = context_.session.find(*request.module)](Result<PassSeries> series) {
        if (!series) {
          caption_->clear();
          message_->sayWhy(series.error());
          Q_EMIT context_.changes.failed("Passes could not be run", series.error());
          return;
        }
        context_.session.addSeries(*std::move(series), origin);
      },
      &scope_);
}

void PassesView::addSeries(SeriesId id) {
  const SeriesEntry& entry = *context_.session.series(id);
  seriesBox_->addItem(QString("%1 (%2 steps)").arg(qs(entry.series->title)).arg(entry.series->steps.size()),
                      id.value);
  seriesBox_->setItemData(seriesBox_->count() - 1, qs(entry.series->title), Qt::ToolTipRole);
  seriesBox_->setCurrentIndex(seriesBox_->count() - 1);
}

SeriesId PassesView::shownSeries() const {
  return series_ ? SeriesId{seriesBox_->currentData().toUInt()} : SeriesId{};
}

void PassesView::closeSeries(SeriesId id) {
  const int index = seriesBox_->findData(id.value);
  if (index >= 0) seriesBox_->removeItem(index);  // goes to a neighbour, if there is one
  if (seriesBox_->count() == 0) showNothing();
}

void PassesView::showNothing() {
  series_.reset();
  content_.reset();
  facts_->setSeries(nullptr);
  lists_->setSeries(nullptr);
  panes_->clear();
  thunksButton_->hide();
  caption_->setText(kNothing);
}

void PassesView::showSeries(int index) {
  const SeriesEntry* entry = context_.session.series(SeriesId{seriesBox_->itemData(index).toUInt()});
  if (index < 0 || entry == nullptr) return;
  series_ = entry->series;
  content_.reset();
  lists_->setSeries(series_);
  facts_->setSeries(series_);
  beside_->show(*series_);
  const size_t first = series_->steps.size() > 1 ? nextChangedStep(strip_->steps(), 0, +1) : 0;
  strip_->setCurrent(first);
  showStep(static_cast<int>(strip_->current()));
  facts_->compareSteps();
}

void PassesView::showStep(int step) {
  if (!series_ || step < 0) return;
  const auto index = static_cast<size_t>(step);
  lists_->showRemarks(series_->steps[index]);
  thunksButton_->setVisible(series_->steps[index].isLowering() && !series_->steps[index].skipped());
  caption_->setText(QString("%1: comparing ...").arg(qs(series_->steps[index].name)));
  context_.jobs.submit(
      "passes.step", "Compare step " + std::to_string(index) + " of " + series_->title,
      [series = series_, shown = index, other = beside_->comparedWith(*series_, index),
       form = panes_->isSemantic() ? TextForm::Semantic : TextForm::AsRead](
          JobContext& job) -> Result<std::shared_ptr<const StepContent>> {
        job.progress(-1, series->steps[shown].name);
        // XLA's stand before ours.
        const auto [before, index] = std::minmax({other.value_or(shown), shown});
        auto content = std::make_shared<StepContent>();
        content->beforeStep = before;
        TRY(content->after, series->steps[index].module());
        if (other) {
          TRY(content->before, series->steps[before].module());
        }
        TRY(content->diff, diffSteps(*series, before, index));
        content->changes = content->diff.changes;
        content->changes.insert(content->changes.end(), content->diff.reordered.begin(),
                                content->diff.reordered.end());
        if (other) content->alike = alikeChanges(*content->before, *content->after, content->diff);
        if (job.cancelled()) return cancelledError();
        TRY(content->text, sideBySide(*series, before, index, form));
        return content;
      },
      [this, series = series_, index](Result<std::shared_ptr<const StepContent>> content) {
        if (series != series_ || strip_->current() != index) return;
        if (!content) {
          caption_->clear();
          return message_->sayWhy(content.error());
        }
        showContent(index, *std::move(content));
      },
      &scope_);
}

void PassesView::showContent(size_t step, std::shared_ptr<const StepContent> content) {
  content_ = std::move(content);
  contentStep_ = step;
  const StepDiff& diff = content_->diff;
  facts_->note(step, *content_);
  const SeriesStep& of = series_->steps[step];
  const bool againstTwin = content_->beforeStep != series_->previousOf(step).value_or(step);
  QString caption = QString(againstTwin ? "After %1, XLA's to ours: " : "Step %1: ")
                        .arg(againstTwin ? qs(of.name) : QString::number(step));
  const std::string configured = passText(of.name, of.settings);
  if (configured != of.name) caption += qs(configured) + ": ";
  if (of.isLowering()) {
    caption += qs(of.made) + "; module unchanged";
  } else {
    caption += QString("%1 added, %2 removed, %3 changed, %4 moved")
                   .arg(diff.added)
                   .arg(diff.removed)
                   .arg(diff.changed)
                   .arg(diff.moved);
    if (hasOrder(diff)) caption += QString(", %1 reordered").arg(diff.reordered.size());
  }
  caption_->setText(caption);
  caption_->setToolTip(settingsText(of));
  lists_->showContent(content_);
  panes_->showContent(content_);
  if (const auto wanted = std::exchange(wanted_, std::nullopt); wanted && wanted->step == step)
    return goToHistory(*wanted);
  followSelection(context_.bus.selected());
}

void PassesView::showThunks() {
  if (!content_) return;
  showStepInViews(static_cast<int>(contentStep_));
  context_.bus.ask(ShowView{"thunks"});
}

// The instruction it speaks of, in the module before the pass; by then it may be gone.
void PassesView::selectRemark(InstructionId before) {
  if (!content_ || content_->before == nullptr) return;
  if (content_->before->instruction(before) == nullptr) return;
  const InstructionId after = content_->diff.partnerBefore[before.value];
  panes_->reveal(before, after);
  lookAt(after.valid() ? after : before, after.valid());
}

void PassesView::activateName(const QString& name, bool inAfter) {
  const std::shared_ptr<const Module> module = content_ == nullptr ? nullptr
                                               : inAfter           ? content_->after
                                                                   : content_->before;
  const Instruction* instruction = module == nullptr ? nullptr : module->findInstruction(toStd(name));
  if (instruction != nullptr) lookAt(instruction->id(), inAfter);
}

// The graphs, the history and, where the other views show this module, they too go to what the line is.
void PassesView::selectLine(uint32_t line, bool inAfter) {
  if (!content_) return;
  const PrintedModule& side = inAfter ? content_->text.right : content_->text.left;
  if (line >= side.lineCount() || !side.lines[line].instruction.valid()) return;
  const InstructionId id = side.lines[line].instruction;
  const StepDiff& diff = content_->diff;
  const InstructionId across = acrossFrom(id, inAfter, diff, content_->text);
  const InstructionId before = inAfter ? across : id, after = inAfter ? id : across;
  lists_->showLineage(id, inAfter);
  panes_->revealInGraphs(before, after);
  lookAt(id, inAfter);
}

// Where the other views show this module they go there; else the inspector alone tells of it.
void PassesView::lookAt(InstructionId id, bool inAfter) {
  const auto& module = inAfter ? content_->after : content_->before;
  const Instruction* instruction = module == nullptr ? nullptr : module->instruction(id);
  if (instruction == nullptr) return;
  const size_t step = inAfter ? contentStep_ : content_->beforeStep;
  lists_->history().follow(step, *instruction);
  const Snapshot* current = context_.session.current();
  if (current != nullptr && current->module == module)
    return context_.bus.select(selectionOf(*current, *instruction));
  context_.bus.look({{}, snapshotOfStep(step, module), instruction->parent().id(), id});
}

SnapshotId PassesView::snapshotOfStep(size_t step, const std::shared_ptr<const Module>& module) {
  return context_.session.snapshotOf(module,
                                     fmt::format("{} after {}", series_->title, series_->steps[step].name));
}

void PassesView::showStepInViews(int step) {
  if (!content_ || contentStep_ != static_cast<size_t>(step)) return;
  context_.session.setCurrent(snapshotOfStep(contentStep_, content_->after));
}

void PassesView::selectChange(const InstructionChange& change, bool activate) {
  if (!content_) return;
  const bool inAfter = change.after.valid();
  const InstructionId own = inAfter ? change.after : change.before;
  const InstructionId across = acrossFrom(own, inAfter, content_->diff, content_->text);
  lists_->showLineage(own, inAfter);
  const auto& module = inAfter ? content_->after : content_->before;
  panes_->reveal(inAfter ? across : own, inAfter ? own : across);
  const Instruction* instruction = module ? module->instruction(own) : nullptr;
  if (instruction == nullptr || !activate) return lookAt(own, inAfter);
  const SnapshotId snapshot = snapshotOfStep(inAfter ? contentStep_ : content_->beforeStep, module);
  context_.bus.activate({{}, snapshot, instruction->parent().id(), own});
}

// The history of what is selected, on whichever side it stands.
void PassesView::followSelection(const Selection& selection) {
  if (!content_ || !selection.instruction.valid()) return;
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  if (snapshot == nullptr) return;
  for (size_t step = 0; step < series_->steps.size(); ++step) {
    if (series_->steps[step].moduleIfLoaded() != snapshot->module) continue;
    const Instruction* instruction = snapshot->module->instruction(selection.instruction);
    return instruction == nullptr ? void() : lists_->history().follow(step, *instruction);
  }
  // A dump's stage read for the other views is another object with the same names.
  const Instruction* there = snapshot->module->instruction(selection.instruction);
  if (there == nullptr) return;
  if (const Instruction* after = content_->after->findInstruction(there->name()))
    return lists_->history().follow(contentStep_, *after);
  const Instruction* before =
      content_->before == nullptr ? nullptr : content_->before->findInstruction(there->name());
  if (before != nullptr) lists_->history().follow(content_->beforeStep, *before);
}

// To the step, and there to the instruction.
void PassesView::goToHistory(const HistoryEntry& entry) {
  if (!content_ || contentStep_ != entry.step) {
    wanted_ = entry;
    return strip_->setCurrent(entry.step);
  }
  panes_->reveal(entry.before, entry.id);
  lookAt(entry.id.valid() ? entry.id : entry.before, entry.id.valid());
}

void PassesView::take(const ViewAsk& what) {
  if (!std::holds_alternative<ShowHistory>(what)) return;
  comeToFront();
  lists_->showHistory();
  followSelection(context_.bus.pointed());
}

void PassesView::step(int direction) {
  strip_->setCurrent(nextChangedStep(strip_->steps(), strip_->current(), direction));
}

View* makePassesView(const ViewContext& context) { return new PassesView(context); }

}  // namespace hilo
