// Legal tilings of a fusion by their estimated time on a GPU that is chosen: a row each, with what the time
// is made of. Nothing is run.
#pragma once

#include <QComboBox>
#include <QPushButton>

#include "core/analysis/tiling/tiling_estimate.h"
#include "ui/models/table_model.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

std::vector<TableColumn<RankedTiling>> rankingColumns();

class TileRanking : public QWidget {
  Q_OBJECT

 public:
  explicit TileRanking(const ViewContext& context, QWidget* parent = nullptr);

  // Of another instruction: what was ranked is gone. Null: none.
  void setInstruction(std::shared_ptr<const Module> module, const Instruction* instruction);
  // Answered later.
  void rank();
  QComboBox& device() { return *device_; }
  TableView& table() { return *table_; }
  const TableModel<RankedTiling>& rows() const { return model_; }
  QString message() const { return message_->text(); }

 Q_SIGNALS:
  // A row that was clicked, or come to by keys.
  void chosen(const std::vector<int64_t>& sizes, LaunchOrder order);

 private:
  void show(Result<std::vector<RankedTiling>> ranked);

  const ViewContext& context_;
  JobScope scope_;
  std::shared_ptr<const Module> module_;
  const Instruction* instruction_ = nullptr;
  QComboBox* device_;
  QPushButton* rank_;
  JobProgress* progress_;
  MessageLine* message_;
  TableView* table_;
  TableModel<RankedTiling> model_;
};

}  // namespace hilo
