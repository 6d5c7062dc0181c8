#include "ui/views/passes/run_passes_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/models/text_of.h"

namespace hilo {

RunPassesDialog::RunPassesDialog(std::vector<PassInfo> passes, std::vector<PipelineInfo> pipelines,
                                 QWidget* parent)
    : QDialog(parent), passes_(std::move(passes)), pipelines_(std::move(pipelines)) {
  setWindowTitle("Run passes");
  resize(560, 420);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(new QLabel("Pipeline", this));
  pipeline_ = new QComboBox(this);
  pipeline_->setAccessibleName("Pipeline");
  for (const PipelineInfo& p : pipelines_) pipeline_->addItem(qs(p.name) + "  -  " + qs(p.summary));
  pipeline_->addItem("chosen passes, in the order below");
  layout->addWidget(pipeline_);
  layout->addWidget(new QLabel("Passes (drag to reorder; untick to leave out)", this));
  chosen_ = new QListWidget(this);
  chosen_->setAccessibleName("Passes");
  chosen_->setDragDropMode(QAbstractItemView::InternalMove);
  layout->addWidget(chosen_, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Ok)->setText("Run");
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  layout->addWidget(buttons);
  connect(pipeline_, &QComboBox::currentIndexChanged, this, &RunPassesDialog::showPipeline);
  showPipeline(pipeline_->currentIndex());
}

void RunPassesDialog::showPipeline(int index) {
  chosen_->clear();
  const bool own = index < 0 || static_cast<size_t>(index) >= pipelines_.size();
  const auto summaryOf = [&](const std::string& name) {
    const auto found = std::ranges::find(passes_, name, &PassInfo::name);
    return found == passes_.end() ? QString() : qs(found->summary);
  };
  std::vector<std::string> names;
  if (own) {
    for (const PassInfo& pass : passes_) names.push_back(pass.name);
  } else {
    names = pipelines_[static_cast<size_t>(index)].passes;
  }
  for (const std::string& name : names) {
    auto* item = new QListWidgetItem(qs(name), chosen_);
    item->setToolTip(summaryOf(name));
    item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
    item->setCheckState(own ? Qt::Unchecked : Qt::Checked);
  }
}

OptimizeRequest RunPassesDialog::request() const {
  OptimizeRequest request;
  const int index = pipeline_->currentIndex();
  const bool own = index < 0 || static_cast<size_t>(index) >= pipelines_.size();
  std::vector<std::string> order;
  for (int row = 0; row < chosen_->count(); ++row) {
    if (chosen_->item(row)->checkState() == Qt::Checked) order.push_back(toStd(chosen_->item(row)->text()));
  }
  // A pipeline taken as it is keeps its name in the series; a changed one is a list of passes.
  if (!own && order == pipelines_[static_cast<size_t>(index)].passes) {
    request.pipeline = pipelines_[static_cast<size_t>(index)].name;
  } else {
    request.passes = std::move(order);
  }
  return request;
}

}  // namespace hilo
