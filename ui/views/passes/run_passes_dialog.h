// Asks which pipeline, or which passes in which order, to run over the current module.
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QListWidget>

#include "core/workspace/passes/optimize.h"

namespace hilo {

class RunPassesDialog : public QDialog {
  Q_OBJECT

 public:
  RunPassesDialog(std::vector<PassInfo> passes, std::vector<PipelineInfo> pipelines,
                  QWidget* parent = nullptr);
  // Without a module: the caller adds it.
  OptimizeRequest request() const;
  QComboBox& pipeline() { return *pipeline_; }
  QListWidget& passes() { return *chosen_; }

 private:
  void showPipeline(int index);

  std::vector<PassInfo> passes_;
  std::vector<PipelineInfo> pipelines_;
  QComboBox* pipeline_;
  QListWidget* chosen_;
};

}  // namespace hilo
