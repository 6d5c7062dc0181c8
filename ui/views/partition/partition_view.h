// How a module with shardings comes to its devices: the mesh with the parts of the selected array or the
// groups of the selected collective, what should be looked at first, collectives by cost with what made each
// necessary, and constraints to try, each partitioned again and held against the one before.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>

#include "ui/views/partition/cause_panel.h"
#include "ui/views/partition/partition_rows.h"
#include "ui/widgets/grid_diagram.h"
#include "ui/widgets/job_progress.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class PartitionView : public View {
  Q_OBJECT

 public:
  explicit PartitionView(const ViewContext& context, QWidget* parent = nullptr);

  QString head() const { return head_->text(); }
  QTabWidget& tables() { return *tables_; }
  CausePanel& panel() { return *panel_; }
  GridDiagram& diagram() { return *diagram_; }
  QPushButton& openButton() { return *open_; }
  QPushButton& fewestBytesButton() { return *fewest_; }
  QPushButton& undoButton() { return *undo_; }
  const TableModel<AlikeCollectives>& collectives() const { return collectives_; }
  QCheckBox& alikeBox() { return *alike_; }
  // What is shown; null: nothing.
  const std::shared_ptr<const Partitioning>& partitioning() const { return shown_; }
  // Partitions again with one more annotation.
  void tryConstraint(const ShardingConstraint& constraint);

  bool isSettled() const override { return !asked_.valid() || shown_ != nullptr || !isVisible(); }
  void take(const ViewAsk& what) override;
  bool goTo(const QString& name) override;
  QString commandLine(ShownState state) const override;
  // --query names the table in front, or a collective; --run tries the first that is advised against it.
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* buildBar();
  void buildTables();
  template <typename Row>
  void addRows(TableModel<Row>& model, const char* title, const char* empty, std::vector<int> widths);
  void refresh();
  void clear(const QString& text);
  void noteReady(SnapshotId id, ResultKind kind);
  void show(std::shared_ptr<const Partitioning> partitioning);
  void showHead();
  void showTabTitles();
  void openProgram();
  void undo();
  void partitionAgain(std::vector<ShardingConstraint> constraints, bool fewestBytes);
  void follow(const Selection& selection);
  void select(const std::string& name, InstructionId inSpread);
  const PartitionCollective* collectiveOf(const std::string& name) const;

  void fillTables();
  void showRow(const PartitionCollective& row);
  void showRow(const AlikeCollectives& row);
  void showRow(const Reshard& row);
  void showRow(const PartitionProblem& row);
  void showRow(const ShardedArray& row);
  void showInstruction(const std::string& name, std::vector<ShardingAdvice> advice, std::string text);

  JobScope scope_;
  SnapshotId subject_;  // what is partitioned
  SnapshotId asked_;    // whose result is on its way or here
  bool opensWhenReady_ = false;
  bool telling_ = false;                                    // the selection on the bus is our own
  std::shared_ptr<const Partitioning> first_;               // as asked at first
  std::vector<std::shared_ptr<const Partitioning>> tried_;  // each with one more
  std::shared_ptr<const Partitioning> shown_;

  QLabel* head_;
  QPushButton* open_;
  QPushButton* fewest_;
  QPushButton* undo_;
  QCheckBox* alike_;
  JobProgress* progress_;
  MessageLine* message_;
  QSplitter* split_;
  QTabWidget* tables_;
  GridDiagram* diagram_;
  CausePanel* panel_;
  TableModel<PartitionProblem> problems_;
  TableModel<AlikeCollectives> collectives_;
  TableModel<Reshard> reshards_;
  TableModel<ShardedArray> arrays_;
};

}  // namespace hilo
