#include "ui/views/passes/passes_view.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "core/analysis/lineage/lineage.h"
#include "core/workspace/passes/optimize.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/views/passes/change_colours.h"
#include "ui/views/passes/run_passes_dialog.h"
#include "ui/views/passes/step_content.h"
#include "ui/widgets/diff_panel.h"
#include "ui/widgets/diff_text_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {

namespace {

// A longer series is compared only where the user goes: reading all its stages would keep them all in memory.
constexpr size_t kMeasuredSteps = 64;

constexpr const char* kNothing = "Run passes over the current module, or open a dump with a pass series.";

QString changeText(ChangeKind kind) { return qs(changeName(kind)); }

std::vector<TableColumn<InstructionChange>> changeColumns() {
  return {
      {"change", [](const InstructionChange& c) { return changeText(c.kind); }},
      {"instruction", [](const InstructionChange& c) { return qs(c.name); }},
      {"what", [](const InstructionChange& c) { return qs(c.what); }},
  };
}

std::vector<TableColumn<AlikeChanges>> alikeColumns() {
  return {
      {"count", [](const AlikeChanges& a) { return QString::number(a.count); },
       [](const AlikeChanges& a) { return static_cast<double>(a.count); }},
      {"change", [](const AlikeChanges& a) { return a.isPattern ? QString("pattern") : changeText(a.kind); }},
      {"opcode", [](const AlikeChanges& a) { return qs(a.opcode); }},
      {"what", [](const AlikeChanges& a) { return qs(a.what); }, nullptr,
       [](const AlikeChanges& a) { return a.isPattern ? qs(a.what).replace("; ", "\n") : QString(); }},
  };
}

std::vector<TableColumn<Remark>> remarkColumns() {
  return {
      {"kind", [](const Remark& r) { return qs(r.kind); }},
      {"instruction", [](const Remark& r) { return qs(r.name); }},
      {"message", [](const Remark& r) { return qs(r.message); }},
  };
}

PairKind pairKind(DiffKind kind) {
  switch (kind) {
    case DiffKind::Same:
      return PairKind::kSame;
    case DiffKind::Changed:
      return PairKind::kChanged;
    case DiffKind::Added:
      return PairKind::kAdded;
    case DiffKind::Removed:
      return PairKind::kRemoved;
    case DiffKind::Moved:
      return PairKind::kMoved;
  }
  return PairKind::kSame;
}

// What counting needs of one step; the module itself is not kept by the reply.
struct Measured {
  int64_t instructions = 0;
  int64_t delta = 0;
  bool changed = false;
  int64_t reordered = -1;
};

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

bool hasOrder(const StepDiff& diff) { return diff.becameScheduled || !diff.reordered.empty(); }

// -1 where there is more to say than that.
int64_t onlyReordered(const StepDiff& diff) {
  return diff.empty() && hasOrder(diff) ? static_cast<int64_t>(diff.reordered.size()) : -1;
}

}  // namespace

PassesView::PassesView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      alike_(alikeColumns()),
      changes_(changeColumns()),
      remarks_(remarkColumns()),
      lineage_(lineageColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  addActions();
  buildBar();
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  strip_ = new PassStrip(this);
  layout->addWidget(strip_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  lists_ = new QTabWidget(split);
  lists_->setDocumentMode(true);
  lists_->setAccessibleName("Lists of the step");
  buildTables(*lists_);
  panes_ = new QTabWidget(split);
  panes_->setDocumentMode(true);
  panes_->setAccessibleName("Before and after");
  diff_ = new DiffPanel(panes_);
  text_ = diff_->text();
  panes_->addTab(diff_, "Text");
  if (context.makeGraphPair) {
    graphs_ = context.makeGraphPair(panes_);
    panes_->addTab(graphs_, "Graph");
  }
  split->addWidget(lists_);
  split->addWidget(panes_);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 3);
  split->setSizes({400, 640});
  layout->addWidget(split, 1);
  connect(text_, &DiffTextView::nameActivated, this, &PassesView::activateName);
  connect(diff_, &DiffPanel::semanticToggled, this, [this] {
    if (content_) showStep(static_cast<int>(strip_->current()));
  });
  connect(text_, &DiffTextView::lineSelected, this, &PassesView::selectLine);
  connect(strip_, &PassStrip::currentChanged, this, &PassesView::showStep);
  connect(strip_, &PassStrip::stepActivated, this, &PassesView::showStepInViews);
  connect(&context_.changes, &SessionChanges::seriesAdded, this, &PassesView::addSeries);
  connect(&context_.changes, &SessionChanges::seriesClosed, this, &PassesView::closeSeries);
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &PassesView::followSelection);
  for (const SeriesEntry& entry : context_.session.series()) addSeries(entry.id);
}

PassesView::~PassesView() = default;

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
  caption_ = new ElidedLabel(kNothing, this);
  caption_->setForegroundRole(QPalette::PlaceholderText);
  bar->add(seriesBox_);
  bar->add(runButton);
  thunksButton_ = new QPushButton("Show the thunks", this);
  thunksButton_->setToolTip("What this module was lowered to: thunks, the bytes they use, their kernels");
  thunksButton_->hide();
  buildBeside(*bar);
  bar->add(fold_);
  bar->add(caption_, 1);
  bar->add(thunksButton_);
  connect(thunksButton_, &QPushButton::clicked, this, &PassesView::showThunks);
  static_cast<QVBoxLayout*>(layout())->addLayout(bar);
  connect(runButton, &QPushButton::clicked, this, &PassesView::askAndRun);
  connect(fold_, &QCheckBox::toggled, this, [this](bool on) {
    strip_->setFolded(on);
    text_->setUnchangedFolded(on);
  });
  connect(seriesBox_, &QComboBox::currentIndexChanged, this, &PassesView::showSeries);
}

void PassesView::buildTables(QTabWidget& tabs) {
  const auto add = [&](QAbstractItemModel& model, const char* title, const char* empty) {
    auto* table = new TableView(&tabs);
    table->setAccessibleName(title);
    table->setModel(&model);
    table->setEmptyText(empty);
    tabs.addTab(table, title);
    return table;
  };
  alikeTable_ = add(alike_, "Summary",
                    "Changes that are alike, once each with their number.\nEnter lists those of a row.");
  alikeTable_->setColumnWidths({9, 9, 18, 30});
  changesTable_ = add(changes_, "Changes",
                      "This step changed nothing.\nn and p in the strip go to the next and previous change.");
  changesTable_->setColumnWidths({9, 24, 20});
  remarksTable_ = add(remarks_, "Remarks", "The pass of this step said nothing.");
  remarksTable_->setColumnWidths({9, 20, 40});
  history_ = new HistoryPane(context_.jobs, &tabs);
  tabs.addTab(history_, "History");
  buildLineage(tabs);
  alike_.setForeground(
      [this](const AlikeChanges& a) { return a.isPattern ? QVariant() : colourOfChange(a.kind, *this); });
  connect(alikeTable_, &QAbstractItemView::activated, this,
          [this](const QModelIndex& i) { showChangesOf(alike_.rowAt(i)); });
  changes_.setForeground([this](const InstructionChange& c) { return colourOfChange(c.kind, *this); });
  connect(changesTable_, &TableView::currentRowChanged, this,
          [this](const QModelIndex& i) { selectChange(i, false); });
  connect(changesTable_, &QAbstractItemView::activated, this,
          [this](const QModelIndex& i) { selectChange(i, true); });
  connect(remarksTable_, &TableView::currentRowChanged, this, &PassesView::selectRemark);
  connect(history_, &HistoryPane::activated, this, &PassesView::goToHistory);
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
  stripSteps_.clear();
  strip_->setSteps({});
  alike_.setRows({});
  changes_.setRows({});
  remarks_.setRows({});
  history_->setSeries(nullptr);
  lineage_.setRows({});
  text_->setTexts(std::make_shared<const std::string>(), std::make_shared<const std::string>(), {});
  thunksButton_->hide();
  caption_->setText(kNothing);
}

void PassesView::showSeries(int index) {
  const SeriesEntry* entry = context_.session.series(SeriesId{seriesBox_->itemData(index).toUInt()});
  if (index < 0 || entry == nullptr) return;
  series_ = entry->series;
  content_.reset();
  history_->setSeries(series_);
  stripSteps_.clear();
  for (const SeriesStep& step : series_->steps) {
    StripStep cell{step.kind, qs(step.name), qs(step.pipeline), step.outcome, qs(step.made)};
    cell.durationNs = step.durationNs;
    cell.isTheirs = series_->isTheirs(stripSteps_.size());
    if (const auto module = step.moduleIfLoaded()) {
      cell.instructions = static_cast<int64_t>(module->instructionCount());
    }
    stripSteps_.push_back(std::move(cell));
  }
  for (size_t i = 1; i < stripSteps_.size(); ++i) {
    const std::optional<size_t> before = series_->previousOf(i);
    const bool both = before && stripSteps_[i].instructions >= 0 && stripSteps_[*before].instructions >= 0;
    if (both) stripSteps_[i].delta = stripSteps_[i].instructions - stripSteps_[*before].instructions;
  }
  strip_->setSteps(stripSteps_);
  showBeside();
  const size_t first = series_->steps.size() > 1 ? nextChangedStep(stripSteps_, 0, +1) : 0;
  strip_->setCurrent(first);
  showStep(static_cast<int>(strip_->current()));
  if (series_->hasBoth) return measurePairs();
  if (series_->steps.size() <= kMeasuredSteps) measureSteps();
}

// Compares every step of a dump's series in the background, so that the strip says what changed.
void PassesView::measureSteps() {
  const bool known =
      std::ranges::all_of(stripSteps_, [](const StripStep& s) { return s.outcome.has_value(); });
  if (known || stripSteps_.size() < 2) return;
  context_.jobs.submit(
      "passes.measure", "Compare the steps of " + series_->title,
      [series = series_](JobContext& job) -> Result<std::vector<Measured>> {
        std::vector<Measured> all;
        for (size_t i = 0; i < series->steps.size(); ++i) {
          if (job.cancelled()) return cancelledError();
          job.progress(static_cast<double>(i) / static_cast<double>(series->steps.size()),
                       series->steps[i].name);
          TRY(auto module, series->steps[i].module());
          Measured m{static_cast<int64_t>(module->instructionCount())};
          if (i > 0) {
            TRY(const StepDiff diff, diffSteps(*series, i - 1, i));
            m.changed = !diff.empty() || hasOrder(diff);
            m.reordered = onlyReordered(diff);
            m.delta = m.instructions - all.back().instructions;
          }
          all.push_back(m);
        }
        return all;
      },
      [this, series = series_](Result<std::vector<Measured>> all) {
        if (!all || series != series_) return;
        for (size_t i = 0; i < all->size(); ++i) {
          // A pass that said so itself may have changed what a diff does not show: an order.
          if (!stripSteps_[i].outcome) stripSteps_[i].setCompared((*all)[i].changed);
          stripSteps_[i].instructions = (*all)[i].instructions;
          stripSteps_[i].delta = (*all)[i].delta;
          stripSteps_[i].reordered = (*all)[i].reordered;
        }
        strip_->setSteps(stripSteps_);
      },
      &scope_);
}

void PassesView::showStep(int step) {
  if (!series_ || step < 0) return;
  const auto index = static_cast<size_t>(step);
  showRemarksOf(index);
  caption_->setText(QString("%1: comparing ...").arg(qs(series_->steps[index].name)));
  context_.jobs.submit(
      "passes.step", "Compare step " + std::to_string(index) + " of " + series_->title,
      [series = series_, shown = index, other = comparedWith(index),
       form = diff_->isSemantic() ? TextForm::Semantic : TextForm::AsRead](
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

void PassesView::noteDiff(size_t step, const StepDiff& diff) {
  StripStep& cell = stripSteps_[step];
  if (content_->beforeStep != series_->previousOf(step).value_or(step)) {
    cell.agrees = diff.empty();
    return strip_->setSteps(stripSteps_);
  }
  if (!cell.skipped()) cell.setCompared(step > 0 && (!diff.empty() || hasOrder(diff)));
  cell.reordered = step > 0 ? onlyReordered(diff) : -1;
  cell.instructions = static_cast<int64_t>(diff.instructionsAfter);
  cell.delta = static_cast<int64_t>(diff.instructionsAfter) - static_cast<int64_t>(diff.instructionsBefore);
  strip_->setSteps(stripSteps_);
}

void PassesView::showContent(size_t step, std::shared_ptr<const StepContent> content) {
  content_ = std::move(content);
  contentStep_ = step;
  const StepDiff& diff = content_->diff;
  noteDiff(step, diff);
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
  alike_.setRows(content_->alike);
  lineage_.setRows({});
  showChangesOf(nullptr);
  showText();
  if (graphs_ != nullptr) graphs_->showStep(content_->before, content_->after, diff);
  if (const auto wanted = std::exchange(wanted_, std::nullopt); wanted && wanted->step == step)
    return goToHistory(*wanted);
  followSelection(context_.bus.selected());
}

// Of a step of lowering they are what it made: they come to the front.
void PassesView::showRemarksOf(size_t step) {
  const SeriesStep& of = series_->steps[step];
  remarks_.setRows(of.remarks);
  const int count = remarks_.rowCount();
  lists_->setTabText(lists_->indexOf(remarksTable_),
                     count == 0 ? QString("Remarks") : QString("Remarks (%1)").arg(count));
  thunksButton_->setVisible(of.isLowering() && !of.skipped());
  if (of.isLowering()) lists_->setCurrentWidget(remarksTable_);
}

void PassesView::showThunks() {
  if (!content_) return;
  showStepInViews(static_cast<int>(contentStep_));
  context_.bus.ask(ShowView{"thunks"});
}

// The instruction it speaks of, in the module before the pass; by then it may be gone.
void PassesView::selectRemark(const QModelIndex& index) {
  const Remark* remark = remarks_.rowAt(index);
  if (remark == nullptr || !content_ || !remark->instruction.valid() || content_->before == nullptr) return;
  const InstructionId before = remark->instruction;
  if (content_->before->instruction(before) == nullptr) return;
  const InstructionId after = content_->diff.partnerBefore[before.value];
  if (graphs_ != nullptr) graphs_->reveal(before, after);
  revealInText({.before = before, .after = after});
  lookAt(after.valid() ? after : before, after.valid());
}

// Those of a row of Alike, or all.
void PassesView::showChangesOf(const AlikeChanges* alike) {
  if (!content_) return;
  const std::vector<InstructionChange>& all = content_->changes;
  const int tab = lists_->indexOf(changesTable_);
  if (alike == nullptr) {
    changes_.setRows(all);
    lists_->setTabText(tab, "Changes");
    return;
  }
  std::vector<InstructionChange> chosen;
  for (const size_t n : alike->members) chosen.push_back(all[n]);
  lists_->setTabText(tab, QString("Changes (%1 of %2)").arg(chosen.size()).arg(all.size()));
  changes_.setRows(std::move(chosen));
  lists_->setCurrentWidget(changesTable_);
  changesTable_->setCurrentIndex(changes_.index(0, 0));
  changesTable_->setFocus(Qt::OtherFocusReason);
}

void PassesView::showText() {
  std::vector<DiffPair> pairs;
  pairs.reserve(content_->text.diff.rows.size());
  for (const DiffRow& row : content_->text.diff.rows) {
    // Both say "no line" with the same number.
    static_assert(DiffPair::kNone == DiffRow::kNoLine);
    pairs.push_back({row.left, row.right, pairKind(row.kind)});
  }
  // The texts alias the content: they live as long as the view shows them.
  const auto textOf = [&](const PrintedModule& printed) {
    return std::shared_ptr<const std::string>(content_, &printed.text);
  };
  text_->setTexts(textOf(content_->text.left), textOf(content_->text.right), std::move(pairs),
                  {content_->text.leftPartner, content_->text.rightPartner});
  text_->goToChange();
}

void PassesView::revealInText(const InstructionChange& change) {
  const auto go = [](TextView* view, const PrintedModule& printed, InstructionId id) {
    const size_t line = id.valid() ? printed.lineOf(id) : PrintedModule::npos;
    if (line != PrintedModule::npos) view->goTo({static_cast<uint32_t>(line), 0});
  };
  go(text_->left(), content_->text.left, change.before);
  go(text_->right(), content_->text.right, change.after);
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
  showLineage(id, inAfter);
  if (graphs_ != nullptr) graphs_->reveal(before, after);
  lookAt(id, inAfter);
}

// Where the other views show this module they go there; else the inspector alone tells of it.
void PassesView::lookAt(InstructionId id, bool inAfter) {
  const auto& module = inAfter ? content_->after : content_->before;
  const Instruction* instruction = module == nullptr ? nullptr : module->instruction(id);
  if (instruction == nullptr) return;
  const size_t step = inAfter ? contentStep_ : content_->beforeStep;
  history_->follow(step, *instruction);
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

void PassesView::selectChange(const QModelIndex& index, bool activate) {
  const InstructionChange* change = changes_.rowAt(index);
  if (change == nullptr || !content_) return;
  const bool inAfter = change->after.valid();
  const InstructionId own = inAfter ? change->after : change->before;
  const InstructionId across = acrossFrom(own, inAfter, content_->diff, content_->text);
  showLineage(own, inAfter);
  if (graphs_ != nullptr) graphs_->reveal(inAfter ? across : own, inAfter ? own : across);
  const auto& module = inAfter ? content_->after : content_->before;
  revealInText({.before = inAfter ? across : own, .after = inAfter ? own : across});
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
    return instruction == nullptr ? void() : history_->follow(step, *instruction);
  }
  // A dump's stage read for the other views is another object with the same names.
  const Instruction* there = snapshot->module->instruction(selection.instruction);
  if (there == nullptr) return;
  if (const Instruction* after = content_->after->findInstruction(there->name()))
    return history_->follow(contentStep_, *after);
  const Instruction* before =
      content_->before == nullptr ? nullptr : content_->before->findInstruction(there->name());
  if (before != nullptr) history_->follow(content_->beforeStep, *before);
}

// To the step, and there to the instruction.
void PassesView::goToHistory(const HistoryEntry& entry) {
  if (!content_ || contentStep_ != entry.step) {
    wanted_ = entry;
    return strip_->setCurrent(entry.step);
  }
  revealInText({.before = entry.before, .after = entry.id});
  if (graphs_ != nullptr) graphs_->reveal(entry.before, entry.id);
  lookAt(entry.id.valid() ? entry.id : entry.before, entry.id.valid());
}

void PassesView::take(const ViewAsk& what) {
  if (!std::holds_alternative<ShowHistory>(what)) return;
  comeToFront();
  lists_->setCurrentWidget(history_);
  followSelection(context_.bus.pointed());
}

void PassesView::step(int direction) {
  strip_->setCurrent(nextChangedStep(stripSteps_, strip_->current(), direction));
}

View* makePassesView(const ViewContext& context) { return new PassesView(context); }

}  // namespace hilo
