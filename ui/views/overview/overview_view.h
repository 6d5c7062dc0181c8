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
#include "ui/widgets/bar_delegate.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/treemap.h"
#include "ui/widgets/view.h"

namespace hilo {

class OverviewView : public View {
  Q_OBJECT

 public:
  explicit OverviewView(const ViewContext& context, QWidget* parent = nullptr);
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::NotPartitioned;
  }
  QComboBox& measure() { return *measure_; }
  QComboBox& device() { return *device_; }
  QTabWidget& tables() { return *tables_; }
  QString head() const { return head_->text(); }

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
  void goToInstruction(InstructionId id);
  void searchScope(int node);

  JobScope scope_;
  SnapshotId shown_;
  SnapshotId asked_;
  std::shared_ptr<const Content> content_;

  QLabel* head_;
  QComboBox* measure_;
  QComboBox* device_;    // whose times are estimated
  QLabel* scopesLabel_;  // what the areas count
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
