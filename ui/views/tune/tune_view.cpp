#include "ui/views/tune/tune_view.h"

#include <QVBoxLayout>

#include "core/workspace/session/comparable.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr int kAll = 0, kSelected = 1;
constexpr int kWayColumn = 2;
constexpr const char* kHowTo =
    "Press Tune to try the variants of each kernel: each runs alone in a process of its own, all variants "
    "interleaved on the same arguments.\nA variant is chosen where it gives the same values and is faster, "
    "statistically significant.";
constexpr const char* kNothingOpen = "Open a module to find out how its instructions are best compiled.";

}  // namespace

TuneView::TuneView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(tuneColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(buildForm());
  addMenuAction("Module", "module.tune", "&Tune kernels...", {}, [this] { comeToFront(); });
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  buildTable();
  layout->addWidget(table_, 1);
  setMinimumWidth(200);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &TuneView::refresh);
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &TuneView::followSelection);
  refresh();
}

QLayout* TuneView::buildForm() {
  auto* bar = new WrappingRow(kSpaceSmall);
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  what_ = new QComboBox(this);
  what_->setAccessibleName("What is tuned");
  what_->addItem("all instructions");
  what_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  passes_ = new QCheckBox("Run passes first", this);
  passes_->setChecked(true);
  passes_->setToolTip(
      "The cpu pipeline, as the engine does: what is tuned are its fusions. The tuned module is to be "
      "run with the engine's flag no-passes");
  again_ = new QCheckBox("Ignore cache", this);
  again_->setToolTip("What was found before, on this machine and by this compiler, is not asked for");
  repeat_ = new QSpinBox(this);
  repeat_->setAccessibleName("Repeat");
  repeat_->setRange(1, 10'000);
  repeat_->setValue(20);
  repeat_->setSuffix(" iterations");
  repeat_->setToolTip("How often each way runs; fewer than six decide nothing");
  tune_ = new QPushButton("Tune", this);
  tune_->setToolTip("Try the ways of compiling what is chosen");
  apply_ = new QPushButton("Apply to module", this);
  apply_->setToolTip("Show the module with the chosen ways said in it; it is kept beside this one");
  progress_ = new JobProgress(context_.jobs, "End tuning, and the process it runs in", this);
  bar->add(what_);
  bar->add(passes_);
  bar->add(repeat_);
  bar->add(again_);
  bar->add(tune_);
  bar->add(progress_);
  bar->add(apply_);
  connect(tune_, &QPushButton::clicked, this, &TuneView::tune);
  connect(apply_, &QPushButton::clicked, this, &TuneView::apply);
  return bar;
}

void TuneView::buildTable() {
  table_ = new TableView(this);
  table_->setAccessibleName("Ways tried");
  table_->setModel(&model_);
  table_->setColumnWidths({26, 18, 40, 10, 20, 19, 27});
  table_->setFillingColumn(kWayColumn, 40);
  table_->setEmptyText(kHowTo);
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    const TuneRow* row = model_.rowAt(index);
    const Selection found = row == nullptr ? Selection() : findByName(context_.session, qs(row->instruction));
    if (!found.empty()) context_.bus.select(found);
  });
}

// What can be chosen besides all: the instruction that is selected.
void TuneView::followSelection() {
  const Snapshot* snapshot = context_.session.current();
  const Instruction* selected =
      snapshot == nullptr ? nullptr : instructionOf(*snapshot->module, context_.bus.selected());
  const bool wasSelected = what_->currentIndex() == kSelected;
  if (selected == nullptr) {
    what_->removeItem(kSelected);
    return;
  }
  const QString text = qs(selected->name()) + QStringLiteral(" alone");
  what_->count() > kSelected ? what_->setItemText(kSelected, text) : what_->addItem(text);
  what_->setItemData(kSelected, qs(selected->name()));
  if (wasSelected) what_->setCurrentIndex(kSelected);
}

// Another module: what was found is of the one before, unless it is that one's.
void TuneView::refresh() {
  const Snapshot* snapshot = context_.session.current();
  const bool isOfReport = snapshot != nullptr && report_ != nullptr &&
                          (snapshot->id == tuned_ || snapshot->module == report_->module);
  if (!isOfReport && report_ != nullptr) {
    report_ = nullptr;
    model_.setRows({});
    message_->say({});
  }
  table_->setEmptyText(snapshot == nullptr ? kNothingOpen : kHowTo);
  followSelection();
  enableButtons();
}

void TuneView::enableButtons() {
  const Snapshot* snapshot = context_.session.current();
  const bool isBusy = progress_->job().valid();
  tune_->setEnabled(snapshot != nullptr && !isBusy);
  apply_->setEnabled(snapshot != nullptr && report_ != nullptr && snapshot->id == tuned_ && !isBusy);
}

TuneRequest TuneView::requestOf(const Snapshot& snapshot) const {
  return {.module = snapshot.module,
          .runsPasses = passes_->isChecked(),
          .only = what_->currentIndex() == kAll ? std::string() : toStd(what_->currentData().toString()),
          .repeat = repeat_->value(),
          .triesAgain = again_->isChecked(),
          .worker = context_.session.runs().worker()};
}

void TuneView::tune() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return;
  message_->say({});
  progress_->setJob(context_.jobs.submit(
      "tune", "Tune " + snapshot->title,
      [request = requestOf(*snapshot),
       shared = context_.session.file().store()](JobContext& job) mutable -> Result<TuneReport> {
        TRY(const auto store, shared->get());
        request.store = store.get();
        return hilo::tune(request, job);
      },
      [this, of = snapshot->id](Result<TuneReport> report) {
        progress_->setJob({});
        report ? show(std::move(*report), of) : sayWhyNot(report.error());
        enableButtons();
      },
      &scope_));
  enableButtons();
}

void TuneView::show(TuneReport report, SnapshotId of) {
  tuned_ = of;
  size_t quicker = 0, kept = 0;
  for (const TunedInstruction& tuned : report.tuned) {
    quicker += tuned.bestNs < tuned.defaultNs;
    kept += tuned.reused;
  }
  model_.setRows(tuneRowsOf(report));
  QString text =
      report.tuned.empty()
          ? QStringLiteral("No instruction has more than one variant.")
          : QStringLiteral("%1 of %2 have a variant faster than the default%3.")
                .arg(countText(static_cast<int64_t>(quicker)), countOf(report.tuned.size(), "choice"),
                     kept == 0 ? QString() : QStringLiteral(", %1 from cache").arg(kept));
  for (const std::string& untried : report.untried) text += QStringLiteral("\nnot tried: ") + qs(untried);
  report_ = std::make_shared<const TuneReport>(std::move(report));
  message_->say(text);
}

void TuneView::sayWhyNot(const Diagnostic& why) {
  if (why.kind == "cancelled") return message_->say("Stopped.");
  message_->sayWhy(why);
}

void TuneView::apply() {
  const Snapshot* snapshot = context_.session.snapshot(tuned_);
  if (snapshot == nullptr || report_ == nullptr) return;
  PassSeries series{.title = std::string(snapshot->module->name()),
                    .steps = {makeStep("input", snapshot->module), makeStep("tune", report_->module)},
                    .sharedIds = true};
  context_.session.addSeries(std::move(series), tuned_);
  showStep(context_.session, context_.session.series().back().id, 1);
}

Status TuneView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  if (request.run) tune();
  return steps.wait();
}

View* makeTuneView(const ViewContext& context) { return new TuneView(context); }

}  // namespace hilo
