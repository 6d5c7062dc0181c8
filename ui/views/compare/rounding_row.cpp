#include "ui/views/compare/rounding_row.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "core/workspace/run/run_again.h"
#include "ui/models/argument_text.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {

constexpr int kMostDraws = 1000;

}  // namespace

RoundingRow::RoundingRow(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  button_ = new QPushButton("Is it rounding?", this);
  button_->setToolTip(
      "Runs the first side again on arguments each of whose floats goes to the next number up, down, or "
      "stays, at random. Up to 8 times as far off as its results move counts as rounding.");
  draws_ = new QSpinBox(this);
  draws_->setAccessibleName("Samples of moved arguments");
  draws_->setToolTip("How often the arguments are moved and the first side runs on them");
  draws_->setRange(1, kMostDraws);
  draws_->setValue(2);
  draws_->setPrefix("samples ");
  how_ = new QLabel(
      "Compares the difference with the input-perturbation error: how far the first side's results move "
      "when its arguments move by one ULP.",
      this);
  how_->setWordWrap(true);
  progress_ = new JobProgress(context_.jobs, "Stop measuring, and the process it runs in", this);
  message_ = new MessageLine(ColourRole::kText, this);
  message_->setAccessibleName("Whether it is rounding");
  auto* line = new QHBoxLayout;
  line->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  line->setSpacing(kSpace);
  line->addWidget(button_);
  line->addWidget(draws_);
  line->addWidget(progress_);
  line->addWidget(how_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(message_);
  connect(button_, &QPushButton::clicked, this, &RoundingRow::measure);
  connect(progress_, &JobProgress::told, this, [this](const QString& text) { message_->say(text); });
  connect(progress_, &JobProgress::cancelled, this, [this] {
    button_->setEnabled(true);
    message_->say("Stopped.");
  });
  hide();
}

void RoundingRow::setComparison(std::shared_ptr<const RunComparison> comparison) {
  context_.jobs.cancel(progress_->job());
  progress_->setJob({});
  const bool isOffered = comparison->comparable && comparison->verdict != Verdict::Match;
  comparison_ = isOffered ? std::move(comparison) : nullptr;
  button_->setEnabled(true);
  message_->say({});
  setVisible(isOffered);
}

// All that the first run may have been of: what is shown comes first.
std::vector<RunRequest> RoundingRow::open() const {
  const Session& session = context_.session;
  const QString arguments = qs(comparison_->a.argumentsDescription);
  std::vector<RunRequest> requests;
  const auto add = [&](const std::shared_ptr<const Module>& module, const OpenedFile* file) {
    requests.push_back({.module = module,
                        .source = file == nullptr ? std::string() : file->path,
                        .arguments = argumentSourceOf(arguments, file),
                        .worker = session.runs().worker()});
  };
  if (const Snapshot* shown = session.current()) add(shown->module, shown->file.get());
  for (const auto& document : session.documents()) {
    if (document->program != nullptr) {
      requests.push_back({.program = document->program,
                          .engine = "program",
                          .arguments = argumentSourceOf(arguments, nullptr),
                          .worker = session.runs().worker()});
    }
    for (const auto& stages : document->stages) {
      for (const SnapshotId id : stages) {
        if (const Snapshot* read = session.snapshot(id)) add(read->module, read->file.get());
      }
    }
  }
  for (const SeriesEntry& entry : session.series()) {
    for (const SeriesStep& step : entry.series->steps) {
      if (const auto module = step.moduleIfLoaded()) add(module, nullptr);
    }
  }
  return requests;
}

void RoundingRow::measure() {
  if (comparison_ == nullptr) return;
  button_->setEnabled(false);
  message_->say({});
  progress_->setJob(context_.jobs.submit(
      "condition", "Is it rounding?",
      [comparison = comparison_, open = open(),
       draws = draws_->value()](JobContext& job) -> Result<Condition> {
        TRY(const RunRequest request, runAgain(comparison->a, open, job));
        return measureCondition(request, *comparison, draws, job);
      },
      [this, of = comparison_](Result<Condition> condition) {
        if (of != comparison_ || (!condition && condition.error().kind == "cancelled")) return;
        progress_->setJob({});
        button_->setEnabled(true);
        if (!condition) return message_->sayWhy(condition.error());
        message_->say("They " + qs(conditionText(*condition)) + ".");
        Q_EMIT measured(*condition);
      },
      &scope_));
}

}  // namespace hilo
