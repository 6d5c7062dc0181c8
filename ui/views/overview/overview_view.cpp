#include "ui/views/overview/overview_view.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "core/workspace/schedule/schedule.h"
#include "core/workspace/schedule/schedule_target.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/elided_label.h"

namespace hilo {

struct OverviewView::Content {
  ModuleSummary summary;
  ScopeTree scopes;
  std::vector<SizedInstruction> parameters;
  std::vector<OpcodeCost> opcodes;
  std::string target;  // what it was compiled for, and so where times are estimated unless a device is chosen
};

namespace {

constexpr size_t kLargest = 100;

std::vector<TableColumn<NamedCount>> countColumns(const char* what) {
  return {{what, [](const NamedCount& c) { return qs(c.name); }},
          {"instructions", [](const NamedCount& c) { return countText(c.count); },
           [](const NamedCount& c) { return static_cast<double>(c.count); }}};
}

std::vector<TableColumn<OpcodeCost>> opcodeColumns() {
  const auto count = [](const OpcodeCost& c) { return static_cast<double>(c.count); };
  return {{"opcode", [](const OpcodeCost& c) { return qs(c.opcode); }},
          {"instructions", [](const OpcodeCost& c) { return countText(c.count); }, count},
          {"total flops (x trip count)",
           [](const OpcodeCost& c) { return quantityText(static_cast<double>(c.flops)); },
           [](const OpcodeCost& c) { return static_cast<double>(c.flops); }},
          {"total bytes (x trip count)", [](const OpcodeCost& c) { return bytesText(c.bytesAccessed); },
           [](const OpcodeCost& c) { return static_cast<double>(c.bytesAccessed); }},
          {"share", [](const OpcodeCost&) { return QString(); }, count,
           [](const OpcodeCost& c) { return countOf(static_cast<size_t>(c.count), "instruction"); }}};
}

std::vector<TableColumn<CollectiveRow>> collectiveColumns() {
  const auto number = [](auto field) {
    return [field](const CollectiveRow& r) { return static_cast<double>(r.*field); };
  };
  return {
      {"collective", [](const CollectiveRow& r) { return qs(r.opcode); }},
      {"groups",
       [](const CollectiveRow& r) {
         return r.groupCount == 0 ? QString("all devices")
                                  : QString("%1 of %2").arg(r.groupCount).arg(r.groupSize);
       }},
      {"count", [](const CollectiveRow& r) { return countText(r.count); }, number(&CollectiveRow::count)},
      {"bytes", [](const CollectiveRow& r) { return bytesText(r.bytes); }, number(&CollectiveRow::bytes)},
      {"executions (x trip count)", [](const CollectiveRow& r) { return countText(r.executions); },
       number(&CollectiveRow::executions)},
      {"total bytes (x trip count)", [](const CollectiveRow& r) { return bytesText(r.executedBytes); },
       number(&CollectiveRow::executedBytes)},
      {"types",
       [](const CollectiveRow& r) {
         QStringList types;
         for (const std::string& type : r.elementTypes) types << qs(type);
         return types.join(", ");
       }},
  };
}

std::vector<TableColumn<LoopRow>> loopColumns() {
  return {
      {"loop", [](const LoopRow& r) { return qs(r.name); }},
      {"trips",
       [](const LoopRow& r) { return r.tripCount < 0 ? QString("not known") : countText(r.tripCount); },
       [](const LoopRow& r) { return static_cast<double>(r.tripCount); }},
      {"body", [](const LoopRow& r) { return qs(r.body); }},
      {"instructions", [](const LoopRow& r) { return countText(r.bodyInstructions); },
       [](const LoopRow& r) { return static_cast<double>(r.bodyInstructions); }},
      {"flops a trip", [](const LoopRow& r) { return quantityText(static_cast<double>(r.bodyFlops)); },
       [](const LoopRow& r) { return static_cast<double>(r.bodyFlops); }},
      {"computation", [](const LoopRow& r) { return qs(r.computation); }},
  };
}

std::vector<TableColumn<SizedInstruction>> sizedColumns() {
  return {
      {"instruction", [](const SizedInstruction& r) { return qs(r.name); }},
      {"bytes", [](const SizedInstruction& r) { return bytesText(r.bytes); },
       [](const SizedInstruction& r) { return static_cast<double>(r.bytes); }},
      {"opcode", [](const SizedInstruction& r) { return qs(r.opcode); }},
      {"shape", [](const SizedInstruction& r) { return qs(r.shape); }},
      {"computation", [](const SizedInstruction& r) { return qs(r.computation); }},
  };
}

std::vector<SizedInstruction> largestParameters(const Module& module) {
  std::vector<SizedInstruction> rows;
  if (module.entry() == nullptr) return rows;
  for (const Instruction* p : module.entry()->parameters()) {
    if (p == nullptr) continue;
    rows.push_back({p->id(), std::string(p->name()), std::string(p->parent().name()),
                    std::string(p->opcodeText()), toString(p->shape()), p->shape().byteSize()});
  }
  std::ranges::sort(rows, {}, [](const SizedInstruction& r) { return std::pair(-r.bytes, r.id); });
  if (rows.size() > kLargest) rows.resize(kLargest);
  return rows;
}

// By instruction id, loops multiplied. Where the module cannot be timed there are none, and nothing is drawn.
std::vector<double> timesOn(const Module& module, const std::string& device) {
  const auto report = costOfModule(module, device, "", "");
  if (!report) return {};
  std::vector<double> times(module.idLimit());
  for (const CostRow& row : report->rows) times[row.instruction->id().value] += row.totalNs;
  return times;
}

QString quoted(const std::string& name) { return "\"" + qs(name) + "\""; }

}  // namespace

OverviewView::OverviewView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      opcodes_(opcodeColumns()),
      customCalls_(countColumns("custom call target")),
      elementTypes_(countColumns("element type")),
      collectives_(collectiveColumns()),
      loops_(loopColumns()),
      values_(sizedColumns()),
      constants_(sizedColumns()),
      parameters_(sizedColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  head_ = new QLabel("Open a module to see what is in it.", this);
  head_->setMargin(kSpace);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(head_);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->setChildrenCollapsible(false);
  split->addWidget(buildScopes());
  tables_ = new QTabWidget(split);
  tables_->setDocumentMode(true);
  tables_->setAccessibleName("Tables");
  buildTables();
  split->addWidget(tables_);
  split->setSizes({500, 300});
  layout->addWidget(split, 1);
  connect(&context_.changes, &SessionChanges::currentShown, this, &OverviewView::refresh);
  connect(&context_.changes, &SessionChanges::resultReady, this, &OverviewView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
}

QWidget* OverviewView::buildScopes() {
  auto* part = new QWidget(this);
  auto* layout = new QVBoxLayout(part);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  bar->setSpacing(kSpace);
  measure_ = new QComboBox(part);
  measure_->addItems({"flops", "bytes accessed", "estimated time", "instructions"});
  measure_->setToolTip("Size by");
  measure_->setAccessibleName("Size by");
  bar->addWidget(measure_);
  device_ = new QComboBox(part);
  device_->addItem("on its device", QString());
  for (const std::string& name : deviceNames()) device_->addItem("on " + qs(name), qs(name));
  device_->setToolTip("The device whose peak rates the times are estimated from");
  device_->setAccessibleName("Device");
  device_->hide();
  bar->addWidget(device_);
  connect(device_, &QComboBox::currentIndexChanged, this, [this] {
    asked_ = {};
    refresh();
  });
  scopesLabel_ = new ElidedLabel(part);
  scopesLabel_->setForegroundRole(QPalette::PlaceholderText);
  scopesLabel_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  bar->addWidget(scopesLabel_, 1);
  layout->addLayout(bar);
  treemap_ = new Treemap(part);
  treemap_->setEmptyText("Nothing to draw: no instruction of this module counts any.");
  layout->addWidget(treemap_, 1);
  connect(measure_, &QComboBox::currentIndexChanged, this, [this](int index) {
    device_->setVisible(static_cast<Measure>(index) == Measure::kTime);
    showScopes();
  });
  connect(treemap_, &Treemap::activated, this, &OverviewView::searchScope);
  measure_->setCurrentIndex(static_cast<int>(Measure::kTime));
  return part;
}

void OverviewView::buildTables() {
  const auto add = [this](QAbstractItemModel& model, const char* empty, std::vector<int> widths) {
    auto* table = new TableView(tables_);
    table->setAccessibleName("Table");  // its title once there is something in it
    table->setModel(&model);
    table->setEmptyText(empty);
    table->setColumnWidths(widths);
    tables_->addTab(table, "");
    return table;
  };
  const auto search = [this](TableView* table, auto& model, auto query) {
    connect(table, &QAbstractItemView::activated, this, [this, &model, query](const QModelIndex& index) {
      if (const auto* row = model.rowAt(index)) context_.bus.ask(SearchFor{query(*row)});
    });
  };
  const auto jump = [this](TableView* table, auto& model) {
    connect(table, &QAbstractItemView::activated, this, [this, &model](const QModelIndex& index) {
      if (const auto* row = model.rowAt(index)) goToInstruction(row->id);
    });
  };
  TableView* opcodes = add(opcodes_, "No instructions.", {24, 14, 28, 28, 50});
  opcodeBars_ = new BarDelegate(opcodes);
  opcodes->setItemDelegateForColumn(4, opcodeBars_);
  search(opcodes, opcodes_, [](const OpcodeCost& c) { return "opcode:" + qs(c.opcode); });
  search(add(collectives_, "No collectives: this module runs on one device, or is not partitioned yet.",
             {24, 14, 8, 14, 18, 28, 20}),
         collectives_, [](const CollectiveRow& r) { return "opcode:" + qs(r.opcode) + "*"; });
  jump(add(loops_, "No loops.", {24, 12, 30, 14, 14, 20}), loops_);
  jump(add(values_, "No values.", {30, 12, 20, 50, 20}), values_);
  jump(add(parameters_, "The entry has no parameters.", {30, 12, 12, 50, 20}), parameters_);
  jump(add(constants_, "No constants.", {30, 12, 12, 50, 20}), constants_);
  search(add(customCalls_, "No custom calls.", {50, 16}), customCalls_,
         [](const NamedCount& c) { return "target:" + quoted(c.name); });
  search(add(elementTypes_, "No arrays.", {20, 16}), elementTypes_,
         [](const NamedCount& c) { return "type:" + qs(c.name); });
}

void OverviewView::setTabTitle(QWidget* tab, const char* title, int rows) {
  tab->setAccessibleName(title);
  tables_->setTabText(tables_->indexOf(tab),
                      rows == 0 ? QString(title) : QString("%1 (%2)").arg(title).arg(rows));
}

void OverviewView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void OverviewView::refresh() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    shown_ = asked_ = {};
    content_.reset();
    head_->setText("Open a module to see what is in it.");
    treemap_->setNodes({});
    return;
  }
  if (!isVisible() || asked_ == snapshot->id || !context_.session.isShown()) return;
  const auto cost = context_.session.result<ResultKind::Cost>(snapshot->id);
  if (cost == nullptr) return context_.session.request(snapshot->id, ResultKind::Cost);
  asked_ = snapshot->id;
  context_.jobs.submit(
      "overview", "Summarize " + snapshot->title,
      [module = snapshot->module, cost, chosen = toStd(device_->currentData().toString()),
       path = snapshot->file == nullptr ? std::string() : snapshot->file->path](
          JobContext&) -> Result<std::shared_ptr<const Content>> {
        const ScheduleTarget target = scheduleTargetOf(*module, path);
        const std::string& device = chosen.empty() ? target.device : chosen;
        return std::make_shared<const Content>(
            Content{summarize(*module, kLargest), scopeTree(*module, *cost, timesOn(*module, device)),
                    largestParameters(*module), costByOpcode(*module, *cost), targetText(target)});
      },
      [this, id = snapshot->id](Result<std::shared_ptr<const Content>> content) {
        if (content) show(id, *std::move(content));
      },
      &scope_);
}

void OverviewView::show(SnapshotId id, std::shared_ptr<const Content> content) {
  shown_ = id;
  content_ = std::move(content);
  const ModuleSummary& summary = content_->summary;
  device_->setItemData(0, "on " + qs(content_->target), Qt::ToolTipRole);
  showHead(summary);
  opcodeBars_->setMost(content_->opcodes.empty() ? 0 : static_cast<double>(content_->opcodes.front().count));
  opcodes_.setRows(content_->opcodes);
  collectives_.setRows(summary.collectives);
  loops_.setRows(summary.loops);
  values_.setRows(summary.largestValues);
  parameters_.setRows(content_->parameters);
  constants_.setRows(summary.largestConstants);
  customCalls_.setRows(summary.customCalls);
  elementTypes_.setRows(summary.elementTypes);
  const std::pair<const char*, int> titles[] = {{"Opcodes", opcodes_.rowCount()},
                                                {"Collectives", collectives_.rowCount()},
                                                {"Loops", loops_.rowCount()},
                                                {"Largest values", 0},
                                                {"Parameters", 0},
                                                {"Constants", 0},
                                                {"Custom calls", customCalls_.rowCount()},
                                                {"Types", elementTypes_.rowCount()}};
  for (int tab = 0; tab < tables_->count(); ++tab)
    setTabTitle(tables_->widget(tab), titles[tab].first, titles[tab].second);
  showScopes();
}

void OverviewView::showHead(const ModuleSummary& s) {
  QStringList facts = {countOf(static_cast<size_t>(s.instructions), "instruction") + " in " +
                       countOf(static_cast<size_t>(s.computations), "computation")};
  if (s.fusions > 0) facts << countOf(static_cast<size_t>(s.fusions), "fusion");
  facts << qs(amount::flops(s.cost.flops));
  facts << bytesText(s.cost.bytesAccessed) + " accessed";
  facts << "parameters " + bytesText(s.parameterBytes);
  facts << "results " + bytesText(s.resultBytes);
  if (s.constantBytes > 0) facts << "constants " + bytesText(s.constantBytes);
  if (s.partitions > 1) facts << countOf(static_cast<size_t>(s.partitions), "partition");
  if (s.replicas > 1) facts << countOf(static_cast<size_t>(s.replicas), "replica");
  if (s.impliedDevices > s.partitions * s.replicas)
    facts << QString("collectives of %1 devices").arg(s.impliedDevices);
  facts << (s.scheduled ? "scheduled" : "not scheduled");
  if (s.cost.tripCountUnknown) facts << "loops of unknown length are counted once";
  if (s.cost.flopsUnknown) facts << "flops exclude custom calls";
  head_->setText(QString("<b>%1</b>&nbsp; %2").arg(qs(s.name).toHtmlEscaped(), facts.join(" \u00b7 ")));
}

void OverviewView::showScopes() {
  if (!content_) return;
  const auto measure = static_cast<Measure>(measure_->currentIndex());
  QString counted = "by op_name scope, loops multiplied by their known trip counts";
  if (measure == Measure::kTime && device_->currentIndex() == 0)
    counted += "; its device: " + qs(content_->target).section(':', 0, 0);
  scopesLabel_->setText(counted);
  std::vector<TreemapNode> nodes;
  for (const ScopeNode& scope : content_->scopes.nodes) {
    const int64_t amount = measure == Measure::kTime    ? static_cast<int64_t>(scope.timeNs)
                           : measure == Measure::kFlops ? scope.flops
                           : measure == Measure::kBytes ? scope.bytesAccessed
                                                        : scope.instructions;
    const QString text = measure == Measure::kTime    ? durationText(amount)
                         : measure == Measure::kFlops ? quantityText(static_cast<double>(amount))
                         : measure == Measure::kBytes ? bytesText(amount)
                                                      : countText(amount);
    nodes.push_back({qs(scope.name), text, static_cast<double>(amount), scope.parent, scope.children});
  }
  for (TreemapNode& node : nodes) {
    std::ranges::sort(node.children, {}, [&](uint32_t n) { return std::pair(-nodes[n].value, n); });
  }
  treemap_->setNodes(std::move(nodes));
}

void OverviewView::goToInstruction(InstructionId id) {
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  const Instruction* instruction = snapshot == nullptr ? nullptr : snapshot->module->instruction(id);
  if (instruction != nullptr) context_.bus.activate(selectionOf(*snapshot, *instruction));
}

void OverviewView::searchScope(int node) {
  if (!content_) return;
  const std::string path = content_->scopes.path(static_cast<uint32_t>(node));
  context_.bus.ask(
      SearchFor{path.starts_with("(no ") ? QString("not op_name:*") : "op_name:" + quoted(path + "*")});
}

View* makeOverviewView(const ViewContext& context) { return new OverviewView(context); }

}  // namespace hilo
