#include "ui/views/bisect/bisect_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "ui/models/session_selection.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"
#include "ui/widgets/diff_text_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/view_controls.h"

namespace hilo {
namespace {

constexpr const char* kHowTo =
    "Choose what tells good from bad, and over what to search, then press Bisect: about log2 of the steps "
    "are looked "
    "at.\nThe strip shows each: good, bad, or unknown with the reason.";
constexpr const char* kNothingOpen = "Open a module or a dump to find which pass breaks it.";

// The lines of the changes, both sides aligned.
struct ChangeTexts {
  std::string left, right;
  std::vector<DiffPair> pairs;
};

ChangeTexts textsOf(const std::vector<BisectChange>& changes) {
  ChangeTexts texts;
  uint32_t left = 0, right = 0;
  // What was there comes first, what only came after it.
  std::vector<const BisectChange*> ordered;
  for (const bool was : {true, false}) {
    for (const BisectChange& change : changes) {
      if (!change.before.empty() == was) ordered.push_back(&change);
    }
  }
  for (const BisectChange* each : ordered) {
    const BisectChange& change = *each;
    DiffPair pair{.kind = change.before.empty()  ? PairKind::kAdded
                          : change.after.empty() ? PairKind::kRemoved
                                                 : PairKind::kChanged};
    if (!change.before.empty()) {
      texts.left += change.before + "\n";
      pair.left = left++;
    }
    if (!change.after.empty()) {
      texts.right += change.after + "\n";
      pair.right = right++;
    }
    texts.pairs.push_back(pair);
  }
  return texts;
}

}  // namespace

BisectView::BisectView(const ViewContext& context, QWidget* parent)
    : View(context, parent), lookRows_(lookColumns()) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(buildForm());
  message_ = new MessageLine(ColourRole::kText, this);
  layout->addWidget(message_);
  strip_ = new LookStrip(this);
  layout->addWidget(strip_);
  tabs_ = new QTabWidget(this);
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName("Search and reduction");
  tabs_->addTab(buildAnswer(), "What it changed");
  tabs_->addTab(buildLooks(), "Looks");
  reduce_ = new ReducePane(context, tabs_);
  tabs_->addTab(reduce_, "Reduce");
  layout->addWidget(tabs_, 1);
  addMenuAction("Module", "module.bisect", "&Bisect...", QKeySequence("Ctrl+Shift+B"),
                [this] { comeToFront(); });
  connect(strip_, &LookStrip::chosen, this, [this](int look) {
    const auto& rows = lookRows_.rows();
    for (size_t n = 0; n < rows.size(); ++n) {
      if (rows[n].number == look + 1) lookTable_->setCurrentIndex(lookRows_.index(static_cast<int>(n), 0));
    }
  });
  connect(&context_.changes, &SessionChanges::currentChanged, this, &BisectView::refresh);
  refresh();
}

QLayout* BisectView::buildForm() {
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  form_ = new BisectForm(this);
  start_ = new QPushButton("Bisect", this);
  start_->setToolTip("Search for the pass, the rewrite and the instruction that break the module");
  progress_ = new JobProgress(context_.jobs, "End the search", this);
  bar->addWidget(form_, 1);
  bar->addWidget(start_, 0, Qt::AlignTop);
  bar->addWidget(progress_, 0, Qt::AlignTop);
  connect(start_, &QPushButton::clicked, this, &BisectView::search);
  connect(form_, &BisectForm::changed, this, &BisectView::stateChanged);
  connect(progress_, &JobProgress::told, this, [this](const QString& text) {
    message_->say(text);
    if (soFar_ == nullptr) return;
    if (auto now = soFar_->take()) show(std::make_shared<const Bisection>(*std::move(now)), false);
  });
  return bar;
}

QWidget* BisectView::buildAnswer() {
  auto* page = new QWidget(this);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(kSpaceSmall, kSpaceSmall, kSpaceSmall, kSpaceSmall);
  changesTitle_ = new ElidedLabel(page);
  changesTitle_->setForegroundRole(QPalette::PlaceholderText);
  showInstruction_ = new QPushButton("Go to the instruction", page);
  showInstruction_->setToolTip("Show the module before the rewrite in the other views, at the instruction");
  showPasses_ = new QPushButton("Both modules in Passes", page);
  showPasses_->setToolTip("Compare the whole modules before and after it, as text and as graph");
  bar->addWidget(changesTitle_, 1);
  bar->addWidget(showInstruction_);
  bar->addWidget(showPasses_);
  layout->addLayout(bar);
  changes_ = new DiffTextView(page);
  changes_->left()->setAccessibleName("Changed instructions before");
  changes_->right()->setAccessibleName("Changed instructions after");
  layout->addWidget(changes_, 1);
  connect(showPasses_, &QPushButton::clicked, this, &BisectView::showInPasses);
  connect(showInstruction_, &QPushButton::clicked, this, &BisectView::showInstruction);
  return page;
}

QWidget* BisectView::buildLooks() {
  lookTable_ = new TableView(this);
  lookTable_->setAccessibleName("Looks");
  lookTable_->setModel(&lookRows_);
  lookTable_->setColumnWidths({6, 6, 34, 10, 9, 40});
  connect(lookTable_, &TableView::currentRowChanged, this, [this](const QModelIndex& index) {
    if (const LookRow* row = lookRows_.rowAt(index)) strip_->setChosen(row->number - 1);
  });
  return lookTable_;
}

// What was found stays, whatever module is looked at: it says which it is of.
void BisectView::refresh() {
  const Snapshot* snapshot = context_.session.current();
  lookTable_->setEmptyText(snapshot == nullptr ? kNothingOpen : kHowTo);
  strip_->setEmptyText(snapshot == nullptr ? kNothingOpen : kHowTo);
  form_->setHasStages(dumpModuleOf(context_.session).has_value());
  enableButtons();
}

void BisectView::enableButtons() {
  const bool isFound = found_ != nullptr && !isBusy_ && found_->outcome == BisectOutcome::Found;
  start_->setEnabled(context_.session.current() != nullptr && !isBusy_);
  showPasses_->setEnabled(isFound && found_->good != nullptr && found_->bad != nullptr);
  showInstruction_->setEnabled(isFound && found_->good != nullptr && found_->rewrite &&
                               found_->rewrite->instruction.has_value());
}

void BisectView::search() {
  const Snapshot* snapshot = context_.session.current();
  if (snapshot == nullptr) return;
  searched_ = form_->settings();
  origin_ = snapshot->id;
  const auto subject = subjectOf(searched_, context_.session);
  if (!subject) return message_->sayWhy(subject.error());
  const WatchOptions options = watchOptionsOf(searched_, context_.session.runs().worker());
  auto watcher = makeWatcher(toStd(searched_.watch), options);
  if (!watcher) return message_->sayWhy(watcher.error());
  soFar_ = std::make_shared<Mailbox<Bisection>>();
  show(std::make_shared<const Bisection>(), false);
  reduce_->setRequest(nullptr, {}, "The search is under way.");
  using Found = std::pair<std::shared_ptr<const BisectRequest>, Bisection>;
  isBusy_ = true;
  progress_->setJob(context_.jobs.submit(
      "bisect", "Bisect " + snapshot->title,
      [subject = *subject, watcher = std::shared_ptr<Watcher>(*std::move(watcher)),
       soFar = soFar_](JobContext& job) -> Result<Found> {
        TRY(BisectRequest request, bisectRequestOf(subject, job));
        request.looked = [&](const Bisection& now) { soFar->put(now); };
        TRY(Bisection found, bisect(request, *watcher, job));
        request.looked = nullptr;
        return Found(std::make_shared<const BisectRequest>(std::move(request)), std::move(found));
      },
      [this](Result<Found> found) {
        isBusy_ = false;
        progress_->setJob({});
        if (found) {
          request_ = found->first;
          show(std::make_shared<const Bisection>(std::move(found->second)), true);
        } else if (found.error().kind == "cancelled") {
          message_->say("Stopped.");
        } else {
          message_->sayWhy(found.error());
        }
        enableButtons();
      },
      &scope_));
  enableButtons();
}

void BisectView::show(std::shared_ptr<const Bisection> search, bool isDone) {
  found_ = std::move(search);
  strip_->setSearch(*found_);
  lookRows_.setRows(lookRowsOf(*found_));
  tabs_->setTabText(
      1, found_->looks.empty() ? QString("Looks") : QString("Looks (%1)").arg(found_->looks.size()));
  showChanges();
  if (!isDone) return;
  message_->say(answerOf(*found_), found_->outcome != BisectOutcome::Found);
  if (found_->outcome != BisectOutcome::Found) tabs_->setCurrentIndex(1);
  offerReduction();
}

void BisectView::showChanges() {
  const size_t shown = found_->changes.size();
  if (found_->changeCount == 0) {
    changesTitle_->clear();
  } else {
    changesTitle_->setText(
        countOf(found_->changeCount, "instruction") + " changed" +
        (shown < found_->changeCount ? QString(", the first %1 below").arg(shown) : QString()));
  }
  const ChangeTexts texts = textsOf(found_->changes);
  changes_->setTexts(std::make_shared<const std::string>(texts.left),
                     std::make_shared<const std::string>(texts.right), texts.pairs);
}

// The module that the bad pass ran over is good, so a smaller one is compared with what it gives itself.
void BisectView::offerReduction() {
  const WatchOptions options = watchOptionsOf(searched_, context_.session.runs().worker());
  if (found_->outcome != BisectOutcome::Found)
    return reduce_->setRequest(nullptr, options, "No pass was found that breaks the module.");
  if (found_->before == nullptr)
    return reduce_->setRequest(
        nullptr, options,
        "The stages of a dump are modules without the passes that made them.\nSearch over a "
        "pipeline to get something that can be run again and made small.");
  const auto at = [&](size_t step) { return request_->passes.begin() + static_cast<ptrdiff_t>(step); };
  const size_t first = found_->isOneStep ? found_->firstBad - 1 : found_->lastGood;
  const bool holdsForThisOnly = searched_.watch.startsWith("expected");
  auto request = std::make_shared<ReduceRequest>(
      ReduceRequest{.module = found_->before,
                    .passes = {at(first), at(found_->firstBad)},
                    .arguments = request_->arguments,
                    .watch = holdsForThisOnly ? "differs:reference" : toStd(searched_.watch),
                    .engine = options.engine});
  reduce_->setRequest(std::move(request), options, {});
}

void BisectView::showInPasses() {
  const bool sharedIds = found_->before != nullptr;
  const size_t before = found_->isOneStep ? found_->firstBad - 1 : found_->lastGood;
  SeriesStep bad = makeStep(found_->pass, found_->bad, StepKind::Pass);
  SeriesStep good = makeStep(sharedIds ? "good" : found_->steps[before], found_->good);
  if (found_->rewrite) good.name = fmt::format("{} rewrites of {}", found_->rewrite->good, found_->pass);
  PassSeries series{.title = "bisect " + std::string(found_->good->name()),
                    .steps = {std::move(good), std::move(bad)},
                    .sharedIds = sharedIds};
  context_.session.addSeries(std::move(series), origin_);
  context_.bus.ask(ShowView{"passes"});
}

void BisectView::showInstruction() {
  const Instruction* instruction = found_->good->instruction(found_->rewrite->instruction->id);
  if (instruction == nullptr)
    return message_->say("The instruction is not in the module before the rewrite.");
  const SnapshotId snapshot = context_.session.snapshotOf(
      found_->good,
      fmt::format("{} before rewrite {} of {}", found_->good->name(), found_->rewrite->bad, found_->pass));
  context_.session.setCurrent(snapshot);
  context_.bus.activate({{}, snapshot, instruction->parent().id(), instruction->id()});
}

void BisectView::addState(ViewState& state) const {
  const BisectSettings settings = form_->settings();
  state["bisect.watch"] = toStd(settings.watch);
  state["bisect.over"] = toStd(settings.over);
  state["bisect.engine"] = toStd(settings.engine);
  state["bisect.arguments"] = toStd(settings.arguments);
}

void BisectView::showState(const ViewState& state) {
  if (!state.contains("bisect.watch")) return;
  BisectSettings settings = form_->settings();
  const auto take = [&](const char* key, QString& into) {
    if (const auto found = state.find(key); found != state.end()) into = qs(found->second);
  };
  take("bisect.watch", settings.watch);
  take("bisect.over", settings.over);
  take("bisect.engine", settings.engine);
  take("bisect.arguments", settings.arguments);
  form_->setSettings(settings);
}

Status BisectView::prepare(const RenderRequest& request, const RenderSteps& steps) {
  if (!request.passes.isEmpty()) {
    BisectSettings settings = form_->settings();
    settings.over = request.passes;
    form_->setSettings(settings);
  }
  if (!request.run) return {};
  // They say what to search for.
  for (const QString& control : request.controls) TRY_STATUS(setControl(*this, control));
  search();
  TRY_STATUS(steps.wait());
  reduce_->reduce();
  return steps.wait();
}

View* makeBisectView(const ViewContext& context) { return new BisectView(context); }

}  // namespace hilo
