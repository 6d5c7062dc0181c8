// What is in a module: its size, what costs most by scope of the program, and tables of opcodes, collectives,
// loops, large values, custom calls and element types. Everything leads to the instructions it counts.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QWidget>

#include "core/analysis/grouping/scope_tree.h"
#include "core/analysis/summary.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/widgets/bar_delegate.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/treemap.h"

namespace hilo {

class OverviewView : public QWidget {
  Q_OBJECT

 public:
  explicit OverviewView(const ViewContext& context, QWidget* parent = nullptr);
  QComboBox& measure() { return *measure_; }
  QComboBox& device() { return *device_; }
  QTabWidget& tables() { return *tables_; }
  QString head() const { return head_->text(); }

 Q_SIGNALS:
  // The user wants to see the instructions this query finds.
  void searchAsked(const QString& query);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Content;
  enum class Measure : uint8_t { kFlops, kBytes, kTime, kInstructions };

  QWidget* buildScopes();
  void buildTables();
  void refresh();
  void show(SnapshotId id, std::shared_ptr<const Content> content);
  void showHead(const ModuleSummary& summary);
  void showScopes();
  void setTabTitle(QWidget* tab, const char* title, int rows);
  void goTo(InstructionId id);
  void searchScope(int node);

  ViewContext context_;
  JobScope scope_;
  SnapshotId shown_;
  SnapshotId asked_;
  std::shared_ptr<const Content> content_;

  QLabel* head_;
  QComboBox* measure_;
  QComboBox* device_;  // whose times are estimated
  Treemap* treemap_;
  QTabWidget* tables_;
  TableModel<OpcodeCost> opcodes_;
  BarDelegate* opcodeBars_;
  TableModel<NamedCount> customCalls_, elementTypes_;
  TableModel<CollectiveRow> collectives_;
  TableModel<LoopRow> loops_;
  TableModel<SizedInstruction> values_, constants_, parameters_;
};

}  // namespace hilo
