// The peak of the module that is shown beside that of another one that is open: what is live at one alone,
// why not at the other, and what has other bytes. UI thread.
#pragma once

#include <QComboBox>
#include <QLabel>

#include "core/workspace/memory/peak_comparison.h"
#include "ui/models/table_model.h"
#include "ui/models/view_context.h"
#include "ui/views/memory/memory_planner.h"
#include "ui/widgets/table_view.h"

namespace hilo {

// As it is listed: of the module that is shown, or of the other one alone.
struct PeakLine {
  PeakRow row;
  bool isOtherAlone = false;
  int64_t difference() const { return row.bytesA - row.bytesB; }
};

class PeakPanel : public QWidget {
  Q_OBJECT

 public:
  explicit PeakPanel(const ViewContext& context, QWidget* parent = nullptr);
  // Null: nothing is shown.
  void setPlans(std::shared_ptr<const MemoryPlans> plans);

  QComboBox& other() { return *other_; }
  QString summary() const { return summary_->text(); }
  const TableModel<PeakLine>& lines() const { return lines_; }
  TableView& table() { return *table_; }

 Q_SIGNALS:
  // Of the module that is shown.
  void instructionChosen(hilo::InstructionId id, bool activate);
  void counted(size_t lines);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void fillOthers();
  void compare();
  void show(const QString& title, const PeakComparison& compared);
  void clear(const QString& text);
  void choose(const QModelIndex& index, bool activate);

  const ViewContext context_;
  JobScope scope_;
  std::shared_ptr<const MemoryPlans> plans_;
  std::vector<std::pair<std::string, SeriesStep>> others_;
  uint64_t asked_ = 0;  // counts: late answers are of another number
  QComboBox* other_;
  QLabel* summary_;
  TableModel<PeakLine> lines_;
  TableView* table_;
};

}  // namespace hilo
