#include "ui/views/values/values_view.h"

#include <QHBoxLayout>
#include <QRegularExpression>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/workspace/run/engines.h"
#include "ui/models/argument_text.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr const char* kOffer =
    "<b>Not evaluated.</b><br>Press <b>Evaluate</b> to see what each instruction computes: its min, "
    "max and mean, a histogram, every element; what fusions and loops compute too.";

QString pathText(const std::vector<std::string>& path) {
  QStringList steps;
  for (const std::string& step : path) steps << qs(step);
  return steps.join(" > ");
}

// Of the innermost loop.
int turnOf(const std::vector<std::string>& path) {
  static const QRegularExpression kTurn("\\(turn (\\d+)\\)");
  int turn = 0;
  for (const std::string& step : path) {
    if (const auto match = kTurn.match(qs(step)); match.hasMatch()) turn = match.captured(1).toInt();
  }
  return turn;
}

}  // namespace

ValuesView::ValuesView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(valueColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(buildForm());
  layout->addLayout(buildMessage());
  layout->addWidget(question_);
  auto* split = new QSplitter(Qt::Horizontal, this);
  split->setChildrenCollapsible(false);
  split->addWidget(buildTable());
  details_ = new ValueDetails(context_.jobs, split);
  split->addWidget(details_);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 1);
  split->setSizes({720, 520});
  layout->addWidget(split, 1);
  setMinimumWidth(200);
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &ValuesView::follow);
  connect(&context_.changes, &SessionChanges::currentShown, this, &ValuesView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
  const auto refreshShown = [this](SnapshotId id, ResultKind kind) {
    if (kind != ResultKind::Values && kind != ResultKind::Divergence) return;
    const Snapshot* current = context_.session.current();
    if (current == nullptr || current->id != id) return;
    progress_->setJob({});
    reached_ = nullptr;
    shown_ = {};
    refresh();
  };
  connect(&context_.changes, &SessionChanges::resultReady, this, refreshShown);
  connect(&context_.changes, &SessionChanges::failed, this,
          [this](const QString& what, const Diagnostic& why) {
            if (what == "Values could not be computed") sayWhy(why);
          });
}

QLayout* ValuesView::buildForm() {
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  engine_ = new QComboBox(this);
  engine_->setAccessibleName("Engine whose values are shown");
  other_ = new QComboBox(this);
  other_->setAccessibleName("Engine to compare with");
  for (const EngineInfo& engine : listEngines()) {
    for (QComboBox* box : {engine_, other_}) {
      box->addItem(qs(engine.name));
      box->setItemData(box->count() - 1, qs(engine.description), Qt::ToolTipRole);
    }
  }
  engine_->setToolTip("Engine whose values are shown, and count as true when engines are compared");
  other_->setToolTip("Engine that is compared with it");
  engine_->setCurrentText("reference");
  other_->setCurrentText(qs(defaultEngine()));
  arguments_ = new QLineEdit("seed 0", this);
  arguments_->setAccessibleName("Arguments");
  arguments_->setToolTip(kArgumentsTip);
  arguments_->setPlaceholderText("seed N, snapshot, or a .npz file");
  ask_ = new QPushButton("Evaluate", this);
  ask_->setToolTip("Work out what every instruction of the module computes");
  nonfinite_ = new QPushButton("First NaN or Inf", this);
  nonfinite_->setToolTip("Go to the first instruction that makes a NaN or an infinity of finite operands");
  divergence_ = new QPushButton("First divergence from", this);
  divergence_->setToolTip(
      "Go to the first instruction whose result differs between the two engines, inside fusions and loops "
      "too");
  for (QWidget* widget :
       std::initializer_list<QWidget*>{engine_, arguments_, ask_, nonfinite_, divergence_, other_})
    bar->add(widget, widget == arguments_ ? 1 : 0);
  const auto askAgreed = [this] { whenAgreed({engine_->currentText()}, [this] { ask(); }); };
  connect(ask_, &QPushButton::clicked, this, askAgreed);
  connect(arguments_, &QLineEdit::returnPressed, this, askAgreed);
  connect(nonfinite_, &QPushButton::clicked, this,
          [this] { whenAgreed({engine_->currentText()}, [this] { findNonfinite(); }); });
  connect(divergence_, &QPushButton::clicked, this, [this] {
    const QString truth = engine_->currentText(), engine = other_->currentText();
    whenAgreed({truth, engine}, [this, truth, engine] { findDivergence(truth, engine); });
  });
  return bar;
}

// What is under way, and what came of it.
QLayout* ValuesView::buildMessage() {
  progress_ = new JobProgress(context_.jobs, "Stop what is being computed", this);
  progress_->setContentsMargins(kSpaceSmall, 0, 0, kSpaceSmall);
  message_ = new MessageLine(ColourRole::kText, this);
  message_->setAccessibleName("What was found");
  question_ = new RunQuestion(context_.jobs, this);
  connect(question_, &RunQuestion::asked, this, [this] {
    progress_->setJob({});
    say({});
  });
  connect(question_, &RunQuestion::declined, this, [this] { say("Not evaluated."); });
  auto* line = new QHBoxLayout;
  line->setSpacing(0);
  line->addWidget(progress_);
  line->addWidget(message_, 1);
  connect(progress_, &JobProgress::told, this, [this](const QString& text) { say(doing_ + ": " + text); });
  connect(progress_, &JobProgress::cancelled, this, [this] { say("Stopped."); });
  return line;
}

QWidget* ValuesView::buildTable() {
  auto* side = new QWidget(this);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(kSpace, 0, kSpace, 0);
  place_ = new ElidedLabel(side);
  place_->setAccessibleName("Whose values these are");
  turn_ = new QSpinBox(side);
  turn_->setAccessibleName("Turn of the loop");
  turn_->setPrefix("turn ");
  turn_->setRange(0, 1'000'000);
  turn_->setKeyboardTracking(false);
  turn_->hide();
  line->addWidget(place_, 1);
  line->addWidget(turn_);
  layout->addLayout(line);
  table_ = new TableView(side);
  table_->setAccessibleName("Values of instructions");
  table_->setModel(&model_);
  table_->setColumnWidths({24, 13, 18, 13, 13, 13, 12, 12, 12, 9});  // counts are read whole
  table_->setEmptyText("Open a module to see what each instruction computes.");
  model_.setForeground([this](const ValueRow& row) -> QVariant {
    return isSuspect(row) ? QVariant(themeOf(*this).colour(ColourRole::kError)) : QVariant();
  });
  layout->addWidget(table_, 1);
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    const ValueRow* row = model_.rowAt(index);
    const Snapshot* snapshot = shown();
    if (row == nullptr || snapshot == nullptr || telling_) return;
    if (const Instruction* instruction = snapshot->module->instruction(InstructionId{row->value.instruction}))
      context_.bus.select(selectionOf(*snapshot, *instruction));
  });
  connect(turn_, &QSpinBox::valueChanged, this, [this] {
    const Snapshot* snapshot = shown();
    const Instruction* selected =
        snapshot == nullptr ? nullptr : instructionOf(*snapshot->module, context_.bus.selected());
    if (selected == nullptr || telling_) return;
    wantedTurn_ = turn_->value();
    reach(*selected);
  });
  return side;
}

void ValuesView::say(const QString& text, bool isError) { message_->say(text, isError); }

void ValuesView::sayWhy(const Diagnostic& why) {
  if (why.kind == "cancelled") return;
  progress_->setJob({});
  say(lineOf(why), true);
}

void ValuesView::setBusy(const QString& doing, JobId job) {
  doing_ = doing;
  say(doing + " …");
  progress_->setJob(job);
}

ValueRequest ValuesView::requestOf(const Snapshot& snapshot) const {
  return {.module = snapshot.module,
          .engine = toStd(engine_->currentText()),
          .arguments = argumentSourceOf(arguments_->text(), snapshot.file.get()),
          .worker = context_.session.runs().worker()};
}

void ValuesView::ask() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return say("Open a module first.", true);
  setBusy("Computing the values", context_.session.requestValues(snapshot->id, requestOf(*snapshot)));
}

void ValuesView::whenAgreed(const QStringList& engines, std::function<void()> go) {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return say("Open a module first.", true);
  std::vector<RunRequest> runs;
  for (const QString& engine : engines)
    runs.push_back(
        {.module = snapshot->module, .engine = toStd(engine), .worker = context_.session.runs().worker()});
  setBusy("Estimating", question_->ask(std::move(runs), std::move(go)));
}

void ValuesView::findNonfinite() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return say("Open a module first.", true);
  const JobId job = context_.jobs.submit(
      "values", "First NaN or Inf of " + snapshot->title,
      [request = requestOf(*snapshot)](JobContext& job) { return findNonfiniteOrigin(request, job); },
      [this, of = snapshot->id](Result<NonfiniteOrigin> origin) {
        if (!origin) return sayWhy(origin.error());
        progress_->setJob({});
        QStringList notes;
        for (const std::string& note : origin->notes) notes << qs(note);
        if (!origin->found) {
          context_.session.setFinding(std::nullopt);
          return say(notes.isEmpty() ? QString("All values are finite.") : notes.join("; "));
        }
        QStringList operands;
        for (const std::string& operand : origin->operands) operands << qs(operand);
        find(
            of, origin->path, InstructionId{origin->instruction},
            QString("makes %1 NaN and %2 Inf of finite operands, the first %3; operands %4")
                .arg(countText(origin->nan), countText(origin->inf), qs(origin->first), operands.join(", ")));
      },
      &scope_);
  setBusy("Looking for the first NaN or infinity", job);
}

void ValuesView::findDivergence(const QString& truth, const QString& engine,
                                std::optional<ArgumentSource> arguments) {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return say("Open a module first.", true);
  DivergenceRequest request{.truth = requestOf(*snapshot), .engine = toStd(engine)};
  request.truth.engine = toStd(truth);
  if (arguments) request.truth.arguments = *std::move(arguments);
  const JobId job = context_.jobs.submit(
      "values", "First divergence in " + snapshot->title,
      [request](JobContext& job) { return findFirstDivergence(request, job); },
      [this, truth, engine, id = snapshot->id](Result<Divergence> divergence) {
        if (!divergence) return sayWhy(divergence.error());
        progress_->setJob({});
        const Divergence found = *divergence;
        context_.session.setResult<ResultKind::Divergence>(
            id, std::make_shared<const Divergence>(*std::move(divergence)));
        if (!found.found) {
          context_.session.setFinding(std::nullopt);
          return say(QString("%1 agrees with %2 on every one of %3.")
                         .arg(engine, truth, countOf(found.steps.size(), "instruction")));
        }
        const LeafComparison& worst = found.step.worst;
        find(id, found.path, InstructionId{found.step.instruction},
             QString("%1 diverges from %2%3: %4 of %5 elements, max abs %6, %7 ULP, the first %8")
                 .arg(engine, truth, found.onTrueOperands ? "" : " (computed from the arguments on)",
                      countText(worst.mismatches), countText(worst.elements), numberText(worst.maxAbsError),
                      numberText(worst.maxUlpError), qs(worst.firstMismatch)));
      },
      &scope_);
  setBusy(QString("Comparing %1 with %2").arg(engine, truth), job);
}

// Marks the place in all views and goes there.
void ValuesView::find(SnapshotId of, const std::vector<std::string>& path, InstructionId id,
                      const QString& text) {
  say(pathText(path) + ": " + text);
  const Snapshot* snapshot = context_.session.snapshot(of);
  const Instruction* instruction = snapshot == nullptr ? nullptr : snapshot->module->instruction(id);
  if (instruction == nullptr) return;
  context_.session.setCurrent(of);  // another module may have been shown meanwhile
  Finding finding{snapshot->id, id, toStd(text), {}};
  for (const std::string& step : path) {
    const Instruction* caller = snapshot->module->findInstruction(step.substr(0, step.find(' ')));
    if (caller != nullptr && caller != instruction) finding.through.push_back(caller->id());
  }
  context_.session.setFinding(std::move(finding));
  context_.bus.activate(selectionOf(*snapshot, *instruction));
  // The turn it was found in, which following the selection knows nothing of.
  wantedTurn_ = turnOf(path);
  reach(*instruction);
}

void ValuesView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void ValuesView::refresh() {
  const Snapshot* snapshot = context_.session.current();
  const SnapshotId id = snapshot == nullptr ? SnapshotId() : snapshot->id;
  if (id == shown_ && (reached_ != nullptr || listed_.valid())) return;
  const auto& finding = context_.session.finding();
  if (id != shown_) say(finding && finding->snapshot == id ? qs(finding->text) : QString());
  shown_ = id;
  reached_ = nullptr;
  listed_ = {};
  ask_->setEnabled(snapshot != nullptr);
  nonfinite_->setEnabled(snapshot != nullptr);
  divergence_->setEnabled(snapshot != nullptr);
  const auto values = context_.session.result<ResultKind::Values>(id);
  if (values == nullptr) {
    model_.setRows({});
    place_->clear();
    turn_->hide();
    showValue({});
    if (snapshot == nullptr || snapshot->module->entry() == nullptr) return;
    details_->clear(kOffer);
    listInstructions(snapshot->module->entry()->id());
    return follow(context_.bus.selected());
  }
  showComputation({values, &values->entry()});
  showValue({});
  follow(context_.bus.selected());
}

void ValuesView::follow(const Selection& selection) {
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  if (snapshot == nullptr || snapshot->id != shown_) return;
  const Instruction* instruction = instructionOf(*snapshot->module, selection);
  if (instruction == nullptr) return;
  if (reached_ == nullptr) {
    if (instruction->parent().id() != listed_) return listInstructions(instruction->parent().id());
    return showRow(instruction->id());
  }
  if (instruction->parent().id() != reached_->computation) return reach(*instruction);
  showValue(instruction->id());
}

void ValuesView::listInstructions(ComputationId computation) {
  const Snapshot* snapshot = shown();
  if (snapshot == nullptr || !isVisible()) return;
  listed_ = computation;
  context_.jobs.submit(
      "values.list", "List instructions",
      [module = snapshot->module, computation](JobContext&) -> Result<std::vector<ValueRow>> {
        return rowsWithoutValues(*module->computation(computation));
      },
      [this, module = snapshot->module, computation](Result<std::vector<ValueRow>> rows) {
        const Snapshot* now = shown();
        if (!rows || now == nullptr || now->module != module || reached_ != nullptr || computation != listed_)
          return;
        model_.setRows(std::move(*rows));
        const bool isEntry = module->entry() != nullptr && module->entry()->id() == computation;
        place_->setText((isEntry ? QString("entry") : qs(module->computation(computation)->name())) +
                        ", not run yet");
        showRow(context_.bus.selected().instruction);
      },
      &scope_);
}

// Makes the instruction's row the current one.
void ValuesView::showRow(InstructionId id) {
  telling_ = true;
  for (int row = 0; row < model_.rowCount(); ++row) {
    if (model_.rowAt(model_.index(row, 0))->value.instruction == id.value)
      table_->setCurrentIndex(model_.index(row, 0));
  }
  telling_ = false;
}

// The values of the computation an instruction is in, by the way from the entry to it.
void ValuesView::reach(const Instruction& instruction) {
  const Snapshot* snapshot = shown();
  const int turn = std::exchange(wantedTurn_, 0);
  const auto values = context_.session.result<ResultKind::Values>(shown_);
  if (snapshot == nullptr || values == nullptr) return;
  context_.jobs.submit(
      "values.reach", "Values inside of " + std::string(instruction.parent().name()),
      [values, computation = instruction.parent().id(), turn](JobContext& job) {
        return values->reach(computation, turn, job);
      },
      [this, id = instruction.id(), of = shown_](Result<std::shared_ptr<const ReachedValues>> reached) {
        if (of != shown_) return;
        if (!reached) {
          showValue({});
          // What was found there is said already.
          const auto& finding = context_.session.finding();
          if (!finding || finding->instruction != id) sayWhy(reached.error());
          return;
        }
        if (message_->saysError()) say({});
        showComputation(std::move(*reached));
        showValue(id);
      },
      &scope_);
}

void ValuesView::showComputation(std::shared_ptr<const ReachedValues> reached) {
  reached_ = std::move(reached);
  listed_ = {};
  const Snapshot* snapshot = shown();
  absl::flat_hash_map<uint32_t, double> ulps;
  if (const auto divergence = context_.session.result<ResultKind::Divergence>(snapshot->id)) {
    for (const StepComparison& step : divergence->steps) ulps[step.instruction] = step.worst.maxUlpError;
  }
  std::vector<ValueRow> rows;
  for (const InstructionValue& value : reached_->values) {
    const auto ulp = ulps.find(value.instruction);
    rows.push_back({value, overDevices(value), ulp == ulps.end() ? -1 : ulp->second});
  }
  telling_ = true;
  model_.setRows(std::move(rows));
  turn_->setVisible(pathText(reached_->path).contains("(turn "));
  turn_->setValue(turnOf(reached_->path));
  telling_ = false;
  const QString by = qs(context_.session.result<ResultKind::Values>(snapshot->id)->request().engine);
  place_->setText(reached_->path.empty() ? "entry, by " + by : pathText(reached_->path) + ", by " + by);
}

void ValuesView::showValue(InstructionId id) {
  if (reached_ != nullptr && id.valid() && reached_->find(id) != nullptr) showRow(id);
  details_->showValue(reached_, id);
}

void ValuesView::take(const ViewAsk& what) {
  if (std::holds_alternative<FindNonfinite>(what)) {
    comeToFront();
    findNonfinite();
  } else if (const auto* asked = std::get_if<FindDivergence>(&what)) {
    comeToFront();
    findDivergence(asked->truth, asked->engine, asked->arguments);
  }
}

Status ValuesView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  if (request.run) ask();
  TRY_STATUS(steps.wait());
  if (request.query == "nan") findNonfinite();
  if (request.query == "divergence") findDivergence("reference", qs(defaultEngine()));
  return steps.wait();
}

QString ValuesView::pictureOptions() const {
  const Snapshot* current = context_.session.current();
  return current != nullptr && context_.session.result<ResultKind::Values>(current->id) != nullptr
             ? "--run"
             : QString();
}

View* makeValuesView(const ViewContext& context) { return new ValuesView(context); }

}  // namespace hilo
