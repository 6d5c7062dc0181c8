// A module's schedules under study: the order it came with, orders made here, edits of them, all under the
// same costs. A study is made once a module and then asked for one scenario after the other.
//
// Threads: const members may be called from any thread at the same time. What an outcome points to lives as
// long as the outcome.
#pragma once

#include <memory>
#include <mutex>

#include "core/analysis/schedule/schedule_chart.h"
#include "core/workspace/job_queue.h"
#include "core/workspace/schedule/schedule_scenario.h"

namespace hilo {

struct ScheduleMetrics {
  double makespanNs = 0;
  double exposedNs = 0;        // communication that no work hides
  double communicationNs = 0;  // all of it
  double computeNs = 0;
  double boundNs = 0;  // no order of this module is faster (core/analysis/schedule/timeline.h)
  int64_t peakBytes = 0;
};

// Something wrong with an order, by id.
struct ScheduleFault {
  InstructionId instruction;  // invalid: the order as a whole
  std::string message;        // XLA's
};

struct ScheduleDecisions;  // the scheduler's log; read through schedule_why.h and schedule_compare.h

struct ScheduleOutcome {
  ScheduleScenario scenario;
  std::vector<std::pair<std::string, std::string>> settings;  // of the scheduler, the preset's included
  std::shared_ptr<const Module> module;
  std::shared_ptr<const Timeline> timeline;    // names instructions of `module`
  std::shared_ptr<const ScheduleChart> chart;  // null where none was asked for
  ScheduleMetrics metrics;
  // The order is none: what is drawn is as near to it as an order can be, and the memory is not known.
  std::vector<ScheduleFault> faults;
  std::vector<std::string> notes;  // what was done to the module first; edits that could not be kept, and why
  int64_t reruns = 0;
  std::shared_ptr<const ScheduleDecisions> decisions;  // null unless something was watched
};

// What to keep of the scheduler's comparisons, and whether to draw.
struct ScheduleWatch {
  bool all = false;
  absl::flat_hash_set<InstructionId> instructions;
  bool chart = true;
};

class ScheduleStudy {
 public:
  // Gives every call a computation of its own, with a note. Splits synchronous collectives into starts and
  // dones unless told not to; a module without an order gets
  // the memory-minimising one. `faults`: why the order in the module's file was refused, if it was. Error
  // kinds: "cancelled" and those of the memory scheduler.
  static Result<std::shared_ptr<const ScheduleStudy>> open(std::shared_ptr<const Module> module,
                                                           bool asyncCollectives, const JobContext& context,
                                                           std::vector<ScheduleFault> faults = {});
  ~ScheduleStudy();

  const Module& base() const { return *base_; }
  // The module came without an order; "original" is then the memory-minimising one.
  bool madeOrder() const { return madeOrder_; }
  // Error kinds: "unknown-preset", "unknown-setting", "bad-setting", "unknown-device",
  // "bad-device", "bad-profile", "unknown-instruction", "cancelled", and those of the schedulers.
  Result<ScheduleOutcome> run(const ScheduleScenario& scenario, const JobContext& context,
                              const ScheduleWatch& watch = {}) const;

  // A collective that was split here stands for its start and done. Others stand for themselves.
  InstructionId studied(InstructionId ofModule) const;
  InstructionId ofModule(InstructionId studied) const;

  struct CostModel;
  Result<std::shared_ptr<const CostModel>> costModel(const ScheduleScenario& scenario) const;

 private:
  struct Ordered;
  ScheduleStudy();
  static Status prepareForGpu(const ScheduleScenario& scenario, const JobContext& context, Module& module,
                              Ordered& ordered);
  Result<Ordered> order(const ScheduleScenario& scenario, const CostModel& model, const JobContext& context,
                        const ScheduleWatch& watch) const;
  Result<Ordered> bestOf(const ScheduleScenario& scenario, const CostModel& model, const JobContext& context,
                         const ScheduleWatch& watch) const;
  Result<Ordered> orderCached(const ScheduleScenario& scenario, const CostModel& model,
                              const JobContext& context, const ScheduleWatch& watch) const;

  std::shared_ptr<const Module> base_;
  bool madeOrder_ = false;
  std::vector<std::string> notes_;                             // what was done to the module first
  std::vector<ScheduleFault> faults_;                          // of the original order, by id of the study
  absl::flat_hash_map<InstructionId, InstructionId> startOf_;  // collective of the module -> its start
  absl::flat_hash_map<InstructionId, InstructionId>
      originalOf_;  // start, done or copy -> what it was made of
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace hilo
