#include "ui/views/thunks/thunks_head.h"

#include <QHBoxLayout>
#include <QSignalBlocker>

#include "core/workspace/caveats/caveats.h"
#include "core/workspace/run/gpu_compile.h"
#include "ui/models/text_of.h"
#include "ui/style/metrics.h"

namespace hilo {

ThunksHead::ThunksHead(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  auto* bar = new QHBoxLayout(this);
  bar->setContentsMargins(kSpace, kSpaceSmall, kSpace, kSpaceSmall);
  text_ = new QLabel(this);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  progress_ = new JobProgress(context.jobs, "End what is under way, and the process it runs in", this);
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
  connect(&context_.changes, &SessionChanges::resultReady, this, [this](SnapshotId id, ResultKind kind) {
    if (kind == ResultKind::Caveats && id == sought_) takeTarget();
  });
}

void ThunksHead::findTarget(SnapshotId module) {
  sought_ = module;
  if (context_.session.result<ResultKind::Caveats>(module) != nullptr) return takeTarget();
  context_.session.request(module, ResultKind::Caveats);
}

void ThunksHead::takeTarget() {
  const ScheduleTarget target =
      context_.session.result<ResultKind::Caveats>(std::exchange(sought_, {}))->target;
  const auto device = findDevice(target.device);
  const auto gpu = device ? gpuTargetOf(*device) : std::unexpected(device.error());
  const int place = target.isGpu && gpu ? target_->findText(qs(*gpu)) : 0;
  const QSignalBlocker quiet(target_);
  target_->setCurrentIndex(std::max(0, place));
  Q_EMIT targetSaid();
}

std::string ThunksHead::gpu() const {
  return target_->currentIndex() > 0 ? toStd(target_->currentText()) : std::string();
}

void ThunksHead::offer(const Offer& offer, JobId job) {
  progress_->setJob(job);
  next_->setEnabled(!job.valid() && !offer.isPlanned && (offer.isCompiled || offer.hasModule));
  target_->setEnabled(offer.hasModule);
  next_->setText(offer.isCompiled ? QStringLiteral("Profile")
                 : offer.isDrawn  ? QStringLiteral("Compile for %1").arg(target_->currentText())
                                  : QStringLiteral("Compile"));
  if (offer.isPlanned)
    return next_->setToolTip(
        QStringLiteral("Times are estimated: measured ones come of a run by the engine cuda"));
  next_->setToolTip(
      offer.isCompiled
          ? QStringLiteral("Run it in a process of its own on random arguments and time each thunk")
          : QStringLiteral("Compile the module without passes; nothing runs"));
}

}  // namespace hilo
