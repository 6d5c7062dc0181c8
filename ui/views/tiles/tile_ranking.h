// Legal tilings of a fusion by their estimated time on a GPU that is chosen, or on a core of a processor: a
// row each, with what the time is made of. Nothing is run.
#pragma once

#include <QComboBox>
#include <QPushButton>
#include <QStackedWidget>
#include <variant>

#include "ui/views/tiles/ranking_columns.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

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
  TableView& coreTable() { return *coreTable_; }
  const TableModel<RankedTiling>& rows() const { return model_; }  // on a GPU
  const TableModel<CoreRanking>& coreRows() const { return coreModel_; }
  QString message() const { return message_->text(); }

 Q_SIGNALS:
  // A row that was clicked, or come to by keys.
  void chosen(const std::vector<int64_t>& sizes, LaunchOrder order);

 private:
  using Ranked = std::variant<std::vector<RankedTiling>, std::vector<CoreRanking>>;
  TableView* addTable(QAbstractItemModel& model, const std::vector<int>& widths);
  bool isOfCore() const;
  void show(Result<Ranked> ranked);

  const ViewContext& context_;
  JobScope scope_;
  std::shared_ptr<const Module> module_;
  const Instruction* instruction_ = nullptr;
  QComboBox* device_;
  QPushButton* rank_;
  JobProgress* progress_;
  MessageLine* message_;
  QStackedWidget* tables_;
  TableView *table_, *coreTable_;
  TableModel<RankedTiling> model_;
  TableModel<CoreRanking> coreModel_;
};

}  // namespace hilo
