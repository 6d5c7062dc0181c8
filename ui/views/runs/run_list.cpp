#include "ui/views/runs/run_list.h"

#include "ui/models/text_of.h"

namespace hilo {
namespace {

constexpr size_t kResultsShown = 3;

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

RunList::RunList(const ViewContext& context, QWidget* parent)
    : QSplitter(Qt::Horizontal, parent), context_(context), model_(runColumns()) {
  buildTable();
  history_ = new HistoryWidget(this);
  addWidget(table_);
  addWidget(history_);
  setStretchFactor(0, 3);
  setStretchFactor(1, 1);
  connect(history_, &HistoryWidget::runClicked, this, &RunList::selectRun);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &RunList::showHistory);
  connect(&context_.changes, &SessionChanges::storeChanged, this, &RunList::refresh);
  refresh();
}

void RunList::buildTable() {
  table_ = new TableView(this);
  table_->setAccessibleName("Runs");
  table_->setModel(&model_);
  table_->setColumnWidths({5, 22, 14, 10, 12, 9, 9, 9, 4, 18, 16, 22});
  table_->setEmptyText(
      "No runs yet.\nOpen a module and press Run: the engine cpu compiles it for this processor. "
      "Select two runs to compare them.");
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    Q_EMIT selectionChanged();
    tellSelected();
  });
  connect(table_, &TableView::currentRowChanged, this, &RunList::showHistory);
  connect(table_, &QAbstractItemView::activated, this, [this] {
    if (selectedRuns().size() == 2) compareSelected();
  });
  auto* remove = new QAction("Remove", table_);
  remove->setShortcut(Qt::Key_Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  connect(remove, &QAction::triggered, this, &RunList::removeSelected);
  table_->addAction(remove);
}

void RunList::refresh() {
  context_.jobs.submit(
      "runs.list", "List runs",
      [shared = context_.session.file().store()](JobContext&) -> Result<Listing> {
        TRY(const auto store, shared->get());
        TRY(auto runs, store->list());
        auto histories = historiesOf(runs);
        return Listing{std::move(runs), std::move(histories)};
      },
      [this](Result<Listing> listing) {
        if (!listing) return Q_EMIT said(qs(listing.error().message), true);
        histories_ = std::move(listing->histories);
        model_.setRows(std::move(listing->runs));
        showHistory();
        Q_EMIT selectionChanged();
      },
      &scope_);
}

void RunList::showHistory() {
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

void RunList::selectRun(RunId run) {
  for (int row = 0; row < model_.rowCount(); ++row) {
    if (model_.rows()[static_cast<size_t>(row)].id == run)
      return table_->setCurrentIndex(model_.index(row, 0));
  }
}

void RunList::tellSelected() {
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
        if (!run) return Q_EMIT said(qs(run.error().message), true);
        context_.bus.ask(RunSelected{std::make_shared<const RunRecord>(std::move(*run))});
      },
      &scope_);
}

std::vector<RunId> RunList::selectedRuns() const {
  std::vector<RunId> ids;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    if (const RunRecord* run = model_.rowAt(index)) ids.push_back(run->id);
  }
  std::ranges::sort(ids);
  return ids;
}

void RunList::compareSelected() {
  const std::vector<RunId> ids = selectedRuns();
  if (ids.size() != 2) return Q_EMIT said("Select two runs (Ctrl+click) to compare them.", false);
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
        if (!pair) return Q_EMIT said(qs(pair.error().message), true);
        context_.session.runs().compare(std::move(pair->first), std::move(pair->second));
        context_.bus.ask(ShowView{"compare"});
      },
      &scope_);
}

void RunList::removeSelected() {
  context_.jobs.submit(
      "", "Remove runs",
      [ids = selectedRuns(), shared = context_.session.file().store()](JobContext&) -> Status {
        TRY(const auto store, shared->get());
        for (RunId id : ids) TRY_STATUS(store->remove(id));
        return {};
      },
      [this](Status done) {
        if (!done) Q_EMIT said(qs(done.error().message), true);
        refresh();
      },
      &scope_);
}

}  // namespace hilo
