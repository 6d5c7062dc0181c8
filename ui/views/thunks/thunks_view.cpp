#include "ui/views/thunks/thunks_view.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "core/workspace/thunks/xla_thunks.h"
#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/views/thunks/thunk_summary.h"
#include "ui/widgets/instruction_menu.h"

namespace hilo {
namespace {

// The first that calls its computation; null of the entry.
const Instruction* callerOf(const Instruction& instruction) {
  for (const Computation* computation : instruction.module().computations()) {
    for (const Instruction* each : computation->instructions()) {
      const auto called = each->calledComputations();
      if (std::ranges::find(called, &instruction.parent()) != called.end()) return each;
    }
  }
  return nullptr;
}

uint32_t thunkMadeOf(const ThunkStudy& study, InstructionId id) {
  for (uint32_t i = 0; i < study.thunks.size(); ++i) {
    const auto& of = study.thunks[i].instructions;
    if (std::ranges::find(of, id) != of.end()) return i;
  }
  return StudiedThunk::kNone;
}

constexpr const char* kNothingOpen =
    "Open a module, a saved program, or thunks that XLA wrote, to see what it runs.";
constexpr const char* kHowTo =
    "Compile this module to see its thunks, what each waits for, and its kernels.\n"
    "Nothing runs until Profile is pressed.";
// Larger ones are compiled when asked: it may take a while.
constexpr size_t kCompiledUnasked = 5'000;
constexpr qsizetype kReasonsShown = 6;

// What there is most to say about: nothing that only waits for what it runs.
uint32_t longest(const ThunkStudy& study) {
  std::vector<uint8_t> hasBody(study.thunks.size(), 0);
  for (const StudiedThunk& thunk : study.thunks) {
    if (thunk.parent != StudiedThunk::kNone) hasBody[thunk.parent] = 1;
  }
  uint32_t best = 0;
  int64_t most = -1;
  for (uint32_t i = 0; i < study.thunks.size(); ++i) {
    if (hasBody[i] != 0 || timeOf(study.thunks[i]) <= most) continue;
    best = i;
    most = timeOf(study.thunks[i]);
  }
  return best;
}

// The dump and the module of it that the snapshot is the last stage of, if it holds a thunk sequence.
std::optional<std::pair<std::shared_ptr<const OpenedDump>, size_t>> sequenceOf(const Session& session,
                                                                               const Snapshot& snapshot) {
  const Document* document = session.document(snapshot.document);
  if (document == nullptr || document->dump == nullptr) return std::nullopt;
  for (size_t m = 0; m < document->stages.size(); ++m) {
    const auto& stages = document->stages[m];
    if (!stages.empty() && stages.back() == snapshot.id && hasThunkSequence(*document->dump, m))
      return std::pair(document->dump, m);
  }
  return std::nullopt;
}

}  // namespace

ThunksView::ThunksView(const ViewContext& context, QWidget* parent) : View(context, parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  head_ = new ThunksHead(context_, this);
  head_->setText(kNothingOpen);
  layout->addWidget(head_);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->setChildrenCollapsible(false);
  auto* above = new QSplitter(Qt::Horizontal, split);
  above->setChildrenCollapsible(false);
  graph_ = new ThunkGraph(context_.jobs);
  above->addWidget(graph_);
  table_ = new ThunkTable(above);
  table_->setEmptyText(kHowTo);
  above->setSizes({560, 540});
  buildDetails(split);
  split->setSizes({420, 260});
  layout->addWidget(split, 1);
  connectParts();
}

void ThunksView::setBusy(JobId job) {
  const bool isCompiled = drawn_ != nullptr && drawn_->study.program != nullptr;
  head_->offer({.isDrawn = drawn_ != nullptr,
                .isCompiled = isCompiled,
                .isPlanned = isCompiled && drawn_->study.isPlanned,
                .hasModule = shown_.module.valid()},
               job);
}

void ThunksView::buildDetails(QWidget* below) {
  details_ = new QTabWidget(below);
  details_->setDocumentMode(true);
  details_->setAccessibleName("Details of the thunk");
  legend_ = new HeatLegend(details_);
  lanes_ = new ThunkLanes(details_);
  details_->addTab(lanes_, "Timeline");
  moments_ = new ThunkMomentLink(context_, *lanes_, this);
  details_->setTabToolTip(
      0,
      "When each thunk ran, and on which thread: once it is measured; of a GPU when it is "
      "planned, on which stream");
  dependencies_ = new ThunkDependencies(details_);
  details_->addTab(dependencies_, "Dependencies");
  kernel_ = new KernelPane(details_);
  details_->addTab(kernel_, "Kernel");
  races_ = new RaceTable(details_);
  details_->addTab(races_, "Races");
  details_->setTabVisible(details_->indexOf(races_), false);
}

void ThunksView::connectParts() {
  connect(&head_->nextButton(), &QPushButton::clicked, this,
          [this] { drawn_ != nullptr && drawn_->study.program != nullptr ? measure() : compile(); });
  connect(&head_->targetBox(), &QComboBox::currentIndexChanged, this, &ThunksView::compile);
  connect(head_, &ThunksHead::targetSaid, this, [this] {
    const Snapshot* snapshot = context_.session.snapshot(shown_.module);
    if (snapshot != nullptr && snapshot->module->instructionCount() <= kCompiledUnasked) compile();
  });
  connect(graph_, &ThunkGraph::thunkSelected, this, [this](uint32_t thunk) { select(thunk, true); });
  const auto showMenu = [this](QPoint place) { showInstructionMenu(*this, context_, place); };
  connect(graph_, &CanvasWidget::contextMenuAsked, this,
          [showMenu](quint64, QPoint place) { showMenu(place); });
  connect(lanes_, &ThunkLanes::menuAsked, this, showMenu);
  connect(lanes_, &ThunkLanes::thunkSelected, this, [this](uint32_t thunk) { select(thunk, true); });
  connect(table_, &ThunkTable::thunkSelected, this, [this](uint32_t thunk) { select(thunk, true); });
  connect(dependencies_, &ThunkDependencies::valueActivated, this, &ThunksView::goToValue);
  connect(races_, &RaceTable::raceChosen, this, &ThunksView::goToRace);
  connect(details_, &QTabWidget::currentChanged, this, &ThunksView::showKernel);
  connect(kernel_, &KernelPane::instructionSelected, this, &ThunksView::tellSelection);
  connect(kernel_, &KernelPane::optionsChosen, this, &ThunksView::askForKernel);
  connect(&context_.changes, &SessionChanges::currentShown, this, &ThunksView::refresh);
  connect(&context_.changes, &SessionChanges::compiledShown, this, &ThunksView::refresh);
  connect(&context_.changes, &SessionChanges::currentChanged, this, [this] {
    if (context_.session.current() == nullptr) refresh();
  });
  connect(&context_.bus, &SelectionBus::selectionChanged, this, &ThunksView::follow);
}

void ThunksView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void ThunksView::refresh() {
  const Document* compiled = context_.session.shownCompiled();
  const Snapshot* snapshot = compiled != nullptr ? nullptr : context_.session.current();
  const Shown now{snapshot == nullptr ? SnapshotId() : snapshot->id,
                  compiled == nullptr ? DocumentId() : compiled->id};
  if (now == shown_ || (!isVisible() && now != Shown())) return;
  shown_ = now;
  ++asked_;
  context_.jobs.cancelTag("thunks");
  setBusy({});
  clear(now == Shown() ? kNothingOpen : kHowTo);
  if (compiled != nullptr) {
    return ask("Read the thunks",
               [program = compiled->program, thunks = compiled->thunks](const JobContext&) {
                 return program != nullptr ? studyProgram(program) : Result<ThunkStudy>(*thunks);
               });
  }
  if (snapshot == nullptr) return;
  if (const auto sequence = sequenceOf(context_.session, *snapshot)) {
    return ask("Read the thunk sequence",
               [dump = sequence->first, m = sequence->second, module = snapshot->module](const JobContext&) {
                 return studyThunksOfDump(*dump, m, *module);
               });
  }
  if (snapshot->file != nullptr && hasThunkSequence(*snapshot->file)) {
    return ask("Read the thunks",
               [file = snapshot->file](const JobContext&) { return studyThunksOfFile(*file); });
  }
  head_->findTarget(snapshot->id);
}

void ThunksView::compile() {
  const Snapshot* snapshot = context_.session.snapshot(shown_.module);
  if (snapshot == nullptr) return;
  if (const std::string gpu = head_->gpu(); !gpu.empty()) {
    return ask("Compile", [module = snapshot->module, gpu](const JobContext& job) {
      return compileThunksForGpu(module, gpu, job);
    });
  }
  ask("Compile", [module = snapshot->module, run = run_](const JobContext& job) -> Result<ThunkStudy> {
    TRY(ThunkStudy study, compileThunks(module, job));
    if (run == nullptr || !hasTimesOf(study, *run)) return study;
    return withTimesOf(study, *run).value_or(study);
  });
}

void ThunksView::take(const ViewAsk& what) {
  if (const auto* selected = std::get_if<RunSelected>(&what)) setRun(selected->run);
}

void ThunksView::setRun(std::shared_ptr<const RunRecord> run) {
  run_ = std::move(run);
  if (drawn_ == nullptr || run_ == nullptr || !hasTimesOf(drawn_->study, *run_) || head_->job().valid())
    return;
  ask(
      "Times of a run",
      [drawn = drawn_, kept = run_](const JobContext&) { return withTimesOf(drawn->study, *kept); },
      /*again=*/true);
}

void ThunksView::measure() {
  if (drawn_ == nullptr || drawn_->study.program == nullptr) return;
  ask(
      "Profile",
      [drawn = drawn_, worker = context_.session.runs().worker()](const JobContext& job) {
        return measureThunks(drawn->study, worker, job);
      },
      /*again=*/true);
}

void ThunksView::ask(const QString& title, MakeStudy make, bool again) {
  if (!again) head_->setText(title + QStringLiteral("…"));
  const JobId job = context_.jobs.submit(
      "thunks", title.toStdString(),
      [make = std::move(make), closed = again ? std::optional(graph_->closed()) : std::nullopt](
          JobContext& context) -> Result<std::shared_ptr<const Drawn>> {
        TRY(ThunkStudy study, make(context));
        ClosedThunks shut = closed ? *closed : closedAtFirst(study);
        TRY(Scene scene, makeThunkScene(study, shut, context.cancel()));
        ThunkTimeline timeline = makeTimeline(study);
        return std::make_shared<const Drawn>(Drawn{std::move(study), std::move(shut),
                                                   std::make_shared<const IndexedScene>(std::move(scene)),
                                                   std::move(timeline)});
      },
      [this, asked = ++asked_, title, again](Result<std::shared_ptr<const Drawn>> drawn) {
        if (asked != asked_) return;
        if (drawn) show(std::move(*drawn), again);
        setBusy({});
        if (!drawn) sayWhyNot(title, drawn.error());
      },
      &scope_);
  setBusy(job);
}

// What is drawn stays. That a module cannot be compiled is no failure: nobody may have asked for it.
void ThunksView::sayWhyNot(const QString& title, const Diagnostic& why) {
  const bool isStopped = why.kind == "cancelled";
  const QString text = title + QStringLiteral(": ") + (isStopped ? QStringLiteral("stopped") : lineOf(why));
  if (drawn_ == nullptr) {
    QStringList lines{isStopped ? QString(kHowTo) : title + QStringLiteral(": ") + qs(why.message)};
    for (const std::string& note : why.notes) lines << qs(note);
    const qsizetype more = lines.size() - kReasonsShown;
    if (more > 1) lines = lines.mid(0, kReasonsShown) << QStringLiteral("and %1 more").arg(more);
    clear(text);
    table_->setEmptyText(lines.join(u'\n'));
  } else {
    head_->setText(summaryOf(drawn_->study, lanes_->laneCount()) + QStringLiteral("\n") + text);
    if (!isStopped) Q_EMIT context_.changes.failed(title, why);
  }
}

void ThunksView::show(std::shared_ptr<const Drawn> drawn, bool again) {
  drawn_ = std::move(drawn);
  const ThunkStudy& study = drawn_->study;
  const uint32_t selected = again ? selected_ : StudiedThunk::kNone;
  if (!again) kernelOf_ = StudiedThunk::kNone;
  selected_ = StudiedThunk::kNone;
  lanes_->setStudy({drawn_, &study}, {drawn_, &drawn_->timeline});
  moments_->setSnapshot(shown_.module);
  legend_->setScale(drawn_->timeline.heat);
  head_->setText(summaryOf(study, lanes_->laneCount()));
  graph_->setStudy({drawn_, &study}, drawn_->closed, drawn_->scene, selected);
  const Snapshot* snapshot = context_.session.snapshot(shown_.module);
  table_->setStudy(study, snapshot == nullptr ? nullptr : snapshot->module.get());
  races_->setStudy(study);
  offerTabs(again);
  if (selected != StudiedThunk::kNone) return select(selected, false);
  if (!wanted_.isEmpty()) goTo(wanted_);
  if (selected_ == StudiedThunk::kNone) follow(context_.bus.selected());
  if (selected_ == StudiedThunk::kNone && !study.thunks.empty()) select(longest(study), false);
}

// A timeline of what ran or is planned, and races where there are some; what is new comes to the front.
void ThunksView::offerTabs(bool again) {
  const int timeline = details_->indexOf(lanes_);
  const bool hasTimeline = !drawn_->study.timeline.empty();
  const bool isNew = hasTimeline && !details_->isTabEnabled(timeline);
  details_->setTabEnabled(timeline, hasTimeline);
  if (isNew && details_->currentWidget() != kernel_) details_->setCurrentIndex(timeline);
  const bool hasRaces = !drawn_->study.races.empty();
  details_->setTabVisible(details_->indexOf(races_), hasRaces);
  if (hasRaces && !again) details_->setCurrentWidget(races_);
}

void ThunksView::clear(const QString& text) {
  head_->setText(QString(text).section(u'\n', 0, 0));
  drawn_ = nullptr;
  selected_ = kernelOf_ = StudiedThunk::kNone;
  graph_->clear();
  lanes_->setStudy(nullptr, nullptr);
  legend_->setScale({});
  table_->clear(text);
  dependencies_->clear();
  races_->clear();
  details_->setTabVisible(details_->indexOf(races_), false);
  kernel_->setText({});
}

void ThunksView::select(uint32_t thunk, bool tell) {
  if (drawn_ == nullptr || telling_ || (thunk == selected_ && !tell)) return;
  selected_ = thunk;
  telling_ = true;
  graph_->showThunk(thunk);
  if (thunk != StudiedThunk::kNone) {
    const Snapshot* snapshot = context_.session.snapshot(shown_.module);
    lanes_->select(thunk);
    table_->select(thunk);
    dependencies_->showThunk(
        drawn_->study, thunk,
        originText(drawn_->study.thunks[thunk], snapshot == nullptr ? nullptr : snapshot->module.get()));
    showKernel();
    const auto& instructions = drawn_->study.thunks[thunk].instructions;
    if (tell && !instructions.empty()) tellSelection(instructions[0]);
  }
  telling_ = false;
}

void ThunksView::goToRace(const ThunkRace& race) {
  if (drawn_ == nullptr) return;
  select(race.first, true);
  graph_->showRace(race);
}

bool ThunksView::goTo(const QString& name) {
  wanted_ = drawn_ == nullptr ? name : QString();
  if (drawn_ == nullptr) return true;
  const auto& thunks = drawn_->study.thunks;
  const auto found = std::ranges::find(thunks, toStd(name), &StudiedThunk::name);
  if (found != thunks.end()) select(static_cast<uint32_t>(found - thunks.begin()), true);
  return found != thunks.end();
}

void ThunksView::tellSelection(InstructionId id) {
  const Snapshot* snapshot = context_.session.snapshot(shown_.module);
  if (snapshot == nullptr) return;
  if (const Instruction* instruction = snapshot->module->instruction(id); instruction != nullptr)
    context_.bus.select(selectionOf(*snapshot, *instruction));
}

// Listing a kernel takes a compilation: only while its tab is in front.
void ThunksView::showKernel() {
  if (drawn_ == nullptr || selected_ == StudiedThunk::kNone || details_->currentWidget() != kernel_ ||
      kernelOf_ == selected_)
    return;
  kernelOf_ = selected_;
  kernel_->setText(QStringLiteral("compiling…"));
  askForKernel(std::nullopt);
}

void ThunksView::askForKernel(const std::optional<LlvmKernelOptions>& options) {
  const Snapshot* snapshot = context_.session.snapshot(shown_.module);
  const auto sequence = snapshot == nullptr ? std::nullopt : sequenceOf(context_.session, *snapshot);
  const Document* alone = context_.session.document(shown_.compiled);
  context_.jobs.submit(
      "thunk-kernel", "Show the kernel of " + drawn_->study.thunks[kernelOf_].name,
      [drawn = drawn_, index = kernelOf_, sequence, options,
       file = snapshot == nullptr ? nullptr : snapshot->file,
       module = snapshot == nullptr ? nullptr : snapshot->module,
       alone = alone == nullptr ? std::string() : alone->path](JobContext&) -> Result<KernelForms> {
        const ThunkStudy& study = drawn->study;
        if (study.program != nullptr) return kernelForms(study, index, options);
        if (!alone.empty()) return kernelFormsAlone(alone, study, index);
        if (sequence) return kernelFormsOfDump(*sequence->first, sequence->second, study, index, *module);
        return file == nullptr ? kernelForms(study, index) : kernelFormsOfFile(*file, study, index);
      },
      [this, index = kernelOf_](Result<KernelForms> forms) {
        if (index != kernelOf_) return;
        if (!forms) return kernel_->setText(qs(forms.error().message));
        kernel_->setForms(std::move(*forms));
        // What the thunk was made for, where nothing in it was chosen.
        const InstructionId chosen = context_.bus.selected().instruction;
        const auto& instructions = drawn_->study.thunks[index].instructions;
        kernel_->select(chosen.valid() || instructions.empty() ? chosen : instructions[0]);
      },
      &scope_);
}

// The thunk of the selected instruction, while there is one; of an instruction within a kernel its lines.
void ThunksView::follow(const Selection& selection) {
  const Snapshot* snapshot = snapshotFor(context_.session, selection);
  if (drawn_ == nullptr || snapshot == nullptr || snapshot->id != shown_.module) return;
  kernel_->select(selection.instruction);
  if (telling_) return;
  // What is fused or recorded into a graph of the device runs in the thunk of what calls it.
  for (const Instruction* at = instructionOf(*snapshot->module, selection); at != nullptr;
       at = callerOf(*at)) {
    if (const uint32_t thunk = thunkMadeOf(drawn_->study, at->id()); thunk != StudiedThunk::kNone)
      return select(thunk, false);
  }
}

// The instruction of that name; with no module the thunk that wrote the value.
void ThunksView::goToValue(const QString& name) {
  const Selection found = findByName(context_.session, name);
  found.empty() ? static_cast<void>(goTo(name)) : context_.bus.select(found);
}

// A dump's own thunks have been read, as the view is looked at.
Status ThunksView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  if (table_->rows().rowCount() == 0) compile();
  TRY_STATUS(steps.wait());
  const bool isProgram = context_.session.shownCompiled() != nullptr;
  if (isProgram && !request.select.isEmpty() && !goTo(request.select))
    return fail("no-such-name", fmt::format("no thunk is called {}", toStd(request.select)));
  if (request.run) measure();
  return steps.wait();
}

View* makeThunksView(const ViewContext& context) { return new ThunksView(context); }

}  // namespace hilo
