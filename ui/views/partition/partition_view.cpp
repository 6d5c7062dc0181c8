#include "ui/views/partition/partition_view.h"

#include <QScrollArea>
#include <QVBoxLayout>

#include "core/analysis/unpartitioned.h"
#include "core/workspace/session/comparable.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/views/partition/mesh_diagram.h"
#include "ui/widgets/table_tab.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr const char* kEmpty = "Open a module with shardings to see how it comes to its devices.";
constexpr const char* kOneDevice =
    "This module is for one device: there is nothing to partition. JAX dumps a module with shardings where "
    "its "
    "arrays are given some.";

constexpr int kCollectivesTab = 1;

bool hasPartitions(const Module& module) { return module.partitionCount() > 1; }

// What is partitioned: the module itself, or what the passes ran over that made it.
SnapshotId subjectOf(const Session& session, const Snapshot& current) {
  for (const SeriesEntry& entry : session.series()) {
    const Snapshot* origin = session.snapshot(entry.origin);
    if (origin == nullptr || origin->module == current.module || !isUnpartitioned(*origin->module)) continue;
    for (const SeriesStep& step : entry.series->steps) {
      if (step.moduleIfLoaded() == current.module) return entry.origin;
    }
  }
  return current.id;
}

// " (+119 ms)", in the colour of what is worse or better.
QString changeText(const QString& amount, bool isMore, const Theme& theme) {
  return QString(" <span style=\"color:%1\">(%2%3)</span>")
      .arg(theme.colour(isMore ? ColourRole::kMarkRemoved : ColourRole::kSuccess).name(), isMore ? "+" : "−",
           amount);
}

QString timeChange(double now, double before, const Theme& theme) {
  return now == before ? QString() : changeText(durationText(std::abs(now - before)), now > before, theme);
}

QString bytesChange(int64_t now, int64_t before, const Theme& theme) {
  return now == before ? QString() : changeText(bytesText(std::abs(now - before)), now > before, theme);
}

}  // namespace

PartitionView::PartitionView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      problems_(problemColumns()),
      collectives_(collectiveColumns()),
      reshards_(reshardColumns()),
      arrays_(arrayColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  head_ = new QLabel(kEmpty, this);
  head_->setMargin(kSpace);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(head_);
  layout->addWidget(buildBar());
  message_ = new MessageLine(ColourRole::kTextDim, this);
  layout->addWidget(message_);
  split_ = new QSplitter(Qt::Horizontal, this);
  split_->setChildrenCollapsible(false);
  tables_ = new QTabWidget(split_);
  tables_->setDocumentMode(true);
  tables_->setAccessibleName("Tables");
  buildTables();
  auto* side = new QSplitter(Qt::Vertical, split_);
  side->setChildrenCollapsible(false);
  auto* scroll = new QScrollArea(side);
  scroll->setAccessibleName("Mesh of devices");
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  diagram_ = new GridDiagram(scroll);
  scroll->setWidget(diagram_);
  panel_ = new CausePanel(side);
  side->setSizes({240, 400});
  split_->setSizes({760, 420});
  split_->setStretchFactor(0, 3);
  split_->setStretchFactor(1, 2);
  layout->addWidget(split_, 1);
  layout->addStretch();
  connect(panel_, &CausePanel::adviceTaken, this, &PartitionView::tryConstraint);
  connect(panel_, &CausePanel::nameClicked, this, [this](const QString& name) { select(toStd(name), {}); });
  connect(&context_.changes, &SessionChanges::currentShown, this, &PartitionView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, &PartitionView::refresh);
  connect(&context_.changes, &SessionChanges::resultReady, this, &PartitionView::noteReady);
  connect(&context_.changes, &SessionChanges::failed, this,
          [this](const QString& what, const Diagnostic& why) {
            if (asked_.valid() && shown_ == nullptr && what.startsWith("Could not be partitioned")) {
              asked_ = {};
              clear("This module cannot be partitioned.");
              message_->sayWhy(why);
            }
          });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &PartitionView::follow);
  addMenuAction("Module", "module.partition", "Pa&rtition for its devices", {}, [this] {
    comeToFront();
    take(PartitionFirst{});
  });
  clear(kEmpty);
}

QWidget* PartitionView::buildBar() {
  auto* bar = new QWidget(this);
  auto* row = new WrappingRow(kSpaceSmall);
  row->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  bar->setLayout(row);
  open_ = new QPushButton("Show program of one device", bar);
  open_->setToolTip("The partitioned module becomes current, with the passes that made it as a series");
  fewest_ = new QPushButton("Try fewest bytes", bar);
  fewest_->setToolTip(
      "Lay each operation where fewest bytes move: the first way in XLA's order is not always the cheapest");
  undo_ = new QPushButton("Undo", bar);
  undo_->setToolTip("Take back what was tried last");
  alike_ = new QCheckBox("Alike as one row", bar);
  alike_->setChecked(true);
  alike_->setToolTip("What layers of a model have alike in one row, with the times of all");
  progress_ = new JobProgress(context_.jobs, "End partitioning", bar);
  row->add(open_);
  row->add(fewest_);
  row->add(undo_);
  row->add(alike_);
  row->add(progress_);
  connect(open_, &QPushButton::clicked, this, &PartitionView::openProgram);
  connect(fewest_, &QPushButton::clicked, this,
          [this] { partitionAgain(shown_->request.constraints, /*fewestBytes=*/true); });
  connect(undo_, &QPushButton::clicked, this, &PartitionView::undo);
  connect(alike_, &QCheckBox::toggled, this, &PartitionView::fillTables);
  connect(progress_, &JobProgress::cancelled, this, [this] { message_->say("Stopped."); });
  return bar;
}

template <typename Row>
void PartitionView::addRows(TableModel<Row>& model, const char* title, const char* empty,
                            std::vector<int> widths) {
  TableView* table = addTable(*tables_, model, title, empty, widths);
  table->setTextElideMode(Qt::ElideRight);  // causes begin with what matters
  connect(table, &TableView::currentRowChanged, this, [this, &model](const QModelIndex& index) {
    if (const Row* row = model.rowAt(index)) showRow(*row);
  });
  connect(table, &QAbstractItemView::activated, this,
          [this] { context_.bus.activate(context_.bus.selected()); });
}

void PartitionView::buildTables() {
  addRows(problems_, "Look first", "No array comes whole to each device, and no work is done twice.",
          {20, 28, 10, 50, 20});
  addRows(collectives_, "Collectives", "The devices exchange nothing.", {26, 10, 10, 15, 10, 70, 20});
  addRows(reshards_, "Reshards", "No value moves from one sharding to another.",
          {26, 22, 9, 9, 24, 24, 20, 20});
  addRows(arrays_, "Arrays", "No array has a sharding.", {26, 11, 11, 7, 30, 24, 30});
}

void PartitionView::clear(const QString& text) {
  first_ = shown_ = nullptr;
  tried_.clear();
  problems_.setRows({});
  collectives_.setRows({});
  reshards_.setRows({});
  arrays_.setRows({});
  diagram_->setDiagrams({});
  panel_->clear();
  head_->setText(text);
  message_->say({});
  split_->hide();
  open_->parentWidget()->hide();
}

void PartitionView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

// Asks for what is current to be partitioned, unless that is what is shown, or nobody looks.
void PartitionView::refresh() {
  const Snapshot* current = context_.session.current();
  if (current == nullptr || !hasPartitions(*current->module)) {
    subject_ = asked_ = {};
    clear(current == nullptr ? kEmpty : kOneDevice);
    return;
  }
  const SnapshotId subject = subjectOf(context_.session, *current);
  if (subject != subject_) {
    subject_ = subject;
    asked_ = {};
    clear("Partitioning ...");
  }
  if (asked_ == subject || (!isVisible() && !opensWhenReady_) || !context_.session.isShown()) return;
  asked_ = subject;
  context_.session.request(subject, ResultKind::Partition);
}

void PartitionView::noteReady(SnapshotId id, ResultKind kind) {
  if (kind != ResultKind::Partition || id != asked_ || first_ != nullptr) return;
  first_ = context_.session.result<ResultKind::Partition>(id);
  show(first_);
  tables_->setCurrentIndex(
      first_->fullRematerializations.empty() && problems_.rowCount() == 0 ? kCollectivesTab : 0);
  if (std::exchange(opensWhenReady_, false)) return openProgram();
  if (context_.bus.selected().instruction.valid()) return;
  auto* front = qobject_cast<TableView*>(tables_->currentWidget());
  front->setCurrentIndex(front->model()->index(0, 0));
}

void PartitionView::show(std::shared_ptr<const Partitioning> partitioning) {
  shown_ = std::move(partitioning);
  split_->show();
  open_->parentWidget()->show();
  fillTables();
  showHead();
  open_->setVisible(shown_->spread != nullptr);
  fewest_->setVisible(shown_->spread != nullptr && !shown_->request.fewestBytes);
  undo_->setVisible(!tried_.empty());
  panel_->clear();
  if (auto mesh = partsOnMesh(shown_->mesh, nullptr, Shape())) {
    mesh->title = "mesh";
    mesh->note.clear();
    diagram_->setDiagrams({*std::move(mesh)});
  }
  follow(context_.bus.selected());
}

void PartitionView::fillTables() {
  if (shown_ == nullptr) return;
  problems_.setRows(problemsOf(*shown_, alike_->isChecked()));
  collectives_.setRows(collectiveRows(*shown_, alike_->isChecked()));
  reshards_.setRows(shown_->reshards);
  arrays_.setRows(shown_->arrays);
  showTabTitles();
}

void PartitionView::showHead() {
  const ScheduleMetrics& now = shown_->metrics;
  const Partitioning& base = tried_.empty()      ? *shown_
                             : tried_.size() > 1 ? *tried_[tried_.size() - 2]
                                                 : *first_;
  const ScheduleMetrics& before = base.metrics;
  const Theme& theme = themeOf(*this);
  QString text =
      QString(
          "<b>%1</b> on mesh <b>%2</b> &nbsp;·&nbsp; step <b>%3</b>%4 &nbsp;·&nbsp; communication %5%6, "
          "exposed <b>%7</b>%8 &nbsp;·&nbsp; peak <b>%9</b>")
          .arg(countOf(static_cast<size_t>(shown_->local->partitionCount()), "device"),
               qs(meshText(shown_->mesh)).toHtmlEscaped(), durationText(now.makespanNs),
               timeChange(now.makespanNs, before.makespanNs, theme), durationText(now.communicationNs),
               timeChange(now.communicationNs, before.communicationNs, theme), durationText(now.exposedNs),
               timeChange(now.exposedNs, before.exposedNs, theme), bytesText(now.peakBytes)) +
      bytesChange(now.peakBytes, before.peakBytes, theme);
  QStringList more;
  for (const ShardingConstraint& constraint : shown_->request.constraints)
    more << "with %" + qs(constraint.instruction + " = " + constraint.sharding).toHtmlEscaped();
  if (shown_->request.fewestBytes) more << "by fewest bytes, not in XLA's order";
  more << "estimated for " + qs(shown_->deviceText).toHtmlEscaped();
  for (const std::string& note : shown_->notes) more << qs(note).toHtmlEscaped();
  head_->setText(text + "<br>" + more.join(" &nbsp;·&nbsp; "));
}

void PartitionView::showTabTitles() {
  constexpr const char* kTitles[] = {"Look first", "Collectives", "Reshards", "Arrays"};
  const size_t counts[] = {shown_->fullRematerializations.size() + shown_->replications.size(),
                           shown_->collectives.size(), shown_->reshards.size(), shown_->arrays.size()};
  for (int i = 0; i < tables_->count(); ++i)
    tables_->setTabText(i, QString("%1 (%2)").arg(kTitles[i]).arg(countText(counts[i])));
}

// The series is kept once, whatever is tried later.
void PartitionView::openProgram() {
  if (shown_ == nullptr || shown_->spread == nullptr) return;
  const SnapshotId there = context_.session.find(*shown_->local);
  if (there.valid()) return context_.session.setCurrent(there);
  const size_t last = shown_->series.steps.size() - 1;
  context_.session.addSeries(shown_->series, subject_);
  showStep(context_.session, context_.session.series().back().id, last);
}

void PartitionView::take(const ViewAsk& what) {
  if (!std::holds_alternative<PartitionFirst>(what)) return;
  if (shown_ != nullptr) return openProgram();
  opensWhenReady_ = true;
  refresh();
}

void PartitionView::tryConstraint(const ShardingConstraint& constraint) {
  if (shown_ == nullptr) return;
  std::vector<ShardingConstraint> constraints = shown_->request.constraints;
  std::erase_if(constraints,
                [&](const ShardingConstraint& c) { return c.instruction == constraint.instruction; });
  constraints.push_back(constraint);
  partitionAgain(std::move(constraints), shown_->request.fewestBytes);
}

void PartitionView::partitionAgain(std::vector<ShardingConstraint> constraints, bool fewestBytes) {
  PartitionRequest request = first_->request;
  request.constraints = std::move(constraints);
  request.fewestBytes = fewestBytes;
  message_->say({});
  progress_->setJob(context_.jobs.submit(
      "partition-try", "Partition again",
      [request](JobContext& job) { return makePartitioning(request, job); },
      [this, of = subject_](Result<std::shared_ptr<const Partitioning>> made) {
        progress_->setJob({});
        if (of != subject_ || first_ == nullptr) return;
        if (!made) return message_->sayWhy(made.error());
        tried_.push_back(*std::move(made));
        show(tried_.back());
      },
      &scope_));
}

void PartitionView::undo() {
  if (tried_.empty()) return;
  tried_.pop_back();
  show(tried_.empty() ? first_ : tried_.back());
}

// `hilo partition` with what was tried; a picture where what is current was made by passes.
QString PartitionView::commandLine(ShownState state) const {
  const Snapshot* current = context_.session.current();
  const bool isSubject =
      shown_ != nullptr && shown_->spread != nullptr && current != nullptr && current->id == subject_;
  const ModuleInput input = isSubject ? pipedModule(context_.session) : ModuleInput();
  if (input.file.isEmpty()) return View::commandLine(std::move(state));
  QString line = input.before + "hilo partition " + input.file;
  for (const ShardingConstraint& constraint : shown_->request.constraints)
    line += " --constrain " + shellWord(qs(constraint.instruction + "=" + constraint.sharding));
  if (shown_->request.fewestBytes) line += " --fewest-bytes";
  return line;
}

// A row in front: of the table whose title the query begins, or of the collective that it names.
Status PartitionView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  TRY_STATUS(steps.wait());
  if (shown_ == nullptr || request.query.isEmpty()) return {};
  for (int i = 0; i < tables_->count(); ++i) {
    if (!tables_->tabText(i).startsWith(request.query, Qt::CaseInsensitive)) continue;
    tables_->setCurrentIndex(i);
    return {};
  }
  tables_->setCurrentIndex(kCollectivesTab);
  if (!goTo(request.query)) {
    return fail("no-such-row", fmt::format("the partitioning has no collective '{}'", toStd(request.query)),
                {}, {"--query names a table, as collectives, or a collective, as all-gather.7"});
  }
  if (request.run && panel_->shown() && !panel_->shown()->advice.empty()) {
    tryConstraint(panel_->shown()->advice.front().constraint);
    TRY_STATUS(steps.wait());
  }
  return {};
}

// A collective's row, by name.
bool PartitionView::goTo(const QString& name) {
  auto* table = qobject_cast<TableView*>(tables_->widget(kCollectivesTab));
  for (int row = 0; row < collectives_.rowCount(); ++row) {
    const AlikeCollectives& each = collectives_.rows()[static_cast<size_t>(row)];
    const bool isAlike = std::ranges::find(each.others, toStd(name)) != each.others.end();
    if (each.name != toStd(name) && !isAlike) continue;
    table->setCurrentIndex(collectives_.index(row, 0));
    if (isAlike) showRow(*collectiveOf(toStd(name)));
    return true;
  }
  return false;
}

View* makePartitionView(const ViewContext& context) { return new PartitionView(context); }

}  // namespace hilo
