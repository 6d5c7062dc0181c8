// The tabs beside the schedule: why the selected instruction is where it is, the collectives, the scheduler's
// settings, and what moved between the two sides. UI thread.
#pragma once

#include <QLabel>
#include <QTabWidget>

#include "core/workspace/schedule/schedule_compare.h"
#include "ui/models/table_model.h"
#include "ui/views/schedule/shown_order.h"

namespace hilo {

class AnswerPanel;
class OptionModel;
class TableView;

// A collective of the edited side, beside what it exposes on the other.
struct OverlapLine {
  OverlapRow row;
  double otherExposedNs = -1;  // in all; negative: not known there
  bool abstract = false;       // times are units
  QString source;              // where it comes from in the user's program
};

class SchedulePanels : public QTabWidget {
  Q_OBJECT

 public:
  explicit SchedulePanels(QWidget* parent = nullptr);

  // Nothing is known of the next module yet.
  void clearRows();
  // `other`: null while it is not there.
  void showOverlaps(const ShownOrder& edited, const ShownOrder* other);
  void showMoved(const ScheduleComparison& comparison);
  // "why", "collectives", "settings" or "changes"; false where it is none of them.
  bool showTab(const QString& name);

  AnswerPanel& answers() { return *answers_; }
  OptionModel& options() { return *options_; }
  TableModel<OverlapLine>& overlaps() { return overlapModel_; }
  TableModel<MovedInstruction>& moved() { return movedModel_; }

 Q_SIGNALS:
  // A row of a table was activated: its instruction, of the study.
  void instructionActivated(hilo::InstructionId id);

 private:
  TableView* buildTable(QAbstractItemModel& model, const QString& name, const QString& empty);
  void buildOverlaps();
  void buildSettings();
  void buildChanges();

  AnswerPanel* answers_;
  OptionModel* options_;
  TableView* overlapTable_;
  QLabel* movedHead_;
  TableModel<OverlapLine> overlapModel_;
  TableModel<MovedInstruction> movedModel_;
};

}  // namespace hilo
