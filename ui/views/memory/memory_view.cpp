#include "ui/views/memory/memory_view.h"

#include <fmt/format.h>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/workspace/schedule/schedule_target.h"
#include "core/workspace/schedule/step_times.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/colours.h"
#include "ui/style/metrics.h"
#include "ui/widgets/instruction_menu.h"
#include "ui/widgets/table_tab.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {
namespace {

constexpr size_t kLiveRows = 1000;
constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr int kLeastTableHeight = 90;  // pixels; without one they would push the map out of a low window
constexpr const char* kPeaks = "Compare with another module";
constexpr const char* kChanges = "What would help";
constexpr const char* kEmpty = "Open a module to see where its values lie.";

void setTabCount(QTabWidget& tabs, QWidget* table, const char* title, size_t rows) {
  const QString count = countText(static_cast<int64_t>(rows));
  tabs.setTabText(tabs.indexOf(table), rows == 0 ? QString(title) : QString("%1 (%2)").arg(title, count));
}

RankedGroups ranked(const MemoryPlan& plan, const Module& module, MemoryGrouping grouping) {
  return rankGroups(plan.profile, module, grouping);
}

// Groups are coloured by their rank in the first plan there is, so that one group has one colour in both.
std::vector<size_t> categoriesBy(const RankedGroups& first, const RankedGroups& groups) {
  absl::flat_hash_map<std::string_view, size_t> rankOf;
  for (size_t i = 0; i < first.names.size(); ++i) rankOf.emplace(first.names[i], i);
  std::vector<size_t> categories;
  for (const std::string& name : groups.names) {
    const auto found = rankOf.find(name);
    categories.push_back(found == rankOf.end() || name.empty() ? kPlainCategory : found->second);
  }
  return categories;
}

}  // namespace

MemoryView::MemoryView(const ViewContext& context, QWidget* parent)
    : View(context, parent),
      live_(liveColumns()),
      groups_(groupColumns()),
      ends_(endColumns()),
      differences_(differenceColumns()),
      aliases_(aliasColumns()),
      copies_(copyColumns()) {
  moments_ = new PlanMoments(context_, this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  head_ = new QLabel(kEmpty, this);
  head_->setMargin(kSpace);
  head_->setWordWrap(true);
  head_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  connect(head_, &QLabel::linkActivated, this, [this] { context_.bus.ask(PartitionFirst{}); });
  layout->addWidget(head_);
  split_ = new QSplitter(Qt::Vertical, this);
  split_->setChildrenCollapsible(false);
  auto* upper = new QWidget(split_);
  auto* upperLayout = new QVBoxLayout(upper);
  upperLayout->setContentsMargins(0, 0, 0, 0);
  upperLayout->setSpacing(0);
  upperLayout->addWidget(buildBar());
  buildMaps();
  upperLayout->addWidget(mapSplit_, 1);
  split_->addWidget(upper);
  tables_ = new QTabWidget(split_);
  tables_->setDocumentMode(true);
  tables_->setAccessibleName("Tables");
  tables_->setMinimumHeight(kLeastTableHeight);
  buildTables();
  split_->addWidget(tables_);
  split_->setSizes({560, 260});
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 1);
  layout->addWidget(split_, 1);
  split_->hide();
  layout->addStretch();
  connect(&context_.changes, &SessionChanges::currentShown, this, &MemoryView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this,
          [this](const Selection& selection) { follow(selection, !telling_); });
  connect(&context_.bus.time(), &TimeCursor::pointedChanged, this, [this] {
    for (MemoryMap* map : maps_) map->scene().setPointed(moments_->pointed());
  });
  connect(&context_.bus.time(), &TimeCursor::placedChanged, this, [this] {
    const auto placed = moments_->placed();
    if (placed && placed->step != cursor_) setCursor(placed->step);
  });
}

QWidget* MemoryView::buildBar() {
  auto* bar = new QWidget(this);
  auto* layout = new WrappingRow(kSpace);
  bar->setLayout(layout);
  layout->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  contentChoice_ = new QComboBox(bar);
  contentChoice_->addItems({"temporaries", "temporaries and results", "all allocations"});
  contentChoice_->setToolTip(
      "Which allocations the maps show; with all the tables list parameters and constants too");
  contentChoice_->setAccessibleName("Which allocations the maps show");
  layout->add(contentChoice_);
  layout->add(new QLabel("coloured by", bar));
  grouping_ = new QComboBox(bar);
  grouping_->addItems({"op_name scope", "source line", "opcode"});
  grouping_->setAccessibleName("What values are grouped and coloured by");
  layout->add(grouping_);
  layout->add(new QLabel("along", bar));
  axis_ = new QComboBox(bar);
  axis_->addItems({"steps", "estimated time"});
  axis_->setToolTip(
      "What the maps run along: a step for each instruction, or how long it is estimated to take");
  axis_->setAccessibleName("What the maps run along");
  connect(axis_, &QComboBox::currentIndexChanged, this, &MemoryView::layOutAxis);
  layout->add(axis_);
  layout->add(new QLabel("device memory", bar));
  limit_ = new QDoubleSpinBox(bar);
  limit_->setRange(0, 1e6);
  limit_->setDecimals(2);
  limit_->setSuffix(" GiB");
  limit_->setSpecialValueText("not given");
  limit_->setAccessibleName("Device memory");
  limit_->setKeyboardTracking(false);
  layout->add(limit_);
  auto* peak = new QPushButton("Peak", bar);
  peak->setToolTip("Move the cursor to where most is in use (P)");
  layout->add(peak);
  auto* fit = new QPushButton("Fit", bar);
  fit->setToolTip("Show all steps and addresses (0)");
  layout->add(fit);
  connect(contentChoice_, &QComboBox::currentIndexChanged, this, [this](int index) {
    for (MemoryMap* map : maps_) map->scene().setContent(static_cast<MapContent>(index));
    scaleMaps();
    fillLive();
  });
  connect(grouping_, &QComboBox::currentIndexChanged, this, [this] {
    colourMaps();
    fillLive();
  });
  connect(limit_, &QDoubleSpinBox::valueChanged, this, [this](double gib) {
    for (MemoryMap* map : maps_) map->scene().setLimit(static_cast<int64_t>(gib * kGiB));
    changes_->setLimit(static_cast<int64_t>(gib * kGiB));
  });
  connect(peak, &QPushButton::clicked, this, [this] {
    if (const MemoryPlan* plan = planOf(active_)) setCursor(plan->profile.peakStep);
  });
  connect(fit, &QPushButton::clicked, this, [this] {
    for (MemoryMap* map : maps_) map->scene().fit();
  });
  return bar;
}

void MemoryView::buildMaps() {
  mapSplit_ = new QSplitter(Qt::Horizontal, this);
  mapSplit_->setChildrenCollapsible(false);
  for (size_t side = 0; side < maps_.size(); ++side) {
    maps_[side] = new MemoryMap(mapSplit_);
    mapSplit_->addWidget(maps_[side]);
    connectMap(side);
  }
}

void MemoryView::connectMap(size_t side) {
  MemoryMap* map = maps_[side];
  connect(map, &MemoryMap::cursorAsked, this, [this, side](int64_t step) {
    setActive(side);
    setCursor(step);
  });
  connect(map, &MemoryMap::pointed, moments_, &PlanMoments::point);
  connect(map, &MemoryMap::valueClicked, this, [this, side](int value) {
    setActive(side);
    if (value >= 0) selectValue(side, value, false);
  });
  connect(map, &MemoryMap::valueActivated, this, [this, side](int value) { selectValue(side, value, true); });
  connect(map, &MemoryMap::valueHovered, this, [this, side](int value) {
    const MemoryPlan* plan = planOf(side);
    if (plan == nullptr) return;
    context_.bus.hover(value < 0 ? Selection()
                                 : selectionOf(plan->profile.values[static_cast<size_t>(value)].instruction));
  });
  connect(map, &MemoryMap::menuAsked, this,
          [this](QPoint place) { showInstructionMenu(*this, context_, place); });
  connect(&map->scene(), &MapScene::timeWindowChanged, this,
          [this, side](double step, double steps) { maps_[1 - side]->scene().setTimeWindow(step, steps); });
}

template <typename Row>
TableView* MemoryView::addRows(TableModel<Row>& model, const char* title, const char* empty,
                               std::vector<int> widths) {
  TableView* table = addTable(*tables_, model, title, empty, widths);
  if constexpr (requires(const Row& row) { row.instruction; }) {
    const auto select = [this, &model](const QModelIndex& index, bool activate) {
      if (const Row* row = model.rowAt(index)) selectInstruction(row->instruction, activate);
    };
    connect(table, &TableView::currentRowChanged, this, [select, table](const QModelIndex& index) {
      if (table->hasFocus()) select(index, false);
    });
    connect(table, &QAbstractItemView::activated, this,
            [select](const QModelIndex& index) { select(index, true); });
  }
  return table;
}

void MemoryView::buildTables() {
  liveTable_ = addRows(live_, "Live", "Nothing is live at this step.", {12, 34, 20, 12, 22, 12, 12, 24, 40});
  groupTable_ = addRows(groups_, "Groups", "Nothing is live at this step.", {14, 14, 24, 80});
  endTable_ = addRows(ends_, "Fragmentation", "No heap is larger than its peak live bytes.",
                      {8, 44, 14, 14, 14, 16, 12});
  differenceTable_ =
      addRows(differences_, "Assignment differences",
              "Both plans put every value into memory of the same kind, or there is only one plan.",
              {12, 34, 44, 44});
  aliasTable_ = addRows(aliases_, "Aliases", "No values must share a buffer.", {12, 16, 40, 40});
  changes_ = new PeakChangesPanel(context_, tables_);
  tables_->addTab(changes_, kChanges);
  connect(changes_, &PeakChangesPanel::opened, this, &MemoryView::comeToFront);
  connect(changes_, &PeakChangesPanel::instructionChosen, this, &MemoryView::selectInstruction);
  connect(changes_, &PeakChangesPanel::counted, this,
          [this](size_t changes) { setTabCount(*tables_, changes_, kChanges, changes); });
  peaks_ = new PeakPanel(context_, tables_);
  tables_->addTab(peaks_, kPeaks);
  connect(peaks_, &PeakPanel::instructionChosen, this, &MemoryView::selectInstruction);
  connect(peaks_, &PeakPanel::counted, this,
          [this](size_t lines) { setTabCount(*tables_, peaks_, kPeaks, lines); });
  copyTable_ = addRows(copies_, "Copies", "No copies are there, and none are missing.", {30, 12, 80});
  groups_.setDecoration([this](const GroupRow& row) -> QVariant {
    return groupColours(groupCategories_[row.group], themeOf(*this)).fill;
  });
  connect(copyTable_, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
    const CopyVerdict* row = copies_.rowAt(index);
    const Instruction* copy =
        row == nullptr || !content_ ? nullptr : content_->plans.module->instruction(row->instruction);
    if (copy != nullptr) selectInstruction(copy->id(), true);
  });
}

Status MemoryView::showTable(const QString& title) {
  QStringList known;
  for (int tab = 0; tab < tables_->count(); ++tab) {
    if (tables_->tabText(tab).startsWith(title, Qt::CaseInsensitive)) {
      tables_->setCurrentIndex(tab);
      return {};
    }
    known << tables_->tabText(tab);
  }
  return fail("no-such-table", fmt::format("no table of the memory view is called '{}'", title.toStdString()),
              {}, {"the tables are " + known.join(", ").toStdString()});
}

// ---- content

void MemoryView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void MemoryView::clear(const QString& text) {
  content_.reset();
  changes_->setSubject({});
  peaks_->setPlans(nullptr);
  moments_->setPlans({}, nullptr, nullptr);
  head_->setText(text);
  split_->hide();
  for (MemoryMap* map : maps_) map->scene().setPlan(nullptr, nullptr, {});
}

void MemoryView::refresh() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) {
    shown_ = asked_ = {};
    clear(kEmpty);
    return;
  }
  if (!isVisible() || asked_ == snapshot->id || !context_.session.isShown()) return;
  asked_ = snapshot->id;
  clear("Computing where the values of " + qs(snapshot->title).toHtmlEscaped() + " lie ...");
  context_.jobs.submit(
      "memory", "Plan the memory of " + snapshot->title,
      [planner = plannerOf(context_.session, *snapshot)](
          JobContext& job) -> Result<std::shared_ptr<const Content>> {
        TRY(MemoryPlans plans, planner(job.cancel()));
        auto content = std::make_shared<Content>(Content{.plans = std::move(plans)});
        const MemoryPlans& made = content->plans;
        content->stepOf = stepsByInstruction(made);
        for (size_t side = 0; side < 2; ++side) {
          const auto& plan = side == 0 ? made.xla : made.hilo;
          if (!plan) continue;
          for (size_t g = 0; g < 3; ++g)
            content->groups[side].by[g] = ranked(*plan, *made.module, static_cast<MemoryGrouping>(g));
        }
        return std::shared_ptr<const Content>(std::move(content));
      },
      [this, id = snapshot->id](Result<std::shared_ptr<const Content>> content) {
        if (asked_ != id) return;
        if (content) return show(id, *std::move(content));
        QString text =
            "The memory of this module cannot be planned: " + qs(content.error().message).toHtmlEscaped() +
            ".";
        for (const std::string& note : content.error().notes) text += "<br>" + qs(note).toHtmlEscaped();
        clear(text);
      },
      &scope_);
}

void MemoryView::show(SnapshotId id, std::shared_ptr<const Content> content) {
  shown_ = id;
  content_ = std::move(content);
  const MemoryPlans& plans = content_->plans;
  const char* names[] = {"XLA's plan", "Hilo's plan"};
  for (size_t side = 0; side < 2; ++side) {
    const MemoryPlan* plan = planOf(side);
    maps_[side]->setVisible(plan != nullptr);
    if (plan == nullptr) {
      maps_[side]->scene().setPlan(nullptr, nullptr, {});
      continue;
    }
    const MemoryProfile& profile = plan->profile;
    const double unused = profile.totals.total == 0
                              ? 0
                              : 100.0 * static_cast<double>(profile.fragmentationBytes()) /
                                    static_cast<double>(profile.totals.total);
    maps_[side]->scene().setPlan(
        {content_, &plans}, plan,
        QString("%1: %2 \u00b7 peak live %3 \u00b7 fragmentation %4%")
            .arg(names[side], bytesText(profile.totals.total), bytesText(profile.peakBytes))
            .arg(unused, 0, 'f', 1));
  }
  active_ = planOf(0) != nullptr ? 0 : 1;
  aliases_.setRows(plans.aliases);
  ends_.setRows(endRows(plans));
  differences_.setRows(plans.differences);
  copies_.setRows({});
  copyTable_->setEmptyText("Analysing copies...");
  setTabCount(*tables_, aliasTable_, "Aliases", plans.aliases.size());
  setTabCount(*tables_, differenceTable_, "Assignment differences", plans.differences.size());
  setTabCount(*tables_, endTable_, "Fragmentation", static_cast<size_t>(ends_.rowCount()));
  setTabCount(*tables_, copyTable_, "Copies", 0);
  const MemoryPlan* plan = planOf(active_);
  if (plan == nullptr) return clear("There is no plan of this module's memory.");
  // Where nothing is temporary the results are all there is to see.
  if (plan->profile.totals.temporaries == 0 && contentChoice_->currentIndex() == 0)
    contentChoice_->setCurrentIndex(2);
  showHead();
  colourMaps();
  scaleMaps();
  if (axis_->currentIndex() != 0) layOutAxis();
  setActive(active_);
  changes_->setSubject(id);
  peaks_->setPlans({content_, &content_->plans});
  moments_->setPlans(id, {content_, &content_->plans}, {content_, &content_->stepOf});
  split_->show();
  const auto placed = moments_->placed();
  setCursor(placed ? placed->step : plan->profile.peakStep);
  follow(context_.bus.selected(), false);
  judge(id);
}

void MemoryView::showCopies(std::vector<CopyVerdict> copies) {
  setTabCount(*tables_, copyTable_, "Copies", copies.size());
  copies_.setRows(std::move(copies));
}

// Takes longer than all else, and nothing waits for it.
void MemoryView::judge(SnapshotId id) {
  if (!content_->plans.copies.empty()) return showCopies(content_->plans.copies);
  context_.jobs.submit(
      "memory copies", "Analysing copies of " + std::string(content_->plans.module->name()),
      [module = content_->plans.module](JobContext& job) { return judgeCopies(*module, job.cancel()); },
      [this, id](Result<std::vector<CopyVerdict>> copies) {
        if (shown_ != id || !content_) return;
        copyTable_->setEmptyText(copies ? QString("No copies are there, and none are missing.")
                                        : "The copies cannot be judged: " + qs(copies.error().message));
        if (copies) showCopies(*std::move(copies));
      },
      &scope_);
}

void MemoryView::showHead() {
  const MemoryPlans& plans = content_->plans;
  const MemoryTotals& totals = planOf(active_)->profile.totals;
  QStringList facts = {"parameters " + bytesText(totals.parameters), "results " + bytesText(totals.outputs),
                       "temporaries " + bytesText(totals.temporaries),
                       "constants " + bytesText(totals.constants)};
  if (plans.xla && plans.hilo) {
    const int64_t gain = plans.xla->profile.totals.total - plans.hilo->profile.totals.total;
    facts << (gain == 0 ? QString("both plans are as large")
                        : QString("Hilo's plan is %1 %2")
                              .arg(bytesText(std::abs(gain)), gain > 0 ? "smaller" : "larger"));
  }
  QString text =
      QString("<b>%1</b>&nbsp; %2").arg(qs(plans.module->name()).toHtmlEscaped(), facts.join(" \u00b7 "));
  QStringList notes;
  for (const Diagnostic& note : plans.notes) notes << qs(note.message).toHtmlEscaped();
  if (!notes.isEmpty()) text += "<br>" + notes.join(" \u00b7 ");
  for (const auto* plan : {plans.xla ? &*plans.xla : nullptr, plans.hilo ? &*plans.hilo : nullptr}) {
    if (plan == nullptr) continue;
    const char* whose = plans.xla && plan == &*plans.xla ? "XLA's" : "Hilo's";
    if (plan->profile.unknownValues > 0)
      text += QString("<br>%1 of %2 plan are not in the module")
                  .arg(countOf(plan->profile.unknownValues, "value"), whose);
    if (!plan->problems.empty())
      text += QString("<br>%1 plan: %2").arg(whose, qs(plan->problems.front().message).toHtmlEscaped());
  }
  head_->setText(text);
}

const MemoryPlan* MemoryView::planOf(size_t side) const {
  if (!content_) return nullptr;
  const auto& plan = side == 0 ? content_->plans.xla : content_->plans.hilo;
  return plan ? &*plan : nullptr;
}

const RankedGroups& MemoryView::groupsOf(size_t side) const {
  return content_->groups[side].by[static_cast<size_t>(grouping_->currentIndex())];
}

void MemoryView::colourMaps() {
  if (!content_) return;
  const RankedGroups& first = groupsOf(planOf(0) != nullptr ? 0 : 1);
  for (size_t side = 0; side < 2; ++side) {
    if (planOf(side) == nullptr) continue;
    const std::vector<size_t> ofGroup = categoriesBy(first, groupsOf(side));
    std::vector<size_t> ofValue;
    for (const uint32_t group : groupsOf(side).of) ofValue.push_back(ofGroup[group]);
    maps_[side]->scene().setCategories(std::move(ofValue));
  }
  groupCategories_ = categoriesBy(first, groupsOf(active_));
}

// Times are estimated when they are first asked for.
void MemoryView::layOutAxis() {
  if (!content_) return;
  if (axis_->currentIndex() == 0) return setAxis(MapAxis::ofSteps(content_->plans.sequence.size() + 1));
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  if (snapshot == nullptr) return;
  context_.jobs.submit(
      "memory times", "Estimate the times of " + snapshot->title,
      [content = content_, path = snapshot->file == nullptr ? std::string() : snapshot->file->path](
          JobContext&) -> Result<MapAxis> {
        TRY(const std::vector<double> times,
            stepTimes(*content->plans.module, content->plans.sequence,
                      scheduleTargetOf(*content->plans.module, path).device));
        return MapAxis::ofTimes(times);
      },
      [this, of = content_](Result<MapAxis> axis) {
        if (of != content_ || axis_->currentIndex() == 0) return;
        if (axis && axis->isTime()) return setAxis(*std::move(axis));
        axis_->setCurrentIndex(0);
        axis_->setToolTip("No times are estimated: " +
                          (axis ? QString("nothing of this module takes any") : qs(axis.error().message)));
      },
      &scope_);
}

void MemoryView::setAxis(const MapAxis& axis) {
  for (MemoryMap* map : maps_) map->scene().setAxis(axis);
}

// Both to one scale: the smaller plan looks smaller.
void MemoryView::scaleMaps() {
  int64_t map = 0, curve = 0;
  for (size_t side = 0; side < 2; ++side) {
    if (planOf(side) == nullptr) continue;
    map = std::max(map, maps_[side]->scene().shownBytes());
    curve = std::max({curve, planOf(side)->profile.totals.total, planOf(side)->profile.peakBytes});
  }
  for (MemoryMap* each : maps_) each->scene().setScale(map, curve);
}

// ---- cursor and selection

void MemoryView::setCursor(int64_t step) {
  if (!content_) return;
  const auto steps = static_cast<int64_t>(content_->plans.sequence.size());
  cursor_ = std::clamp<int64_t>(step, 0, steps);
  for (MemoryMap* map : maps_) map->scene().setCursor(cursor_);
  moments_->place(cursor_);
  fillLive();
}

void MemoryView::setActive(size_t side) {
  active_ = side;
  for (size_t i = 0; i < 2; ++i) maps_[i]->scene().setActive(i == side);
  if (!content_) return;
  showHead();
  groupCategories_ = categoriesBy(groupsOf(planOf(0) != nullptr ? 0 : 1), groupsOf(active_));
}

void MemoryView::fillLive() {
  const MemoryPlan* plan = planOf(active_);
  if (plan == nullptr) return;
  const bool fixed = contentChoice_->currentIndex() == static_cast<int>(MapContent::kAll);
  auto rows = liveRows(content_->plans, *plan, cursor_, fixed, kLiveRows);
  setTabCount(*tables_, liveTable_, "Live", rows.size());
  live_.setRows(std::move(rows));
  groups_.setRows(groupRows(*plan, groupsOf(active_), cursor_, fixed));
  setTabCount(*tables_, groupTable_, "Groups", static_cast<size_t>(groups_.rowCount()));
}

Selection MemoryView::selectionOf(InstructionId id) const {
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  const Instruction* instruction = snapshot == nullptr ? nullptr : snapshot->module->instruction(id);
  return instruction == nullptr ? Selection() : hilo::selectionOf(*snapshot, *instruction);
}

void MemoryView::selectValue(size_t side, int value, bool activate) {
  const MemoryPlan* plan = planOf(side);
  if (plan != nullptr)
    selectInstruction(plan->profile.values[static_cast<size_t>(value)].instruction, activate);
}

void MemoryView::selectInstruction(InstructionId id, bool activate) {
  const Selection selection = selectionOf(id);
  if (selection.empty()) return;
  telling_ = true;
  if (activate) {
    context_.bus.activate(selection);
  } else {
    context_.bus.select(selection);
  }
  telling_ = false;
}

// What others select is shown where it begins.
void MemoryView::follow(const Selection& selection, bool moveCursor) {
  if (!content_ || selection.snapshot != shown_) return;
  for (MemoryMap* map : maps_) map->scene().setSelected(selection.instruction);
  const MemoryPlan* plan = planOf(active_);
  if (!moveCursor || plan == nullptr || !selection.instruction.valid()) return;
  for (const PlacedValue& value : plan->profile.values) {
    if (value.instruction != selection.instruction) continue;
    if (cursor_ < value.range.start || cursor_ > value.range.end) setCursor(value.range.start);
    return;
  }
}

Status MemoryView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  if (!request.query.isEmpty()) TRY_STATUS(showTable(request.query));
  if (!request.run || tables_->currentWidget() != changes_) return {};
  TRY_STATUS(steps.wait());
  changes_->tryChanges();
  return steps.wait();
}

View* makeMemoryView(const ViewContext& context) { return new MemoryView(context); }

}  // namespace hilo
