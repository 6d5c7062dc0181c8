#include "ui/shell/window_status.h"

#include <QLabel>
#include <QToolButton>
#include <ranges>

#include "core/workspace/caveats/caveats.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {
constexpr int kMessageMs = 8000;
constexpr int kShortJobMs = 400;  // what ends sooner would only flicker

JobId runningJob(const JobQueue& jobs) {
  for (const JobInfo& job : jobs.jobs()) {
    if (job.state == JobState::Running) return job.id;
  }
  return {};
}

}  // namespace

// Words of later views stand further left.
WindowStatus::WindowStatus(QStatusBar& bar, const ViewContext& context, const std::vector<View*>& views)
    : QObject(&bar), bar_(bar), context_(context) {
  progress_ = new JobProgress(context_.jobs, "Cancel this job; the Jobs view lists all of them", &bar_);
  bar_.addPermanentWidget(progress_);
  progress_->hide();
  for (View* view : views | std::views::reverse) {
    if (view->hasStatus()) addWord(*view);
  }
  device_ = new QLabel(&bar_);
  device_->setAccessibleName("The device that times are estimated for");
  module_ = new QLabel(&bar_);
  for (QLabel* label : {device_, module_}) {
    label->setContentsMargins(kSpace, 0, kSpace, 0);
    bar_.addPermanentWidget(label);
  }
  jobTimer_.setSingleShot(true);
  jobTimer_.setInterval(kShortJobMs);
  connect(&jobTimer_, &QTimer::timeout, this, &WindowStatus::showJob);
  connect(&context_.changes, &SessionChanges::jobsChanged, this, &WindowStatus::watchJobs);
  connect(&context_.changes, &SessionChanges::resultReady, this, [this](SnapshotId, ResultKind kind) {
    if (kind == ResultKind::Caveats) updateDevice();
  });
}

void WindowStatus::addWord(View& view) {
  auto* word = new QToolButton(&bar_);
  word->setAutoRaise(true);
  word->setFocusPolicy(Qt::NoFocus);
  word->setToolTip("Show " + view.name());
  bar_.addPermanentWidget(word);
  word->hide();
  connect(word, &QToolButton::clicked, this,
          [this, name = view.name()] { context_.bus.ask(ShowView{name}); });
  connect(&view, &View::statusChanged, word, [word](const QString& text) {
    word->setText(text);
    word->setVisible(!text.isEmpty());
  });
}

void WindowStatus::say(const QString& text) { bar_.showMessage(text, kMessageMs); }

void WindowStatus::update() {
  updateModule();
  updateDevice();
}

// Until it is known, nothing: the banner's request brings it.
void WindowStatus::updateDevice() {
  const Snapshot* shown = context_.session.current();
  const auto found = shown == nullptr ? nullptr : context_.session.result<ResultKind::Caveats>(shown->id);
  const QString text = found == nullptr ? QString() : qs(targetText(found->target));
  device_->setText(text.section(':', 0, 0));
  device_->setToolTip(text.isEmpty() ? text : "Times are estimated for " + text);
}

void WindowStatus::updateModule() {
  const Snapshot* snapshot = context_.session.current();
  if (const Document* compiled = context_.session.shownCompiled()) {
    module_->setText(qs(compiled->title) +
                     (compiled->program ? ": saved program" : ": XLA's thunks, no module"));
  } else if (snapshot != nullptr) {
    const Module& module = *snapshot->module;
    module_->setText(QString("%1: %2 in %3")
                         .arg(qs(module.name()), countOf(module.instructionCount(), "instruction"),
                              countOf(module.computations().size(), "computation")));
  } else {
    module_->clear();
  }
}

void WindowStatus::watchJobs() {
  const JobId running = runningJob(context_.jobs);
  if (!running.valid() || progress_->job().valid() || running == candidate_) return;
  candidate_ = running;
  jobTimer_.start();
}

// What took its place while it was looked at waits its own time.
void WindowStatus::showJob() {
  const JobId running = runningJob(context_.jobs);
  if (running == candidate_ && running.valid()) return progress_->setJob(running);
  candidate_ = {};
  watchJobs();
}

}  // namespace hilo
