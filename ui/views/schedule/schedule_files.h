// What the schedule view keeps and takes: scenarios by name and in files, orders from files, and the edited
// order exported. Files are read and written in jobs. UI thread.
#pragma once

#include <QWidget>

#include "core/workspace/job_queue.h"
#include "ui/models/view_context.h"
#include "ui/views/schedule/edited_side.h"

class QMenu;

namespace hilo {

class ScenarioShelf;

class ScheduleFiles : public QObject {
  Q_OBJECT

 public:
  // `parent`: what dialogs stand over.
  ScheduleFiles(const ViewContext& context, const ScheduleExperiment& experiment, const EditedSide& edited,
                QWidget* parent);

  void setModule(std::shared_ptr<const Module> module);
  ScenarioShelf& shelf() { return *shelf_; }
  // The kept scenarios, and what else can be done with scenarios and orders.
  void fillMenu(QMenu& menu);

  void askExport(ScheduleExport form);
  void askDevice();
  void exportTo(const QString& path, ScheduleExport form);
  void saveScenario(const QString& path);
  void loadScenario(const QString& path);
  // Names one a line, or HLO text.
  void takeOrder(const QString& path);

 Q_SIGNALS:
  void scenarioTaken(const hilo::ScheduleScenario& scenario);
  void orderTaken(const std::string& text);
  void deviceTaken(const QString& path);
  void said(const QString& text, bool isError);

 private:
  void addFileActions(QMenu& menu);
  void askName();
  void sayWritten(const QString& told, const Result<void>& written);

  ViewContext context_;
  const ScheduleExperiment& experiment_;
  const EditedSide& edited_;
  QWidget* over_;
  ScenarioShelf* shelf_;
  JobScope scope_;
};

}  // namespace hilo
