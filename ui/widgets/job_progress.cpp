#include "ui/widgets/job_progress.h"

#include <QHBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {
constexpr int kRefreshMs = 200;
constexpr int kBarWidth = 180;
}  // namespace

JobProgress::JobProgress(JobQueue& jobs, const QString& stopTip, QWidget* parent)
    : QWidget(parent), jobs_(jobs) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(kSpaceSmall);
  bar_ = new QProgressBar(this);
  bar_->setAccessibleName("Progress");
  bar_->setFixedWidth(kBarWidth);
  stop_ = new QPushButton("Stop", this);
  stop_->setToolTip(stopTip);
  line->addWidget(bar_);
  line->addWidget(stop_);
  timer_.setInterval(kRefreshMs);
  connect(&timer_, &QTimer::timeout, this, &JobProgress::refresh);
  connect(stop_, &QPushButton::clicked, this, [this] { jobs_.cancel(job_); });
  hide();
}

void JobProgress::setJob(JobId job) {
  job_ = job;
  setVisible(job.valid());
  job.valid() ? timer_.start() : timer_.stop();
  refresh();
}

void JobProgress::refresh() {
  const auto jobs = jobs_.jobs();
  const auto found = std::ranges::find(jobs, job_, &JobInfo::id);
  if (found == jobs.end()) return;
  bar_->setRange(0, found->fraction < 0 ? 0 : 100);
  bar_->setValue(static_cast<int>(found->fraction * 100));
  bar_->setFormat(found->text.empty() ? qs(found->title) : qs(found->text));
}

}  // namespace hilo
