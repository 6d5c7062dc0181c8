#include "ui/views/thunks/thunks_head.h"

#include <QHBoxLayout>

#include "core/workspace/run/gpu_compile.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {

ThunksHead::ThunksHead(JobQueue& jobs, QWidget* parent) : QWidget(parent) {
  auto* bar = new QHBoxLayout(this);
  bar->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  text_ = new QLabel(this);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  progress_ = new JobProgress(jobs, "End what is under way, and the process it runs in", this);
  next_ = new QPushButton(this);
  target_ = new QComboBox(this);
  target_->setAccessibleName("Compiled for");
  target_->setToolTip("What the module is compiled for: this processor, or a GPU, which need not be here");
  target_->addItem("this CPU");
  for (const std::string& gpu : gpuNamesForKernels()) target_->addItem(qs(gpu));
  bar->addWidget(text_, 1);
  bar->addWidget(progress_);
  bar->addWidget(target_);
  bar->addWidget(next_);
  offer({}, {});
}

void ThunksHead::offer(const Offer& offer, JobId job) {
  progress_->setJob(job);
  next_->setEnabled(!job.valid() && !offer.isPlanned && (offer.isCompiled || offer.hasModule));
  target_->setEnabled(offer.hasModule);
  next_->setText(offer.isCompiled ? QStringLiteral("Profile")
                 : offer.isDrawn  ? QStringLiteral("Compile for this CPU")
                                  : QStringLiteral("Compile"));
  if (offer.isPlanned)
    return next_->setToolTip(
        QStringLiteral("Times are estimated: measured ones come of a run by the engine cuda"));
  next_->setToolTip(
      offer.isCompiled
          ? QStringLiteral("Run it in a process of its own on random arguments and time each thunk")
          : QStringLiteral("Compile the module without passes for this processor; nothing runs"));
}

}  // namespace hilo
