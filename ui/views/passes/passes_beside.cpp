// XLA's stages of a dump and our own pipeline on one strip.
#include "core/workspace/passes/beside.h"

#include "ui/models/text_of.h"
#include "ui/views/passes/passes_view.h"
#include "ui/widgets/wrapping_row.h"

namespace hilo {

void PassesView::buildBeside(WrappingRow& bar) {
  besideButton_ = new QPushButton("Run ours beside", this);
  besideButton_->setToolTip(
      "Run the pipeline gpu over the dump's first stage, with the dump's device and flags, and show its "
      "steps "
      "beside XLA's stages");
  compareWith_ = new QComboBox(this);
  compareWith_->setAccessibleName("Compare with");
  compareWith_->addItems({"Compare with XLA's", "Compare with the step before"});
  compareWith_->setToolTip("What the step is compared with, where both have one after the same pass");
  bar.add(besideButton_);
  bar.add(compareWith_);
  besideButton_->hide();
  compareWith_->hide();
  connect(besideButton_, &QPushButton::clicked, this, &PassesView::runBeside);
  connect(compareWith_, &QComboBox::currentIndexChanged, this,
          [this] { showStep(static_cast<int>(strip_->current())); });
}

void PassesView::showBeside() {
  const auto isStage = [](const SeriesStep& step) { return step.kind == StepKind::DumpStage; };
  besideButton_->setVisible(!series_->hasBoth && std::ranges::all_of(series_->steps, isStage));
  compareWith_->setVisible(series_->hasBoth);
}

std::optional<size_t> PassesView::comparedWith(size_t step) const {
  std::optional<size_t> twin;
  if (series_->hasBoth && compareWith_->currentIndex() == 0) twin = twinOf(*series_, step);
  return twin ? twin : series_->previousOf(step);
}

void PassesView::runBeside() {
  if (series_ == nullptr || series_->hasBoth) return;
  message_->say({});
  caption_->setText("Running ...");
  context_.jobs.submit(
      "optimize", "Run gpu beside the stages of " + series_->title,
      [stages = series_](JobContext& job) { return oursBesideStages(*stages, {}, job); },
      [this](Result<PassSeries> both) {
        if (!both) {
          caption_->clear();
          message_->sayWhy(both.error());
          Q_EMIT context_.changes.failed("Passes could not be run", both.error());
          return;
        }
        context_.session.addSeries(*std::move(both));
      },
      &scope_);
}

}  // namespace hilo
