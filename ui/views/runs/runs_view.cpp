#include "ui/views/runs/runs_view.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/workspace/session/comparable.h"
#include "ui/models/argument_text.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr size_t kResultsShown = 3;
constexpr int kSamples = 20;  // enough for an interval, and for the slow ones to be seen
constexpr int kTimeLimitSeconds = 600;

// Their names; of many the first.
QString resultsText(const RunRecord& run) {
  QStringList names;
  for (size_t i = 0; i < std::min(run.resultNames.size(), kResultsShown); ++i)
    names << qs(run.resultNames[i]);
  QString text = names.join(", ");
  if (run.resultNames.size() > kResultsShown)
    text += QString(" and %1 more").arg(run.resultNames.size() - kResultsShown);
  return text;
}

std::vector<TableColumn<RunRecord>> runColumns() {
  const auto time = [](double fraction) {
    return [fraction](const RunRecord& r) {
      return r.timings.n() == 0 ? QString("-") : durationText(r.timings.quantileNs(fraction));
    };
  };
  const auto key = [](double fraction) {
    return [fraction](const RunRecord& r) { return static_cast<double>(r.timings.quantileNs(fraction)); };
  };
  return {
      {"run", [](const RunRecord& r) { return QString::number(r.id.value); },
       [](const RunRecord& r) { return static_cast<double>(r.id.value); }},
      {"module", [](const RunRecord& r) { return qs(r.moduleName); }},
      {"label", [](const RunRecord& r) { return qs(r.label); }},
      {"engine", [](const RunRecord& r) { return qs(r.engine); }},
      {"arguments", [](const RunRecord& r) { return qs(r.argumentsDescription); }},
      {"median", time(0.5), key(0.5)},
      {"p10", time(0.1), key(0.1)},
      {"p90", time(0.9), key(0.9)},
      {"n", [](const RunRecord& r) { return QString::number(r.timings.n()); },
       [](const RunRecord& r) { return static_cast<double>(r.timings.n()); }},
      {"output",
       [](const RunRecord& r) { return QString::number(r.outputDigest, 16).rightJustified(16, '0'); }},
      {"results", [](const RunRecord& r) { return resultsText(r); }},
      {"started (UTC)", [](const RunRecord& r) { return qs(r.startedAt); }},
      {"notes",
       [](const RunRecord& r) { return r.notes.empty() ? QString() : countOf(r.notes.size(), "note"); },
       nullptr,
       [](const RunRecord& r) {
         QStringList lines;
         for (const std::string& note : r.notes) lines << qs(note);
         return lines.join('\n');
       }},
  };
}

struct Listing {
  std::vector<RunRecord> runs;
  std::map<uint64_t, RunHistory> histories;
};

}  // namespace

RunsView::RunsView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(runColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(buildForm());
  setMinimumWidth(200);
  addMenuAction("Module", "module.run", "&Run", QKeySequence("Ctrl+R"), [this] {
    comeToFront();
    run();
  });
  addMenuAction("Module", "module.compare", "&Compare selected runs", QKeySequence("Ctrl+D"),
                [this] { compareSelected(); });
  layout->addLayout(buildMessage());
  layout->addWidget(question_);
  buildTable();
  auto* split = new QSplitter(Qt::Horizontal, this);
  history_ = new HistoryWidget(split);
  split->addWidget(table_);
  split->addWidget(history_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  layout->addWidget(split, 1);
  connect(history_, &HistoryWidget::runClicked, this, &RunsView::selectRun);
  connect(&context_.changes, &SessionChanges::currentShown, this, &RunsView::followShown);
  connect(&context_.changes, &SessionChanges::compiledShown, this, &RunsView::followShown);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &RunsView::showHistory);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &RunsView::fillAgainst);
  connect(&context_.changes, &SessionChanges::snapshotAdded, this, &RunsView::fillAgainst);
  connect(&context_.changes, &SessionChanges::storeChanged, this, &RunsView::refresh);
  refresh();
}

QLayout* RunsView::buildForm() {
  buildEngines();
  buildArguments();
  buildLimits();
  buildButtons();
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{engine_, flags_, against_, arguments_, repeat_, limits_, timeLimit_,
                                       memoryLimit_, label_, runButton_, compareButton_, nonfiniteButton_})
    bar->add(widget, widget == arguments_ || widget == label_ ? 1 : 0);
  return bar;
}

// What runs the module, and what it is run against.
void RunsView::buildEngines() {
  engine_ = new QComboBox(this);
  engine_->setAccessibleName("Engine");
  for (const EngineInfo& engine : listEngines()) {
    engine_->addItem(qs(engine.name));
    engine_->setItemData(engine_->count() - 1, qs(engine.description), Qt::ToolTipRole);
  }
  engine_->setCurrentText(qs(defaultEngine()));
  engine_->setToolTip("Engine that runs the module");
  flags_ = new QToolButton(this);
  flags_->setAccessibleName("Flags of the engine");
  flags_->setPopupMode(QToolButton::InstantPopup);
  flags_->setMenu(new QMenu(flags_));
  flags_->menu()->setToolTipsVisible(true);
  connect(engine_, &QComboBox::currentIndexChanged, this, &RunsView::fillFlags);
  fillFlags();
  against_ = new QComboBox(this);
  against_->setAccessibleName("Compared with");
  against_->setToolTip(
      "Runs another engine, or another module, on the same arguments: one sample of each in turn, so that "
      "what slows the machine for a while slows both");
  against_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  against_->setMinimumContentsLength(14);
  fillAgainst();
}

// What it runs on, how often, and what the run is called.
void RunsView::buildArguments() {
  arguments_ = new QLineEdit("seed 0", this);
  arguments_->setAccessibleName("Arguments");
  arguments_->setToolTip(kArgumentsTip);
  arguments_->setPlaceholderText("seed N, snapshot, or a .npz file");
  repeat_ = new QSpinBox(this);
  repeat_->setAccessibleName("Repeat");
  repeat_->setRange(1, 10000);
  repeat_->setValue(kSamples);
  repeat_->setSuffix(" iterations");
  label_ = new QLineEdit(this);
  label_->setAccessibleName("Label");
  label_->setPlaceholderText("label (optional)");
  connect(arguments_, &QLineEdit::returnPressed, this, &RunsView::run);
}

// What it may take; folded, for few runs have any.
void RunsView::buildLimits() {
  timeLimit_ = new QSpinBox(this);
  timeLimit_->setAccessibleName("Time limit");
  timeLimit_->setRange(0, 24 * 3600);
  timeLimit_->setSpecialValueText("no time limit");
  timeLimit_->setSuffix(" s");
  timeLimit_->setValue(kTimeLimitSeconds);
  timeLimit_->setToolTip("End a run that takes longer, and say what it was at");
  memoryLimit_ = new QDoubleSpinBox(this);
  memoryLimit_->setAccessibleName("Memory limit");
  memoryLimit_->setRange(0, 1'000'000);
  memoryLimit_->setDecimals(3);
  memoryLimit_->setSpecialValueText("no memory limit");
  memoryLimit_->setSuffix(" GB");
  memoryLimit_->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
  memoryLimit_->setToolTip(
      "Refuse a run of compiled code whose buffers and exchanges take more; without one as much as the "
      "machine has");
  limits_ = new QToolButton(this);
  limits_->setAccessibleName("Limits of the run");
  limits_->setCheckable(true);
  limits_->setToolTip("The time and the memory that a run may take");
  for (QWidget* box : std::initializer_list<QWidget*>{timeLimit_, memoryLimit_}) {
    box->hide();
    connect(limits_, &QToolButton::toggled, box, &QWidget::setVisible);
  }
  connect(timeLimit_, &QSpinBox::valueChanged, this, &RunsView::sayLimits);
  connect(memoryLimit_, &QDoubleSpinBox::valueChanged, this, &RunsView::sayLimits);
  sayLimits();
}

void RunsView::sayLimits() {
  QStringList set;
  if (timeLimit_->value() > 0) set << timeLimit_->text();
  if (memoryLimit_->value() > 0) set << memoryLimit_->text();
  limits_->setText(set.isEmpty() ? QStringLiteral("Limits") : QStringLiteral("at most ") + set.join(", "));
}

void RunsView::buildButtons() {
  runButton_ = new QPushButton("Run", this);
  runButton_->setToolTip("Run the module that is shown and keep the result");
  compareButton_ = new QPushButton("Compare", this);
  compareButton_->setToolTip("Compare the two selected runs");
  compareButton_->setEnabled(false);
  nonfiniteButton_ = new QPushButton("First NaN or Inf", this);
  nonfiniteButton_->setToolTip(
      "Go to the first instruction that makes a NaN or an infinity of finite operands");
  connect(runButton_, &QPushButton::clicked, this, &RunsView::run);
  connect(compareButton_, &QPushButton::clicked, this, &RunsView::compareSelected);
  connect(nonfiniteButton_, &QPushButton::clicked, this, [this] { context_.bus.ask(FindNonfinite{}); });
}

// What is under way, and what came of it.
QLayout* RunsView::buildMessage() {
  progress_ = new JobProgress(context_.jobs, "End the run and the process it is in", this);
  progress_->setContentsMargins(kSpaceSmall, 0, 0, kSpaceSmall);
  message_ = new MessageLine(ColourRole::kTextDim, this);
  question_ = new RunQuestion(context_.jobs, this);
  connect(question_, &RunQuestion::asked, this, [this] {
    progress_->setJob({});
    say({});
  });
  connect(question_, &RunQuestion::declined, this, [this] { say("Not run."); });
  auto* line = new QHBoxLayout;
  line->setSpacing(0);
  line->addWidget(progress_);
  line->addWidget(message_, 1);
  return line;
}

void RunsView::fillFlags() {
  flags_->menu()->clear();
  const auto engines = listEngines();
  const auto at = static_cast<size_t>(std::max(0, engine_->currentIndex()));
  for (const auto& [name, description] : engines[at].flags) {
    QAction* action = flags_->menu()->addAction(qs(name));
    action->setCheckable(true);
    action->setToolTip(qs(description));
    connect(action, &QAction::toggled, this, &RunsView::sayFlags);
  }
  flags_->setEnabled(engine_->isEnabled() && !engines[at].flags.empty());
  sayFlags();
}

QStringList RunsView::chosenFlags() const {
  QStringList chosen;
  for (const QAction* action : flags_->menu()->actions()) {
    if (action->isChecked()) chosen << action->text();
  }
  return chosen;
}

void RunsView::sayFlags() {
  const QStringList chosen = chosenFlags();
  flags_->setText(chosen.size() == 1 ? chosen[0]
                  : chosen.isEmpty() ? QStringLiteral("Flags")
                                     : QStringLiteral("%1 flags").arg(chosen.size()));
  flags_->setToolTip(chosen.isEmpty()
                         ? QStringLiteral("How the engine compiles: what it can be told")
                         : QStringLiteral("The engine is told: ") + chosen.join(QStringLiteral(", ")));
}

QString RunsView::engine() const {
  const QStringList chosen = chosenFlags();
  return engine_->currentText() + (chosen.isEmpty() ? QString() : u':' + chosen.join(u'+'));
}

void RunsView::buildTable() {
  table_ = new TableView(this);
  table_->setAccessibleName("Runs");
  table_->setModel(&model_);
  table_->setColumnWidths({5, 22, 14, 10, 12, 9, 9, 9, 4, 18, 16, 22});
  table_->setEmptyText(
      "No runs yet.\nOpen a module and press Run: the engine cpu compiles it for this processor. "
      "Select two runs to compare them.");
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    compareButton_->setEnabled(selectedRuns().size() == 2);
    tellSelected();
  });
  connect(table_, &TableView::currentRowChanged, this, &RunsView::showHistory);
  connect(table_, &QAbstractItemView::activated, this, [this] {
    if (selectedRuns().size() == 2) compareSelected();
  });
  auto* remove = new QAction("Remove", table_);
  remove->setShortcut(Qt::Key_Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  connect(remove, &QAction::triggered, this, &RunsView::removeSelected);
  table_->addAction(remove);
}

void RunsView::say(const QString& text, bool isError) { message_->say(text, isError); }

std::optional<RunRequest> RunsView::requestOfShown() const {
  const Document* compiled = context_.session.shownCompiled();
  const Snapshot* snapshot = compiled != nullptr ? nullptr : context_.session.current();
  const bool isRunnable = compiled != nullptr ? compiled->program != nullptr : snapshot != nullptr;
  if (!isRunnable) return std::nullopt;
  RunRequest request{
      .engine = toStd(engine()),
      .arguments = argumentSourceOf(arguments_->text(), snapshot == nullptr ? nullptr : snapshot->file.get()),
      .repeat = repeat_->value(),
      .label = toStd(label_->text()),
      .worker = context_.session.runs().worker(),
      .timesThunks = true};
  if (compiled != nullptr) {
    request.program = compiled->program;
    request.engine = "program";
  } else {
    request.module = snapshot->module;
    if (snapshot->file != nullptr) request.source = snapshot->file->path;
  }
  request.worker->timeLimitNs = int64_t{timeLimit_->value()} * 1'000'000'000;
  if (memoryLimit_->value() > 0)
    request.worker->memoryLimitBytes = static_cast<int64_t>(memoryLimit_->value() * 1e9);
  if (request.label.empty()) request.label = compiled != nullptr ? compiled->title : snapshot->title;
  return request;
}

// A program is compiled already: there is no engine to choose, and no module to look into.
void RunsView::followShown() {
  const bool isModule = context_.session.shownCompiled() == nullptr;
  for (QWidget* widget : std::initializer_list<QWidget*>{engine_, against_, nonfiniteButton_})
    widget->setEnabled(isModule);
  flags_->setEnabled(isModule && !flags_->menu()->isEmpty());
  const auto request = requestOfShown();
  if (request) arguments_->setToolTip(argumentsTip(parametersOf(*request)));
}

void RunsView::fillAgainst() {
  const QString before = against_->currentText();
  others_ = comparable(context_.session);
  against_->clear();
  against_->addItem("no comparison");
  for (const EngineInfo& engine : listEngines()) against_->addItem("against " + qs(engine.name));
  for (const auto& [title, step] : others_) against_->addItem("against " + qs(title));
  against_->setCurrentIndex(std::max(0, against_->findText(before)));
}

// What the second of two runs taken in turns is, made in the job: a module may have to be read. Empty:
// there is none.
std::function<Result<RunRequest>()> RunsView::otherSide(const RunRequest& first) const {
  const auto engines = listEngines();
  const auto at = static_cast<size_t>(std::max(0, against_->currentIndex()));
  if (at == 0) return nullptr;
  RunRequest other = first;
  if (at <= engines.size()) {
    other.engine = engines[at - 1].name;
    return [other]() -> Result<RunRequest> { return other; };
  }
  const auto& [title, step] = others_[at - 1 - engines.size()];
  other.label = title;
  other.source.clear();
  return [other, step = step]() mutable -> Result<RunRequest> {
    TRY(other.module, step.module());
    return other;
  };
}

void RunsView::run() {
  const std::optional<RunRequest> asked = requestOfShown();
  if (!asked && context_.session.shownCompiled() != nullptr)
    return say("XLA's thunks are shown as they were written: open their module to run it.", true);
  if (!asked) return say("Open a module first: the module that is shown is what runs.", true);
  const RunRequest& request = *asked;
  if (request.program && against_->currentIndex() > 0)
    return say("A saved program runs alone: compare its run with another one in the list.", true);
  say(QString("Running %1 on %2 ...").arg(qs(request.label), qs(request.engine)));
  std::vector<RunRequest> sides{request};
  const auto engines = listEngines();
  const auto other = static_cast<size_t>(std::max(0, against_->currentIndex()));
  if (other > 0 && other <= engines.size()) {
    sides.push_back(request);
    sides.back().engine = engines[other - 1].name;
  }
  progress_->setJob(question_->ask(std::move(sides), [this, request] { start(request); }));
}

void RunsView::start(const RunRequest& request) {
  const ValueRequest values{.module = request.module,
                            .engine = request.engine,
                            .arguments = request.arguments,
                            .worker = request.worker};
  say(QString("Running %1 on %2 ...").arg(qs(request.label), qs(request.engine)));
  progress_->setJob(context_.jobs.submit(
      "run", "Run " + request.label + " on " + request.engine,
      [request, other = otherSide(request), arguments = toStd(arguments_->text().trimmed()),
       shared = context_.session.file().store()](JobContext& job) -> Result<std::vector<RunRecord>> {
        std::vector<RunRequest> sides{request};
        if (other) {
          TRY(RunRequest second, other());
          // Both on the same arguments.
          TRY(sides[0].arguments, settleArguments(*request.module, request.arguments, job));
          second.arguments = sides[0].arguments;
          sides.push_back(std::move(second));
        }
        TRY(std::vector<RunRecord> records, executeInTurns(sides, job));
        TRY(const auto store, shared->get());
        for (RunRecord& record : records) {
          if (other) record.argumentsDescription = arguments;
          TRY(record.id, store->add(record));
        }
        return records;
      },
      [this, values](Result<std::vector<RunRecord>> records) {
        progress_->setJob({});
        records ? noteDone(std::move(*records), values) : noteFailed(records.error());
      },
      &scope_));
}

void RunsView::noteDone(std::vector<RunRecord> records, const ValueRequest& asked) {
  if (asked.module != nullptr) context_.session.runs().noteRun(asked);
  QStringList lines;
  for (const RunRecord& record : records) {
    const auto interval = record.timings.medianIntervalNs();
    lines << QString("Run %1 on %2 took %3%4 (median of %5).")
                 .arg(record.id.value)
                 .arg(qs(record.engine), durationText(record.timings.medianNs()),
                      interval ? QString(", %1 to %2 with 95% confidence")
                                     .arg(durationText(interval->low), durationText(interval->high))
                               : QString())
                 .arg(record.timings.n());
  }
  say(lines.join("\n"));
  refresh();
  if (records.size() < 2) return;
  context_.session.runs().compare(std::move(records[0]), std::move(records[1]), /*inTurns=*/true);
  context_.bus.ask(ShowView{"compare"});
}

void RunsView::noteFailed(const Diagnostic& why) {
  if (why.kind == "cancelled") return say("Stopped.");
  message_->sayWhy(why);
  context_.bus.ask(RunFailed{message_->text()});
}

void RunsView::refresh() {
  context_.jobs.submit(
      "runs.list", "List runs",
      [shared = context_.session.file().store()](JobContext&) -> Result<Listing> {
        TRY(const auto store, shared->get());
        TRY(auto runs, store->list());
        auto histories = historiesOf(runs);
        return Listing{std::move(runs), std::move(histories)};
      },
      [this](Result<Listing> listing) {
        if (!listing) return say(qs(listing.error().message), true);
        histories_ = std::move(listing->histories);
        model_.setRows(std::move(listing->runs));
        showHistory();
        compareButton_->setEnabled(selectedRuns().size() == 2);
      },
      &scope_);
}

void RunsView::showHistory() {
  const RunRecord* current = model_.rowAt(table_->currentIndex());
  const Snapshot* shown = context_.session.current();
  const auto& runs = model_.rows();
  if (current == nullptr && shown != nullptr) {
    const auto ofShown = std::ranges::find(runs, std::string(shown->module->name()), &RunRecord::moduleName);
    if (ofShown != runs.end()) current = &*ofShown;
  }
  if (current == nullptr && !runs.empty())
    current = &*std::ranges::max_element(runs, {}, [](const RunRecord& run) { return run.id.value; });
  const auto found = current == nullptr ? histories_.end() : histories_.find(current->moduleHash);
  history_->setHistory(found == histories_.end() ? RunHistory() : found->second);
  history_->setCurrent(current == nullptr ? RunId() : current->id);
}

void RunsView::selectRun(RunId run) {
  for (int row = 0; row < model_.rowCount(); ++row) {
    if (model_.rows()[static_cast<size_t>(row)].id == run)
      return table_->setCurrentIndex(model_.index(row, 0));
  }
}

void RunsView::tellSelected() {
  const std::vector<RunId> ids = selectedRuns();
  context_.jobs.cancelTag("runs.times");
  if (ids.size() != 1) return context_.bus.ask(RunSelected{});
  context_.jobs.submit(
      "runs.times", "Read the times of a run",
      [id = ids[0], shared = context_.session.file().store()](JobContext&) -> Result<RunRecord> {
        TRY(const auto store, shared->get());
        return store->get(id);
      },
      [this](Result<RunRecord> run) {
        if (!run) return say(qs(run.error().message), true);
        context_.bus.ask(RunSelected{std::make_shared<const RunRecord>(std::move(*run))});
      },
      &scope_);
}

std::vector<RunId> RunsView::selectedRuns() const {
  std::vector<RunId> ids;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    if (const RunRecord* run = model_.rowAt(index)) ids.push_back(run->id);
  }
  std::ranges::sort(ids);
  return ids;
}

void RunsView::compareSelected() {
  const std::vector<RunId> ids = selectedRuns();
  if (ids.size() != 2) return say("Select two runs (Ctrl+click) to compare them.");
  context_.jobs.submit(
      "runs.pair", "Read two runs",
      [ids,
       shared = context_.session.file().store()](JobContext&) -> Result<std::pair<RunRecord, RunRecord>> {
        TRY(const auto store, shared->get());
        TRY(RunRecord a, store->get(ids[0]));
        TRY(RunRecord b, store->get(ids[1]));
        return std::pair(std::move(a), std::move(b));
      },
      [this](Result<std::pair<RunRecord, RunRecord>> pair) {
        if (!pair) return say(qs(pair.error().message), true);
        context_.session.runs().compare(std::move(pair->first), std::move(pair->second));
        context_.bus.ask(ShowView{"compare"});
      },
      &scope_);
}

void RunsView::removeSelected() {
  context_.jobs.submit(
      "", "Remove runs",
      [ids = selectedRuns(), shared = context_.session.file().store()](JobContext&) -> Status {
        TRY(const auto store, shared->get());
        for (RunId id : ids) TRY_STATUS(store->remove(id));
        return {};
      },
      [this](Status done) {
        if (!done) say(qs(done.error().message), true);
        refresh();
      },
      &scope_);
}

View* makeRunsView(const ViewContext& context) { return new RunsView(context); }

}  // namespace hilo
