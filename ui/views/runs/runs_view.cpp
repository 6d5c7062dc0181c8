#include "ui/views/runs/runs_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "core/workspace/run/fitting_engine.h"
#include "core/workspace/run/run_estimate.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

// Of check mode: what it told of the runs, or what ended one.
Diagnostics findingsOf(const Result<std::vector<RunRecord>>& records) {
  if (!records)
    return records.error().place.instruction.empty() ? Diagnostics() : Diagnostics{records.error()};
  Diagnostics findings;
  for (const RunRecord& record : *records) std::ranges::copy(record.findings, std::back_inserter(findings));
  return findings;
}

}  // namespace

RunsView::RunsView(const ViewContext& context, QWidget* parent) : View(context, parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  form_ = new RunForm(context_.session, this);
  layout->addWidget(form_);
  setMinimumWidth(200);
  layout->addLayout(buildMessage());
  layout->addWidget(question_);
  list_ = new RunList(context, this);
  layout->addWidget(list_, 1);
  connectParts();
}

void RunsView::connectParts() {
  addMenuAction("Module", "module.run", "&Run", QKeySequence("Ctrl+R"), [this] {
    comeToFront();
    run();
  });
  addMenuAction("Module", "module.compare", "&Compare selected runs", QKeySequence("Ctrl+D"),
                [this] { list_->compareSelected(); });
  connect(form_, &RunForm::runAsked, this, &RunsView::run);
  connect(&form_->compareButton(), &QPushButton::clicked, list_, &RunList::compareSelected);
  connect(&form_->nonfiniteButton(), &QPushButton::clicked, this,
          [this] { context_.bus.ask(FindNonfinite{}); });
  connect(list_, &RunList::said, this, &RunsView::say);
  connect(list_, &RunList::selectionChanged, this,
          [this] { form_->compareButton().setEnabled(list_->selectedRuns().size() == 2); });
  connect(&context_.changes, &SessionChanges::currentShown, form_, &RunForm::followShown);
  connect(&context_.changes, &SessionChanges::compiledShown, form_, &RunForm::followShown);
  connect(&context_.changes, &SessionChanges::currentShown, this, &RunsView::findEngine);
  connect(&context_.changes, &SessionChanges::currentChanged, form_, &RunForm::fillAgainst);
  connect(&context_.changes, &SessionChanges::snapshotAdded, form_, &RunForm::fillAgainst);
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

void RunsView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  findEngine();
}

// The module that is shown may be one that the default engine cannot run.
void RunsView::findEngine() {
  const Snapshot* snapshot =
      context_.session.shownCompiled() != nullptr ? nullptr : context_.session.current();
  if (!isVisible() || snapshot == nullptr || snapshot->id == fitted_) return;
  fitted_ = snapshot->id;
  context_.jobs.submit(
      "fitting-engine", "Find the engine for " + snapshot->title,
      [module = snapshot->module](const JobContext&) -> Result<FittingEngine> {
        return fittingEngine(*module);
      },
      [this, of = snapshot->id](const Result<FittingEngine>& fitting) {
        if (fitting && of == fitted_ && form_->offerEngine(qs(fitting->name))) say(qs(fitting->note()));
      },
      &scope_);
}

void RunsView::say(const QString& text, bool isError) { message_->say(text, isError); }

void RunsView::run() {
  const std::optional<RunRequest> asked = form_->request();
  if (!asked && context_.session.shownCompiled() != nullptr)
    return say("XLA's thunks are shown as they were written: open their module to run it.", true);
  if (!asked) return say("Open a module first: the module that is shown is what runs.", true);
  const RunRequest& request = *asked;
  if (request.program && form_->isCompared())
    return say("A saved program runs alone: compare its run with another one in the list.", true);
  say(QString("Running %1 on %2 ...").arg(qs(request.label), qs(request.engine)));
  std::vector<RunRequest> sides{request};
  if (const auto other = form_->otherEngine()) {
    sides.push_back(request);
    sides.back().engine = *other;
  }
  progress_->setJob(question_->ask(std::move(sides), [this, request] { start(request); }));
}

void RunsView::start(const RunRequest& request) {
  const ValueRequest values{.module = request.module,
                            .engine = request.engine,
                            .arguments = request.arguments,
                            .worker = request.worker};
  const SnapshotId of =
      request.program || !context_.session.current() ? SnapshotId() : context_.session.current()->id;
  say(QString("Running %1 on %2 ...").arg(qs(request.label), qs(request.engine)));
  progress_->setJob(context_.jobs.submit(
      "run", "Run " + request.label + " on " + request.engine,
      [request, first = form_->firstSide(request), other = form_->otherSide(),
       arguments = toStd(form_->arguments().text().trimmed()),
       shared = context_.session.file().store()](JobContext& job) -> Result<std::vector<RunRecord>> {
        std::vector<RunRequest> sides(1);
        TRY(sides[0], first(job));
        const bool isAsCompiled = sides[0].program != request.program;
        if (other) {
          // Both on the same arguments.
          TRY(sides[0].arguments, settleArguments(*sides[0].module, sides[0].arguments, job));
          TRY(RunRequest second, other(sides[0]));
          sides.push_back(std::move(second));
        }
        TRY(std::vector<RunRecord> records, executeInTurns(sides, job));
        TRY(const auto store, shared->get());
        for (RunRecord& record : records) {
          if (other || isAsCompiled) record.argumentsDescription = arguments;
          TRY(record.id, store->add(record));
        }
        return records;
      },
      [this, values, isChecked = request.checks.isChecked, of](Result<std::vector<RunRecord>> records) {
        progress_->setJob({});
        const Diagnostics found = findingsOf(records);
        records ? noteDone(std::move(*records), values) : noteFailed(records.error());
        if (isChecked) noteChecked(found, of);
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
  list_->refresh();
  if (records.size() < 2) return;
  context_.session.runs().compare(std::move(records[0]), std::move(records[1]), /*inTurns=*/true);
  context_.bus.ask(ShowView{"compare"});
}

// Faults are listed under Problems, which comes to the front.
void RunsView::noteChecked(const Diagnostics& findings, SnapshotId of) {
  const auto faults =
      static_cast<size_t>(std::ranges::count(findings, Severity::kError, &Diagnostic::severity));
  context_.bus.ask(RunChecked{of, findings});
  if (faults > 0) {
    const auto first = std::ranges::find(findings, Severity::kError, &Diagnostic::severity);
    say(message_->text() + QString("\nCheck mode found %1, listed under Problems:\n%2")
                               .arg(countOf(faults, "fault"), qs(toString(*first))),
        /*isError=*/true);
    context_.bus.ask(ShowView{"problems"});
  } else if (!message_->saysError()) {
    say(message_->text() + "\nCheck mode found nothing wrong.");
  }
}

void RunsView::noteFailed(const Diagnostic& why) {
  if (why.kind == "cancelled") return say("Stopped.");
  message_->sayWhy(why);
  context_.bus.ask(RunFailed{message_->text()});
}

View* makeRunsView(const ViewContext& context) { return new RunsView(context); }

}  // namespace hilo
