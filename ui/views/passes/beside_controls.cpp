#include "ui/views/passes/beside_controls.h"

#include <algorithm>

#include "ui/widgets/wrapping_row.h"

namespace hilo {

BesideControls::BesideControls(WrappingRow& bar, QWidget* parent) : QObject(parent) {
  run_ = new QPushButton("Run ours beside", parent);
  run_->setToolTip(
      "Run the pipeline gpu over the dump's first stage, with the dump's device and flags, and show its "
      "steps "
      "beside XLA's stages");
  compareWith_ = new QComboBox(parent);
  compareWith_->setAccessibleName("Compare with");
  compareWith_->addItems({"Compare with XLA's", "Compare with the step before"});
  compareWith_->setToolTip("What the step is compared with, where both have one after the same pass");
  bar.add(run_);
  bar.add(compareWith_);
  run_->hide();
  compareWith_->hide();
  connect(run_, &QPushButton::clicked, this, &BesideControls::runAsked);
  connect(compareWith_, &QComboBox::currentIndexChanged, this, &BesideControls::chosen);
}

void BesideControls::show(const PassSeries& series) {
  const auto isStage = [](const SeriesStep& step) { return step.kind == StepKind::DumpStage; };
  run_->setVisible(!series.hasBoth && std::ranges::all_of(series.steps, isStage));
  compareWith_->setVisible(series.hasBoth);
}

std::optional<size_t> BesideControls::comparedWith(const PassSeries& series, size_t step) const {
  std::optional<size_t> twin;
  if (series.hasBoth && compareWith_->currentIndex() == 0) twin = twinOf(series, step);
  return twin ? twin : series.previousOf(step);
}

}  // namespace hilo
