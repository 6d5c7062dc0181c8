#include "ui/views/graph/graph_area.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include "core/analysis/cost_facts.h"
#include "core/analysis/neighbourhood.h"
#include "ui/models/session_selection.h"
#include "ui/style/metrics.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/graph/legend.h"
#include "ui/widgets/ask_file.h"
#include "ui/widgets/graph_pair.h"
#include "ui/widgets/instruction_menu.h"

namespace hilo {
namespace {

SceneMark markOf(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::Same:
      return SceneMark::kNone;
    case ChangeKind::Added:
      return SceneMark::kAdded;
    case ChangeKind::Removed:
      return SceneMark::kRemoved;
    case ChangeKind::Changed:
    case ChangeKind::Moved:
    case ChangeKind::Reordered:
      return SceneMark::kChanged;
  }
  return SceneMark::kNone;
}

absl::flat_hash_map<InstructionId, SceneMark> marksOf(const std::vector<ChangeKind>& kinds) {
  absl::flat_hash_map<InstructionId, SceneMark> marks;
  for (uint32_t id = 0; id < kinds.size(); ++id) {
    if (kinds[id] != ChangeKind::Same) marks[InstructionId{id}] = markOf(kinds[id]);
  }
  return marks;
}

// What the place is made of, from the parameters of its computation on, and so of each that calls it.
absl::flat_hash_set<InstructionId> wayTo(const Finding& finding, const Module& module) {
  constexpr size_t kMostLit = 20'000;
  absl::flat_hash_set<InstructionId> way;
  std::vector<InstructionId> tips = finding.through;
  tips.push_back(finding.instruction);
  for (const InstructionId tip : tips) {
    const Instruction* instruction = module.instruction(tip);
    if (instruction == nullptr) continue;
    for (const Instruction* each : coneOf(*instruction, ConeDirection::Operands, kMostLit))
      way.insert(each->id());
  }
  return way;
}

QStringList splitWords(const QString& text) {
  QStringList words(1);
  for (qsizetype i = 0; i < text.size(); ++i) {
    if (text[i] == u',') {
      words << QString();
    } else {
      if (text[i] == u'\\' && i + 1 < text.size() && text[i + 1] == u',') ++i;
      words.back() += text[i];
    }
  }
  words.removeAll(QString());
  return words;
}

class TwoGraphs : public GraphPair {
 public:
  TwoGraphs(const Session& session, JobQueue& jobs, QWidget* parent)
      : GraphPair(parent), session_(session), jobs_(jobs) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    auto* split = new QSplitter(Qt::Horizontal, this);
    before_ = addSide(split, "before");
    after_ = addSide(split, "after");
    layout->addWidget(split);
    connect(before_, &GraphView::instructionSelected, this, [this](InstructionId id) { follow(id, true); });
    connect(after_, &GraphView::instructionSelected, this, [this](InstructionId id) { follow(id, false); });
  }

  void showStep(std::shared_ptr<const Module> before, std::shared_ptr<const Module> after,
                const StepDiff& diff) override {
    partnerBefore_ = diff.partnerBefore;
    partnerAfter_ = diff.partnerAfter;
    showCost(*before_, before);
    showCost(*after_, after);
    before_->setModule(std::move(before));
    before_->setMarks(marksOf(diff.kindBefore));
    after_->setModule(std::move(after));
    after_->setMarks(marksOf(diff.kindAfter));
    if (!diff.changes.empty()) reveal(diff.changes.front().before, diff.changes.front().after);
  }

  void reveal(InstructionId before, InstructionId after) override {
    if (before.valid()) before_->select(before);
    if (after.valid()) after_->select(after);
  }

  bool isSettled() const override { return before_->isSettled() && after_->isSettled(); }

 private:
  GraphView* addSide(QSplitter* split, const QString& title) {
    auto* side = new QWidget(split);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* label = new QLabel(title, side);
    label->setContentsMargins(kSpace, kSpaceSmall, kSpace, 0);
    layout->addWidget(label);
    auto* graph = new GraphView(jobs_, side);
    graph->canvas()->setAccessibleName("Graph " + title);
    side->setMinimumWidth(160);
    layout->addWidget(graph, 1);
    split->addWidget(side);
    return graph;
  }

  // What is selected on one side is shown on the other as well.
  void follow(InstructionId id, bool fromBefore) {
    const auto& partners = fromBefore ? partnerBefore_ : partnerAfter_;
    if (!id.valid() || id.value >= partners.size() || !partners[id.value].valid()) return;
    (fromBefore ? after_ : before_)->select(partners[id.value]);
  }

  // A module that is open in the session may be counted already.
  void showCost(GraphView& side, const std::shared_ptr<const Module>& module) {
    const std::string tag = &side == before_ ? "graphs.before" : "graphs.after";
    jobs_.cancelTag(tag);
    if (module == nullptr) return;
    if (const auto known = session_.result<ResultKind::Cost>(session_.find(*module)))
      return side.colours().setCost(known);
    using Cost = std::shared_ptr<const ModuleCost>;
    jobs_.submit(
        tag, fmt::format("Count costs of {}", module->name()),
        [module](JobContext&) -> Result<Cost> { return std::make_shared<const ModuleCost>(*module); },
        [&side](Result<Cost> cost) {
          if (cost) side.colours().setCost(*std::move(cost));
        },
        &scope_);
  }

  const Session& session_;
  JobQueue& jobs_;
  JobScope scope_;
  GraphView* before_;
  GraphView* after_;
  std::vector<InstructionId> partnerBefore_, partnerAfter_;
};

}  // namespace

GraphArea::GraphArea(const ViewContext& context, QWidget* parent) : View(context, parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  view_ = new GraphView(context_.jobs, this);
  if (!context_.layoutFolder.isEmpty()) view_->setLayoutFolder(context_.layoutFolder);
  setMinimumWidth(240);
  layout->addWidget(view_);
  setFocusProxy(view_);
  view_->canvas()->installEventFilter(this);
  view_->canvas()->setAccessibleName("Graph");
  const auto tell = [this](InstructionId id, void (SelectionBus::*verb)(const Selection&)) {
    const Snapshot* snapshot = context_.session.snapshot(shown_);
    const Instruction* instruction = snapshot == nullptr ? nullptr : snapshot->module->instruction(id);
    const bool hover = verb == &SelectionBus::hover;
    if (instruction != nullptr) {
      (context_.bus.*verb)(selectionOf(*snapshot, *instruction));
    } else if (hover) {
      context_.bus.hover({});
    }
  };
  connect(view_, &GraphView::instructionSelected, this,
          [tell](InstructionId id) { tell(id, &SelectionBus::select); });
  connect(view_, &GraphView::instructionActivated, this,
          [tell](InstructionId id) { tell(id, &SelectionBus::activate); });
  connect(view_, &GraphView::instructionHovered, this,
          [tell](InstructionId id) { tell(id, &SelectionBus::hover); });
  connect(view_, &GraphView::menuAsked, this, [this](QMenu* menu) { addInstructionMenu(*menu, context_); });
  connect(&context_.changes, &SessionChanges::currentChanged, this, &GraphArea::showModule);
  connect(this, &GraphArea::painted, this, [this] { context_.session.noteShown(); });
  connect(view_, &GraphView::settled, this, [this] {
    // Nothing to paint, or nobody to see it.
    if (!isVisible() || view_->canvas()->scene().nodes.empty()) context_.session.noteShown();
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &GraphArea::showSelection);
  // Also where it was selected before: a group was clicked since, or the view was moved elsewhere.
  connect(&context_.bus, &SelectionBus::activated, this, [this](const Selection& selection) {
    showSelection(selection);
    view_->bringIntoSight();
  });
  view_->colours().addSource("changed", tr("Pass that changed it last"), [this] { askChanged(); });
  view_->colours().addSource("time", tr("Measured time on this processor"), [this] { askTimes(); });
  view_->colours().addSource("run", tr("Measured time of the selected run"), [this] { askTimesOfRun(); });
  view_->colours().addSource("values", tr("Largest absolute value"),
                             [this] { askValues(ValueFact::Magnitude); });
  view_->colours().addSource("nan", tr("NaN and Inf"), [this] { askValues(ValueFact::NotFinite); });
  view_->colours().addSource("reshards", tr("Sharding, and reshards on edges"), [this] { askReshards(); });
  view_->colours().addSource("difference", tr("Difference between two engines"),
                             [this] { showDifferences(); });
  connect(&context_.changes, &SessionChanges::resultReady, this, &GraphArea::showValues);
  connect(&context_.changes, &SessionChanges::resultReady, this, &GraphArea::showCost);
  connect(&context_.changes, &SessionChanges::currentShown, this, &GraphArea::countCost);
  connect(&context_.changes, &SessionChanges::findingChanged, this, &GraphArea::showFinding);
  addActions();
}

void GraphArea::addActions() {
  addMenuAction("File", "file.exportGraph", "&Export graph...", QKeySequence("Ctrl+E"),
                [this] { exportPicture(); });
  addMenuAction("View", "view.fit", "&Fit graph", QKeySequence("Ctrl+0"), [this] { view_->canvas()->fit(); });
  QAction* xla =
      addMenuAction("View", "view.xlaColours", "&XLA's graph colours", {}, {}, /*isRemembered=*/true);
  xla->setCheckable(true);
  connect(xla, &QAction::toggled, this, [this](bool on) {
    view_->colours().setPalette(on ? NodePalette::kXla : NodePalette::kOpcodeClass);
  });
}

// The passes the current module went through, and after which of them it is.
std::optional<std::pair<PassSeries, size_t>> GraphArea::passesOf(const Snapshot& snapshot) const {
  for (const SeriesEntry& entry : context_.session.series()) {
    for (size_t step = 1; step < entry.series->steps.size(); ++step) {
      if (entry.series->steps[step].moduleIfLoaded() == snapshot.module)
        return std::pair(*entry.series, step);
    }
  }
  const Document* document = context_.session.document(snapshot.document);
  if (document == nullptr || document->dump == nullptr) return std::nullopt;
  for (size_t module = 0; module < document->stages.size(); ++module) {
    const auto& stages = document->stages[module];
    const auto at = std::ranges::find(stages, snapshot.id);
    if (at != stages.end() && at != stages.begin())
      return std::pair(seriesFromDump(document->dump, module), static_cast<size_t>(at - stages.begin()));
  }
  return std::nullopt;
}

void GraphArea::askChanged() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return;
  auto passes = passesOf(*snapshot);
  if (!passes)
    return view_->say(
        tr("This module comes from no pass: run passes over it, or open a later stage of a dump."));
  showOverlay(tr("Compare passes"), snapshot->id, [passes = std::move(*passes)](const JobContext& job) {
    return changedByPass(passes.first, passes.second, job);
  });
}

void GraphArea::askTimes() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return;
  showOverlay(tr("Profile the instructions"), snapshot->id,
              [module = snapshot->module, worker = context_.session.runs().worker()](const JobContext& job) {
                return measuredTimes(module, worker, job);
              });
}

void GraphArea::askReshards() {
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  if (snapshot == nullptr) return;
  showOverlay(tr("Partition"), snapshot->id,
              [module = snapshot->module, known = context_.session.result<ResultKind::Partition>(shown_)](
                  const JobContext& job) -> Result<Overlay> {
                if (known != nullptr) return overlayOfReshards(*known, *module);
                TRY(const auto made, makePartitioning({.module = module}, job));
                return overlayOfReshards(*made, *module);
              });
}

void GraphArea::setRun(std::shared_ptr<const RunRecord> run) {
  run_ = std::move(run);
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  const bool isOfShown = snapshot != nullptr && run_ != nullptr && !run_->thunkTimes.empty() &&
                         run_->moduleName == snapshot->module->name();
  if (isOfShown) static_cast<void>(view_->colours().by("run"));
}

void GraphArea::askTimesOfRun() {
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  if (snapshot == nullptr) return;
  if (run_ == nullptr) return view_->say(tr("Select a run first, in the list of runs."));
  showOverlay(tr("Times of a run"), snapshot->id, [module = snapshot->module, run = run_](const JobContext&) {
    return timesOfRun(*run, *module);
  });
}

void GraphArea::askValues(ValueFact fact) {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return;
  fact_ = fact;
  if (context_.session.result<ResultKind::Values>(snapshot->id) != nullptr) return showValues();
  view_->say(tr("Computing the values…"));
  context_.session.request(snapshot->id, ResultKind::Values);
}

void GraphArea::showValues() {
  auto values = context_.session.result<ResultKind::Values>(shown_);
  if (values == nullptr || !fact_) return;
  showOverlay(tr("Values"), shown_,
              [values = std::move(values), fact = *std::exchange(fact_, std::nullopt)](
                  const JobContext&) -> Result<Overlay> { return overlayOfValues(*values, fact); });
}

void GraphArea::showCost() { view_->colours().setCost(context_.session.result<ResultKind::Cost>(shown_)); }

// For what is said of an instruction under the pointer, when nothing else waits.
void GraphArea::countCost() {
  constexpr int kQuietMs = 300;
  QTimer::singleShot(kQuietMs, this, [this, of = shown_] {
    if (of == shown_) context_.session.request(of, ResultKind::Cost);
  });
}

void GraphArea::showDifferences() {
  const Snapshot* snapshot = context_.session.snapshot(shown_);
  if (snapshot == nullptr) return;
  auto divergence = context_.session.result<ResultKind::Divergence>(shown_);
  if (divergence == nullptr)
    return view_->say(tr("Compare two engines first: First divergence, under Values."));
  showOverlay(
      tr("Differences"), shown_,
      [divergence = std::move(divergence), module = snapshot->module](const JobContext&) -> Result<Overlay> {
        return overlayOfDifferences(*divergence, *module);
      });
}

void GraphArea::showFinding() {
  const auto& finding = context_.session.finding();
  if (!finding || finding->snapshot != shown_) return view_->setMarks({});
  view_->setMarks({{finding->instruction, SceneMark::kFault}},
                  wayTo(*finding, *context_.session.snapshot(shown_)->module));
}

void GraphArea::showOverlay(const QString& title, SnapshotId of,
                            std::function<Result<Overlay>(const JobContext&)> make) {
  view_->say(title + QStringLiteral("…"));
  ++overlaysAsked_;
  context_.jobs.submit(
      "graph-overlay", title.toStdString(), [make = std::move(make)](JobContext& job) { return make(job); },
      [this, of, title](Result<Overlay> overlay) {
        --overlaysAsked_;
        if (of != shown_) return;
        if (overlay) return view_->colours().set(std::move(*overlay));
        view_->say(QString::fromStdString(overlay.error().message));
        Q_EMIT context_.changes.failed(title, overlay.error());
      },
      &scope_);
}

void GraphArea::showModule() {
  const Snapshot* snapshot = context_.session.current();
  shown_ = snapshot == nullptr ? SnapshotId{} : snapshot->id;
  paintReported_ = false;
  view_->setModule(snapshot == nullptr ? nullptr : snapshot->module);
  showCost();
  fact_.reset();
  if (context_.session.finding()) showFinding();
  showSelection(context_.bus.selected());
}

void GraphArea::showSelection(const Selection& selection) {
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  if (snapshot == nullptr || snapshot->id != shown_) return;
  view_->select(selection.instruction);
}

void GraphArea::exportPicture() {
  const FileQuestion question{.title = "Export the graph",
                              .filter = "SVG (*.svg);;PDF (*.pdf);;PNG (*.png);;Graphviz DOT (*.dot)",
                              .saves = true,
                              .suffix = "svg"};
  askFile(*this, question, [this](const QString& path) {
    const Status written = view_->exports().write(path);
    if (!written) Q_EMIT context_.changes.failed("The graph could not be exported", written.error());
  });
}

QString GraphArea::arrangement() const {
  QStringList words = view_->arrangement();
  for (QString& word : words) word.replace(',', "\\,");
  return words.join(',');
}

Status GraphArea::arrange(const QString& words) {
  QStringList queries;
  for (const QString& word : splitWords(words)) {
    const QString value = word.section(u'=', 1);
    if (word == QLatin1String("computations")) {
      view_->setGrouping(GroupingMode::ByComputation);
    } else if (word == QLatin1String("unfolded")) {
      view_->setFolding(false);
    } else if (word == QLatin1String("open-all")) {
      view_->openAll();
    } else if (word == QLatin1String("legend")) {
      view_->legend().show();
    } else if (word.startsWith(QLatin1String("colour="))) {
      TRY_STATUS(view_->colours().by(value));
    } else if (word.startsWith(QLatin1String("query="))) {
      queries << value;
    } else if (word.startsWith(QLatin1String("focus="))) {
      TRY_STATUS(view_->focusBy(value));
    } else {
      return fail("unknown-word", fmt::format("the graph knows no {}", word.toStdString()));
    }
  }
  return queries.isEmpty() ? Status() : view_->colours().setQueries(queries);
}

void GraphArea::addQuery(const QString& query) {
  QStringList queries = view_->colours().queries();
  if (!queries.contains(query)) queries << query;
  if (const Status set = view_->colours().setQueries(queries); !set)
    Q_EMIT context_.changes.failed("The graph could not be coloured", set.error());
}

bool GraphArea::isSettled() const { return overlaysAsked_ == 0 && view_->isSettled(); }

void GraphArea::take(const ViewAsk& what) {
  if (const auto* selected = std::get_if<RunSelected>(&what)) return setRun(selected->run);
  const auto* asked = std::get_if<ColourFound>(&what);
  if (asked == nullptr) return;
  addQuery(asked->query);
  comeToFront();
}

void GraphArea::stopAnimations() { view_->canvas()->setAnimated(false); }

Status GraphArea::arrange(const RenderRequest& request, const RenderSteps& /*steps*/) {
  return request.graph.isEmpty() ? Status() : arrange(request.graph);
}

Status GraphArea::prepare(const RenderRequest& request, const RenderSteps& steps) {
  const bool looksFor = request.query == "nan" || request.query == "divergence";
  return looksFor ? steps.prepare("values") : Status();
}

QString GraphArea::commandLine(ShownState state) const {
  state.options = pictureOptions();
  return pictureCommand(context_.session, state);
}

QString GraphArea::pictureOptions() const {
  const QString words = arrangement();
  return words.isEmpty() ? QString() : "--graph " + shellWord(words);
}

bool GraphArea::eventFilter(QObject* watched, QEvent* event) {
  const bool ready = !paintReported_ && shown_.valid() && !view_->canvas()->scene().nodes.empty();
  if (event->type() == QEvent::Paint && ready && view_->isShown()) {
    paintReported_ = true;
    // After this paint is on the screen.
    QMetaObject::invokeMethod(this, &GraphArea::painted, Qt::QueuedConnection);
  }
  return QWidget::eventFilter(watched, event);
}

GraphPair* makeTwoGraphs(const Session& session, JobQueue& jobs, QWidget* parent) {
  return new TwoGraphs(session, jobs, parent);
}

View* makeGraphArea(const ViewContext& context) { return new GraphArea(context); }

}  // namespace hilo
