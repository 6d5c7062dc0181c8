// The scheduler's log, costs and settings as the schedule study's files share them. Private to this folder's
// schedule files: nothing here is for clients.
#pragma once

#include "core/analysis/cost/device_latency.h"
#include "core/analysis/cost/profile_latency.h"
#include "core/compiler/schedule/decision_log.h"
#include "core/compiler/schedule/scheduler_config.h"
#include "core/workspace/schedule/schedule_study.h"

namespace hilo {

struct ScheduleDecisions {
  std::vector<DecisionLog> logs;  // one a computation the scheduler ordered
};

// A device's estimator or the uniform one, under measured times if there are any.
struct ScheduleStudy::CostModel {
  std::shared_ptr<const LatencyEstimator> base;
  std::unique_ptr<const LatencyEstimator> measured;  // null: nothing was measured
  const LatencyEstimator& estimator() const { return measured != nullptr ? *measured : *base; }
};

// The preset's settings, and over them the scenario's. Error kind "unknown-preset".
Result<std::vector<std::pair<std::string, std::string>>> settingsOf(const ScheduleScenario& scenario);
Result<SchedulerConfig> configOf(const std::vector<std::pair<std::string, std::string>>& settings);

}  // namespace hilo
