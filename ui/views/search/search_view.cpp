#include "ui/views/search/search_view.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <map>

#include "core/analysis/query/query.h"
#include "core/analysis/saturating.h"
#include "core/base/enum_table.h"
#include "core/workspace/schedule/schedule.h"
#include "core/workspace/schedule/schedule_target.h"
#include "core/workspace/text/extract.h"
#include "ui/models/source_text.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

struct SearchOutcome {
  std::vector<SearchHit> hits;
  std::shared_ptr<const InstructionTimes> times;
  std::vector<std::string> whyNone;  // of no hits
  size_t searched = 0;
};

QString tidyName(std::string_view name) { return qs(name); }

// On the device it was compiled for. None where the module cannot be timed.
InstructionTimes timesOf(const Module& module, const std::string& path) {
  InstructionTimes times(module.idLimit());
  const auto report = costOfModule(module, scheduleTargetOf(module, path).device, "", "");
  if (!report) return times;
  for (const CostRow& row : report->rows) times[row.instruction->id().value] += row.totalNs;
  return times;
}

SearchHit hitOf(const Instruction& i, const ModuleCost& cost, const InstructionTimes& times) {
  return {i.id(),
          i.parent().id(),
          tidyName(i.name()),
          qs(i.opcodeText()),
          shapeText(i.shape()),
          qs(i.parent().name()),
          qs(i.opName()),
          sourceText(i),
          i.shape().byteSize(),
          cost.of(i).bytesAccessed,
          cost.of(i).flops,
          times[i.id().value]};
}

std::vector<TableColumn<SearchHit>> hitColumns() {
  return {
      {"name", [](const SearchHit& h) { return h.name; }},
      {"opcode", [](const SearchHit& h) { return h.opcode; }},
      {"shape", [](const SearchHit& h) { return h.shape; }},
      {"bytes", [](const SearchHit& h) { return bytesText(h.bytes); },
       [](const SearchHit& h) { return static_cast<double>(h.bytes); }},
      {"accessed", [](const SearchHit& h) { return bytesText(h.accessed); },
       [](const SearchHit& h) { return static_cast<double>(h.accessed); }},
      {"flops", [](const SearchHit& h) { return quantityText(static_cast<double>(h.flops)); },
       [](const SearchHit& h) { return static_cast<double>(h.flops); }},
      {"time", [](const SearchHit& h) { return h.timeNs > 0 ? durationText(h.timeNs) : QString(); },
       [](const SearchHit& h) { return h.timeNs; },
       [](const SearchHit&) { return QString("Estimated, with the turns of loops"); }},
      {"source", [](const SearchHit& h) { return h.source; }},
      {"computation", [](const SearchHit& h) { return h.computationName; }},
      {"op_name", [](const SearchHit& h) { return h.opName; }},
  };
}

std::vector<TableColumn<HitGroup>> groupColumns() {
  return {
      {"group", [](const HitGroup& g) { return g.key; }},
      {"instructions", [](const HitGroup& g) { return countText(g.count); },
       [](const HitGroup& g) { return static_cast<double>(g.count); }},
      {"bytes", [](const HitGroup& g) { return bytesText(g.bytes); },
       [](const HitGroup& g) { return static_cast<double>(g.bytes); }},
      {"flops", [](const HitGroup& g) { return quantityText(static_cast<double>(g.flops)); },
       [](const HitGroup& g) { return static_cast<double>(g.flops); }},
  };
}

QString groupKey(const SearchHit& hit, GroupHits by) {
  switch (by) {
    case GroupHits::kOpcode:
      return hit.opcode;
    case GroupHits::kShape:
      return hit.shape;
    case GroupHits::kComputation:
      return hit.computationName;
    case GroupHits::kScope:
      // All but the operation itself.
      return hit.opName.contains('/') ? hit.opName.section('/', 0, -2) : hit.opName;
    case GroupHits::kNot:
      return {};
  }
  return {};
}

constexpr const char* kHowToAsk =
    "Type what to look for: words are found in names, opcodes and op_names,\n"
    "keys such as opcode:dot, bytes>1MB or in:while_body narrow it down.\n"
    "Hover the box for all keys.";

}  // namespace

std::vector<HitGroup> groupHits(const std::vector<SearchHit>& hits, GroupHits by) {
  std::map<QString, HitGroup> groups;
  for (const SearchHit& hit : hits) {
    HitGroup& group = groups[groupKey(hit, by)];
    ++group.count;
    group.bytes = saturatingAdd(group.bytes, std::max<int64_t>(0, hit.bytes));
    group.flops = saturatingAdd(group.flops, hit.flops);
  }
  std::vector<HitGroup> rows;
  for (auto& [key, group] : groups) {
    group.key = key;
    rows.push_back(std::move(group));
  }
  std::ranges::sort(rows, {}, [](const HitGroup& g) { return std::pair(-g.bytes, g.key); });
  return rows;
}

SearchView::SearchView(const ViewContext& context, QWidget* parent)
    : View(context, parent), model_(hitColumns()), groups_(groupColumns()) {
  addMenuAction("Go", "go.search", "&Search instructions...", QKeySequence("Ctrl+Shift+F"), [this] {
    comeToFront();
    box_->setFocus();
    box_->selectAll();
  });
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, kSpaceSmall, 0, 0);
  layout->setSpacing(kSpaceSmall);
  buildBox();
  connect(box_, &QLineEdit::textChanged, this, &View::stateChanged);
  message_ = new MessageLine(ColourRole::kText, this);
  buildTable();
  grouping_ = new QComboBox(this);
  grouping_->addItems({"group by: none", "by opcode", "by shape", "by computation", "by op_name scope"});
  grouping_->setToolTip("Sum the hits that have this in common");
  grouping_->setAccessibleName("Grouping of hits");
  connect(grouping_, &QComboBox::currentIndexChanged, this, &SearchView::showGroups);
  auto* line = new QHBoxLayout;
  line->addWidget(box_, 1);
  line->addWidget(grouping_);
  layout->addLayout(line);
  layout->addWidget(message_);
  layout->addWidget(tables_, 1);
  timer_.setSingleShot(true);
  timer_.setInterval(150);
  connect(&timer_, &QTimer::timeout, this, &SearchView::run);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &SearchView::run);
  connect(&context_.changes, &SessionChanges::resultReady, this, [this](SnapshotId id, ResultKind kind) {
    const Snapshot* current = context_.session.current();
    if (awaitsCost_ && kind == ResultKind::Cost && current != nullptr && current->id == id) run();
  });
  run();
}

void SearchView::buildBox() {
  box_ = new QueryBox(this);
  box_->setModuleSource([this] {
    const Snapshot* snapshot = context_.session.current();
    return snapshot == nullptr ? nullptr : snapshot->module;
  });
  box_->installEventFilter(this);
  connect(box_, &QLineEdit::textChanged, this, [this] { timer_.start(); });
  connect(box_, &QLineEdit::returnPressed, this, [this] {
    box_->hideCompletions();
    box_->remember();
    run();
    if (model_.rowCount() > 0) table_->setFocus();
  });
}

void SearchView::buildTable() {
  tables_ = new QStackedWidget(this);
  table_ = new TableView(tables_);
  table_->setAccessibleName("Hits");
  groupTable_ = new TableView(tables_);
  groupTable_->setAccessibleName("Groups of hits");
  tables_->addWidget(table_);
  tables_->addWidget(groupTable_);
  groupTable_->setModel(&groups_);
  groupTable_->setColumnWidths({60, 14, 14, 14});
  groupTable_->setEmptyText("Nothing to group.");
  connect(groupTable_, &QAbstractItemView::activated, this, &SearchView::narrowTo);
  table_->setModel(&model_);
  table_->setColumnWidths({26, 14, 26, 10, 10, 9, 10, 22, 20, 40});
  table_->setEmptyText(kHowToAsk);
  connect(table_, &TableView::menuAsked, this, [this](QMenu* menu) {
    menu->addAction("Copy as HLO module", this, &SearchView::copyAsModule);
    menu->addAction("Colour these in the graph", this,
                    [this] { context_.bus.ask(ColourFound{box_->text().trimmed()}); });
  });
  connect(table_, &TableView::currentRowChanged, this, [this](const QModelIndex& i) { select(i, false); });
  connect(table_, &QAbstractItemView::activated, this, [this](const QModelIndex& i) { select(i, true); });
}

// What was asked before is not lost: Up brings it back.
void SearchView::search(const QString& expression) {
  box_->remember();
  box_->setText(expression);
  box_->remember();
  box_->setFocus();
  run();
}

void SearchView::run() {
  timer_.stop();
  awaitsCost_ = false;
  box_->clearError();
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    model_.setRows({});
    say("Open a module to search in it.");
    return;
  }
  if (box_->text().trimmed().isEmpty()) {
    context_.jobs.cancelTag("search");
    table_->setEmptyText(kHowToAsk);
    model_.setRows({});
    say({});
    return;
  }
  auto query = parseQuery(toStd(box_->text()));
  if (!query) {
    context_.jobs.cancelTag("search");
    showError(query.error());
    return;
  }
  const SnapshotId id = snapshot->id;
  const auto cost = context_.session.result<ResultKind::Cost>(id);
  awaitsCost_ = cost == nullptr;
  if (awaitsCost_) return context_.session.request(id, ResultKind::Cost);
  context_.jobs.submit(
      "search", "Search " + query->text(),
      [query = *query, module = snapshot->module, cost, times = searched_ == id ? times_ : nullptr,
       path = snapshot->file == nullptr ? std::string()
                                        : snapshot->file->path](JobContext&) -> Result<SearchOutcome> {
        QueryMatcher matcher(query, *module, cost.get());
        SearchOutcome outcome{
            .times =
                times != nullptr ? times : std::make_shared<const InstructionTimes>(timesOf(*module, path))};
        outcome.searched = module->instructionCount();
        for (const Instruction* i : matcher.all(kHitLimit))
          outcome.hits.push_back(hitOf(*i, *cost, *outcome.times));
        if (outcome.hits.empty()) outcome.whyNone = whyNothingMatches(query, *module, cost.get());
        return outcome;
      },
      [this, id](Result<SearchOutcome> outcome) {
        if (!outcome) return;
        searched_ = id;
        times_ = outcome->times;
        QStringList notes = {"No instruction of this module matches."};
        for (const std::string& note : outcome->whyNone) notes << qs(note);
        table_->setEmptyText(notes.join('\n'));
        showHits(std::move(outcome->hits), outcome->searched);
      },
      &scope_);
}

void SearchView::showHits(std::vector<SearchHit> hits, size_t searched) {
  const QString more = hits.size() == kHitLimit ? " (the first; narrow it down)" : "";
  int64_t bytes = 0, flops = 0;
  for (const SearchHit& hit : hits) {
    bytes = saturatingAdd(bytes, std::max<int64_t>(0, hit.bytes));
    flops = saturatingAdd(flops, hit.flops);
  }
  QString text =
      QString("%1 of %2%3")
          .arg(countText(static_cast<int64_t>(hits.size())), countOf(searched, "instruction"), more);
  if (!hits.empty())
    text +=
        QString(" \u00b7 %1 \u00b7 %2 flops").arg(bytesText(bytes), quantityText(static_cast<double>(flops)));
  say(text);
  model_.setRows(std::move(hits));
  showGroups();
}

// An empty line takes no room.
void SearchView::say(const QString& text, bool isError) { message_->say(text, isError); }

void SearchView::showGroups() {
  const auto by = static_cast<GroupHits>(grouping_->currentIndex());
  groups_.setRows(by == GroupHits::kNot ? std::vector<HitGroup>() : groupHits(model_.rows(), by));
  tables_->setCurrentWidget(by == GroupHits::kNot ? table_ : groupTable_);
}

// The hits of one group, as a query.
void SearchView::narrowTo(const QModelIndex& index) {
  const HitGroup* group = groups_.rowAt(index);
  if (group == nullptr) return;
  static constexpr EnumTable<GroupHits, const char*> kKeys({"", "opcode", "shape", "computation", "op_name"});
  const auto by = static_cast<GroupHits>(grouping_->currentIndex());
  const bool isScope = by == GroupHits::kScope;
  const QString term = isScope && group->key.isEmpty()
                           ? QString("not op_name:*")
                           : QString("%1:\"%2%3\"").arg(kKeys[by], group->key, isScope ? "*" : "");
  grouping_->setCurrentIndex(0);
  search(box_->text().trimmed() + " " + term);
}

// What is selected in the table, or every hit, as a module of its own on the clipboard.
void SearchView::copyAsModule() {
  const Snapshot* snapshot = context_.session.snapshot(searched_);
  if (snapshot == nullptr) return;
  std::vector<InstructionId> wanted;
  for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
    if (const SearchHit* hit = model_.rowAt(index)) wanted.push_back(hit->instruction);
  }
  const auto text = extractAsText(*snapshot->module, wanted);
  if (!text) {
    Q_EMIT context_.changes.failed("The instructions could not be copied as a module", text.error());
    return;
  }
  QApplication::clipboard()->setText(qs(*text));
}

void SearchView::showError(const Diagnostic& why) {
  model_.setRows({});
  table_->setEmptyText(kHowToAsk);
  say(qs(why.message), true);
  box_->showError(why);
}

void SearchView::select(const QModelIndex& index, bool activate) {
  const SearchHit* hit = model_.rowAt(index);
  const Snapshot* snapshot = context_.session.snapshot(searched_);
  if (hit == nullptr || snapshot == nullptr) return;
  const Selection selection{snapshot->document, snapshot->id, hit->computation, hit->instruction};
  activate ? context_.bus.activate(selection) : context_.bus.select(selection);
}

bool SearchView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == box_ && event->type() == QEvent::KeyPress && !box_->isCompleting()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down && !box_->isRecalling() && model_.rowCount() > 0) {
      table_->setFocus();
      table_->setCurrentIndex(model_.index(0, 0));
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void SearchView::take(const ViewAsk& what) {
  const auto* asked = std::get_if<SearchFor>(&what);
  if (asked == nullptr) return;
  comeToFront();
  search(asked->query);
}

void SearchView::addState(ViewState& state) const { state["query"] = toStd(box_->text()); }

void SearchView::showState(const ViewState& state) {
  const auto query = state.find("query");
  if (query != state.end() && !query->second.empty()) search(qs(query->second));
}

Status SearchView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  search(request.query.isEmpty() ? QString("opcode:dot") : request.query);
  return steps.wait();
}

QString SearchView::commandLine(ShownState state) const {
  const QString query = box_->text().trimmed();
  if (query.isEmpty() || context_.session.shownCompiled() != nullptr)
    return View::commandLine(std::move(state));
  const ModuleInput input = pipedModule(context_.session);
  return input.file.isEmpty() ? QString()
                              : input.before + QString("hilo query %1 %2").arg(shellWord(query), input.file);
}

View* makeSearchView(const ViewContext& context) { return new SearchView(context); }

}  // namespace hilo
