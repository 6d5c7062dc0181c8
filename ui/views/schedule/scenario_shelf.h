// Scenarios kept by name in the session's store, for the module that is shown. Reading and writing runs in
// jobs. UI thread.
#pragma once

#include <QObject>

#include "core/workspace/job_queue.h"
#include "core/workspace/schedule/schedule_scenario.h"
#include "ui/models/view_context.h"

namespace hilo {

class ScenarioShelf : public QObject {
  Q_OBJECT

 public:
  explicit ScenarioShelf(const ViewContext& context, QObject* parent = nullptr);
  void setModule(std::shared_ptr<const Module> module);
  // Under its own name.
  void keep(const ScheduleScenario& scenario);
  void remove(const std::string& name);
  const std::vector<ScheduleScenario>& scenarios() const { return scenarios_; }

 Q_SIGNALS:
  void changed();
  void failed(const hilo::Diagnostic& why);

 private:
  using Change = std::function<Status(RunStore&, uint64_t)>;
  void apply(const std::string& title, Change change);

  ViewContext context_;
  JobScope scope_;
  std::shared_ptr<const Module> module_;
  std::vector<ScheduleScenario> scenarios_;
};

}  // namespace hilo
