// Measured times beside estimated ones in the schedule view: taken from a file or a kept run, and a device's
// description fitted to them. Files are read and written in jobs. UI thread.
#pragma once

#include <QWidget>

#include "core/workspace/job_queue.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/schedule/schedule_scenario.h"
#include "ui/models/view_context.h"

class QMenu;

namespace hilo {

class MeasuredTimes : public QObject {
  Q_OBJECT

 public:
  // `parent`: what dialogs stand over.
  MeasuredTimes(const ViewContext& context, QWidget* parent);

  void setModule(std::shared_ptr<const Module> module) { module_ = std::move(module); }
  // The selected one; null for none.
  void setRun(std::shared_ptr<const RunRecord> run) { run_ = std::move(run); }
  // `shown`: the scenario whose times a device is fitted to.
  void fillMenu(QMenu& menu, const ScheduleScenario& shown);

  void takeFile(const QString& path);
  void takeRun();
  // Writes the fitted device there.
  void fit(const ScheduleScenario& shown, const QString& path);

 Q_SIGNALS:
  // A profile as core/analysis/cost/profile_latency.h reads it.
  void taken(const QString& name, const std::string& profile);
  void fitted(const QString& path);
  void said(const QString& text, bool isError);

 private:
  bool hasTimes() const { return run_ != nullptr && !run_->thunkTimes.empty(); }

  ViewContext context_;
  QWidget* over_;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const RunRecord> run_;
  JobScope scope_;
};

}  // namespace hilo
