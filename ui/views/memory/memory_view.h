// Where a module's values lie: XLA's plan and Hilo's side by side by address and time, what is live at the
// cursor, which scopes, source lines or opcodes it belongs to, what must share a place, what copy insertion
// says of each copy, which values make a heap as large as it is, and where the two plans part.
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QWidget>

#include "ui/views/memory/memory_map.h"
#include "ui/views/memory/memory_rows.h"
#include "ui/views/memory/peak_changes_panel.h"
#include "ui/views/memory/peak_panel.h"
#include "ui/views/memory/plan_moments.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

class MemoryView : public View {
  Q_OBJECT

 public:
  explicit MemoryView(const ViewContext& context, QWidget* parent = nullptr);
  bool heeds(CaveatKind kind) const override {
    return kind == CaveatKind::Incomplete || kind == CaveatKind::NotPartitioned;
  }

  MemoryMap& map(size_t side) { return *maps_[side]; }  // 0: XLA's, 1: Hilo's
  QTabWidget& tables() { return *tables_; }
  QComboBox& grouping() { return *grouping_; }
  QComboBox& content() { return *contentChoice_; }
  QComboBox& axis() { return *axis_; }
  QString head() const { return head_->text(); }
  // Brings the table to the front whose title starts with this. Error kind: "no-such-table".
  Status showTable(const QString& title);
  const TableModel<LiveRow>& live() const { return live_; }
  const TableModel<GroupRow>& groups() const { return groups_; }
  int64_t cursor() const { return cursor_; }
  PeakPanel& peaks() { return *peaks_; }
  PeakChangesPanel& changes() { return *changes_; }

  // --query names the table in front; --run tries changes where that is "What would help".
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  // Of one plan, by MemoryGrouping.
  struct PlanGroups {
    std::array<RankedGroups, 3> by;
  };
  struct Content {
    MemoryPlans plans;
    std::array<PlanGroups, 2> groups;
    std::vector<int64_t> stepOf;  // by instruction; -1: none
  };

  QWidget* buildBar();
  void buildMaps();
  void buildTables();
  template <typename Row>
  TableView* addRows(TableModel<Row>& model, const char* title, const char* empty, std::vector<int> widths);
  void connectMap(size_t side);
  void refresh();
  void clear(const QString& text);
  void show(SnapshotId id, std::shared_ptr<const Content> content);
  void judge(SnapshotId id);
  void showCopies(std::vector<CopyVerdict> copies);
  void showHead();
  void colourMaps();
  void scaleMaps();
  void layOutAxis();
  void setAxis(const MapAxis& axis);
  // Of all views along time.
  void setCursor(int64_t step);
  void setActive(size_t side);
  void fillLive();
  const MemoryPlan* planOf(size_t side) const;
  const RankedGroups& groupsOf(size_t side) const;
  Selection selectionOf(InstructionId id) const;
  void selectValue(size_t side, int value, bool activate);
  void selectInstruction(InstructionId id, bool activate);
  void follow(const Selection& selection, bool moveCursor);

  JobScope scope_;
  SnapshotId shown_, asked_;
  std::shared_ptr<const Content> content_;
  std::vector<size_t> groupCategories_;  // of the active plan, by group: what categoryColours() takes
  size_t active_ = 0;
  int64_t cursor_ = 0;
  bool telling_ = false;  // the selection on the bus is our own

  QLabel* head_;
  QComboBox* contentChoice_;
  QComboBox* grouping_;
  QComboBox* axis_;
  QDoubleSpinBox* limit_;
  QSplitter* split_;
  QSplitter* mapSplit_;
  std::array<MemoryMap*, 2> maps_{};
  QTabWidget* tables_;
  PeakPanel* peaks_;
  PeakChangesPanel* changes_;
  PlanMoments* moments_;
  TableModel<LiveRow> live_;
  TableModel<GroupRow> groups_;
  TableModel<EndRow> ends_;
  TableModel<PlacementDifference> differences_;
  TableModel<AliasRow> aliases_;
  TableModel<CopyVerdict> copies_;
  TableView* liveTable_;
  TableView* groupTable_;
  TableView* endTable_;
  TableView* differenceTable_;
  TableView* aliasTable_;
  TableView* copyTable_;
};

}  // namespace hilo
