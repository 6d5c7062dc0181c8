#include "ui/widgets/run_question.h"

#include <QHBoxLayout>

#include "core/workspace/run/run_estimate.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {

RunQuestion::RunQuestion(JobQueue& jobs, QWidget* parent) : QWidget(parent), jobs_(jobs) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(kSpace, 0, kSpace, kSpaceSmall);
  line->setSpacing(kSpaceSmall);
  label_ = new QLabel(this);
  label_->setAccessibleName("Estimate of the run");
  label_->setTextFormat(Qt::PlainText);
  label_->setWordWrap(true);
  go_ = new QPushButton("Run anyway", this);
  auto* no = new QPushButton("Do not run", this);
  line->addWidget(label_, 1);
  line->addWidget(go_);
  line->addWidget(no);
  connect(go_, &QPushButton::clicked, this, [this] {
    const auto go = std::exchange(wanted_, nullptr);
    hide();
    if (go) go();
  });
  connect(no, &QPushButton::clicked, this, [this] {
    drop();
    Q_EMIT declined();
  });
  hide();
}

void RunQuestion::drop() {
  wanted_ = nullptr;
  hide();
}

JobId RunQuestion::ask(std::vector<RunRequest> runs, std::function<void()> go) {
  drop();
  return jobs_.submit(
      fmt::format("estimate.{}", static_cast<const void*>(this)), "Estimate a run",
      [runs = std::move(runs)](JobContext&) -> Result<RunEstimate> { return estimateRuns(runs); },
      [this, go = std::move(go)](Result<RunEstimate> estimate) mutable {
        if (!estimate || !estimate->isLarge()) return go();
        wanted_ = std::move(go);
        label_->setText("It is estimated to take " + qs(estimateText(*estimate)) + ".");
        show();
        Q_EMIT asked();
      },
      &scope_);
}

}  // namespace hilo
