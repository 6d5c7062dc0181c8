// Search and query: an expression over instructions, completed as it is typed, and what matches it.
#pragma once

#include <QComboBox>
#include <QStackedWidget>
#include <QTimer>
#include <QWidget>

#include "ui/models/table_model.h"
#include "ui/widgets/message_line.h"
#include "ui/widgets/query_box.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/view.h"

namespace hilo {

struct SearchHit {
  InstructionId instruction;
  ComputationId computation;
  QString name, opcode, shape, computationName, opName, source;
  int64_t bytes = 0;
  int64_t accessed = 0;
  int64_t flops = 0;
  double timeNs = 0;  // estimated, of all turns of the loops around it; 0 of what runs within another
};

// By instruction id, as SearchHit::timeNs.
using InstructionTimes = std::vector<double>;

// Hits that have something in common, summed.
struct HitGroup {
  QString key;
  int64_t count = 0;
  int64_t bytes = 0;
  int64_t flops = 0;
};
enum class GroupHits : uint8_t { kNot, kOpcode, kShape, kComputation, kScope };
// Most bytes first.
std::vector<HitGroup> groupHits(const std::vector<SearchHit>& hits, GroupHits by);

class SearchView : public View {
  Q_OBJECT

 public:
  explicit SearchView(const ViewContext& context, QWidget* parent = nullptr);

  // Puts the expression in the box, runs it and takes the focus.
  void search(const QString& expression);
  QueryBox& box() { return *box_; }
  TableView& table() { return *table_; }
  const TableModel<SearchHit>& model() const { return model_; }
  QComboBox& grouping() { return *grouping_; }
  TableView& groupTable() { return *groupTable_; }
  const TableModel<HitGroup>& groups() const { return groups_; }
  QString message() const { return message_->text(); }

  void take(const ViewAsk& what) override;
  void addState(ViewState& state) const override;
  void showState(const ViewState& state) override;
  Status prepare(const RenderRequest& request, const RenderSteps& steps) override;
  // "hilo query ..." while there is a query.
  QString commandLine(ShownState state) const override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void buildBox();
  void buildTable();
  void showHits(std::vector<SearchHit> hits, size_t searched);
  void showGroups();
  void say(const QString& text, bool isError = false);
  void narrowTo(const QModelIndex& group);
  void copyAsModule();
  void run();
  void showError(const Diagnostic& why);
  void select(const QModelIndex& index, bool activate);

  static constexpr size_t kHitLimit = 20000;

  JobScope scope_;
  QueryBox* box_;
  MessageLine* message_;
  QComboBox* grouping_;
  QStackedWidget* tables_;
  TableView* table_;
  TableView* groupTable_;
  TableModel<SearchHit> model_;
  TableModel<HitGroup> groups_;
  QTimer timer_;
  SnapshotId searched_;
  std::shared_ptr<const InstructionTimes> times_;  // of `searched_`
  bool awaitsCost_ = false;                        // the search goes on when it is counted
};

}  // namespace hilo
