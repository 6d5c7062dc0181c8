#include "ui/views/runs/runs_view.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr qsizetype kNotesShown = 4;

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
    : QWidget(parent), context_(context), model_(runColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(buildForm());
  setMinimumWidth(200);
  message_ = new QLabel(this);
  message_->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  message_->setWordWrap(true);
  message_->hide();
  layout->addWidget(message_);
  buildTable();
  auto* split = new QSplitter(Qt::Horizontal, this);
  history_ = new HistoryWidget(split);
  split->addWidget(table_);
  split->addWidget(history_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 1);
  layout->addWidget(split, 1);
  connect(history_, &HistoryWidget::runClicked, this, &RunsView::selectRun);
  connect(&context_.session, &Session::currentChanged, this, &RunsView::showHistory);
  connect(&context_.session, &Session::storeChanged, this, &RunsView::refresh);
  refresh();
}

QLayout* RunsView::buildForm() {
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  engine_ = new QComboBox(this);
  engine_->setAccessibleName("Engine");
  for (const EngineInfo& engine : listEngines()) {
    engine_->addItem(qs(engine.name));
    engine_->setItemData(engine_->count() - 1, qs(engine.description), Qt::ToolTipRole);
  }
  engine_->setToolTip("Engine that runs the module");
  arguments_ = new QLineEdit("seed 0", this);
  arguments_->setAccessibleName("Arguments");
  arguments_->setToolTip(
      "Arguments: \"seed N\" generates them, \"snapshot\" takes the recorded ones, "
      "anything else is the path of an .npy or .npz file");
  arguments_->setPlaceholderText("seed N, snapshot, or a .npz file");
  repeat_ = new QSpinBox(this);
  repeat_->setAccessibleName("Repeat");
  repeat_->setRange(1, 10000);
  repeat_->setValue(5);
  repeat_->setSuffix(" times");
  timeLimit_ = new QSpinBox(this);
  timeLimit_->setAccessibleName("Time limit");
  timeLimit_->setRange(0, 24 * 3600);
  timeLimit_->setSpecialValueText("no time limit");
  timeLimit_->setSuffix(" s");
  timeLimit_->setToolTip("End a run of compiled code that takes longer, and say what it was at");
  label_ = new QLineEdit(this);
  label_->setAccessibleName("Label");
  label_->setPlaceholderText("label (optional)");
  runButton_ = new QPushButton("Run", this);
  runButton_->setToolTip("Run the module that is shown and keep the result");
  compareButton_ = new QPushButton("Compare", this);
  compareButton_->setToolTip("Compare the two selected runs");
  compareButton_->setEnabled(false);
  bar->addWidget(engine_);
  bar->addWidget(arguments_, 2);
  bar->addWidget(repeat_);
  bar->addWidget(timeLimit_);
  bar->addWidget(label_, 2);
  bar->addWidget(runButton_);
  bar->addWidget(compareButton_);
  connect(runButton_, &QPushButton::clicked, this, &RunsView::run);
  connect(arguments_, &QLineEdit::returnPressed, this, &RunsView::run);
  connect(compareButton_, &QPushButton::clicked, this, &RunsView::compareSelected);
  return bar;
}

void RunsView::buildTable() {
  table_ = new TableView(this);
  table_->setAccessibleName("Runs");
  table_->setModel(&model_);
  table_->setColumnWidths({5, 24, 14, 10, 12, 10, 10, 10, 4, 18, 22, 10});
  table_->setEmptyText(
      "No runs yet.\nOpen a module and press Run: the reference engine needs no device. "
      "Select two runs to compare them.");
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this] { compareButton_->setEnabled(selectedRuns().size() == 2); });
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

ArgumentSource RunsView::argumentSource() const {
  const QString text = arguments_->text().trimmed();
  ArgumentSource source;
  if (text.isEmpty() || text.startsWith("seed")) {
    source.seed = text.mid(4).trimmed().toULongLong();
    return source;
  }
  const Snapshot* snapshot = context_.session.current();
  if (text == "snapshot") {
    source.kind = ArgumentSource::Kind::Snapshot;
    if (snapshot != nullptr && snapshot->file && !snapshot->file->arguments.empty()) {
      source.given = snapshot->file->arguments.front();
    }
    return source;
  }
  source.kind = ArgumentSource::Kind::File;
  source.path = toStd(text);
  return source;
}

void RunsView::say(const QString& text, bool isError) {
  const ColourRole role = isError ? ColourRole::kError : ColourRole::kTextDim;
  message_->setText(QString("<span style='color:%1'>%2</span>")
                        .arg(themeOf(*this).colour(role).name(), text.toHtmlEscaped().replace("\n", "<br>")));
  message_->setVisible(!text.isEmpty());
}

void RunsView::run() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    say("Open a module first: the module that is shown is what runs.", true);
    return;
  }
  RunRequest request{.module = snapshot->module,
                     .engine = toStd(engine_->currentText()),
                     .arguments = argumentSource(),
                     .repeat = repeat_->value(),
                     .label = toStd(label_->text()),
                     .worker = ownWorker(),
                     .timesThunks = true};
  request.worker->timeLimitNs = int64_t{timeLimit_->value()} * 1'000'000'000;
  if (request.label.empty()) request.label = toStd(snapshot->title);
  say("Running ...");
  context_.jobs.submit(
      "run", "Run " + std::string(snapshot->module->name()) + " on " + request.engine,
      [request, shared = context_.session.store()](JobContext& job) -> Result<RunRecord> {
        TRY(RunRecord record, execute(request, job));
        TRY(const auto store, shared->get());
        TRY(record.id, store->add(record));
        return record;
      },
      [this](Result<RunRecord> record) {
        if (record) {
          say(QString("Run %1 took %2 (median of %3).")
                  .arg(record->id.value)
                  .arg(durationText(record->timings.medianNs()))
                  .arg(record->timings.n()));
          refresh();
          return;
        }
        QString text = qs(record.error().message);
        QStringList notes;
        for (const std::string& note : record.error().notes) notes << qs(note);
        // The first say enough; the whole list is a hover away.
        message_->setToolTip(notes.join('\n'));
        for (const QString& note : notes.mid(0, kNotesShown)) text += "\n" + note;
        if (notes.size() > kNotesShown) text += QString("\nand %1 more").arg(notes.size() - kNotesShown);
        say(text, true);
        Q_EMIT runFailed(text);
      },
      &scope_);
}

void RunsView::refresh() {
  context_.jobs.submit(
      "runs.list", "List runs",
      [shared = context_.session.store()](JobContext&) -> Result<Listing> {
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
      [ids, shared = context_.session.store()](JobContext&) -> Result<std::pair<RunRecord, RunRecord>> {
        TRY(const auto store, shared->get());
        TRY(RunRecord a, store->get(ids[0]));
        TRY(RunRecord b, store->get(ids[1]));
        return std::pair(std::move(a), std::move(b));
      },
      [this](Result<std::pair<RunRecord, RunRecord>> pair) {
        if (!pair) return say(qs(pair.error().message), true);
        context_.session.setComparedRuns(std::move(pair->first), std::move(pair->second));
        Q_EMIT compareAsked();
      },
      &scope_);
}

void RunsView::removeSelected() {
  context_.jobs.submit(
      "", "Remove runs",
      [ids = selectedRuns(), shared = context_.session.store()](JobContext&) -> Status {
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

}  // namespace hilo
