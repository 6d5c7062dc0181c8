#include "ui/widgets/job_progress.h"

#include <QHBoxLayout>

#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {
namespace {
constexpr int kRefreshMs = 200;
constexpr int kBarWidth = 220;
constexpr qint64 kSaidFromSeconds = 2;
}  // namespace

JobProgress::JobProgress(JobQueue& jobs, const QString& stopTip, QWidget* parent)
    : QWidget(parent), jobs_(jobs) {
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(kSpaceSmall);
  bar_ = new QProgressBar(this);
  bar_->setAccessibleName("Progress");
  bar_->setFixedWidth(kBarWidth);
  stop_ = new QPushButton("Cancel", this);
  stop_->setToolTip(stopTip);
  line->addWidget(bar_);
  line->addWidget(stop_);
  timer_.setInterval(kRefreshMs);
  connect(&timer_, &QTimer::timeout, this, &JobProgress::refresh);
  connect(stop_, &QPushButton::clicked, this, [this] {
    stop_->setEnabled(false);
    jobs_.cancel(job_);
  });
  hide();
}

void JobProgress::setJob(JobId job) {
  job_ = job;
  told_.clear();
  stop_->setEnabled(true);
  elapsed_.start();
  setVisible(job.valid());
  job.valid() ? timer_.start() : timer_.stop();
  refresh();
}

void JobProgress::refresh() {
  const auto jobs = jobs_.jobs();
  const auto found = std::ranges::find(jobs, job_, &JobInfo::id);
  if (!job_.valid() || found == jobs.end()) return;
  if (found->state != JobState::Queued && found->state != JobState::Running) {
    setJob({});
    if (found->state == JobState::Cancelled) Q_EMIT cancelled();
    return;
  }
  bar_->setRange(0, found->fraction < 0 ? 0 : 100);
  bar_->setValue(static_cast<int>(found->fraction * 100));
  const QString text = qs(found->text);
  const QString shown = text.isEmpty() ? qs(found->title) : text;
  QString line = shown;
  if (const qint64 seconds = elapsed_.elapsed() / 1000; seconds >= kSaidFromSeconds)
    line = QString("%1 s, %2").arg(seconds).arg(shown);
  if (found->fraction >= 0) line = QString("%1%, %2").arg(bar_->value()).arg(line);
  line = bar_->fontMetrics().elidedText(line, Qt::ElideRight, kBarWidth - 2 * kSpace);
  // What QProgressBar takes for a place of its own is no such.
  bar_->setFormat(line.replace(QLatin1Char('%'), QStringLiteral("%\u200b")));
  bar_->setToolTip(shown);
  if (text.isEmpty() || text == told_) return;
  told_ = text;
  Q_EMIT told(text);
}

}  // namespace hilo
