// Scheduling a module and saying what it is worth: the order it came with and one made here, under the
// same cost model.
#pragma once

#include "core/analysis/cost/fit_device.h"
#include "core/workspace/schedule/schedule_study.h"

namespace hilo {

// A named set of scheduler settings.
struct SchedulePreset {
  std::string name;
  std::string summary;
};
std::vector<SchedulePreset> schedulePresets();
struct ScheduleOption {
  std::string name;
  std::string summary;
  std::string value;
};
// All settings with their values under a scenario. Error kinds "unknown-preset",
// "unknown-setting", "bad-setting".
Result<std::vector<ScheduleOption>> scheduleOptions(const ScheduleScenario& scenario);

struct ScheduleRequest {
  std::shared_ptr<const Module> module;
  ScheduleScenario scenario;
  // Split synchronous collectives into starts and dones first.
  bool asyncCollectives = true;
  bool keepLog = false;
  bool charts = true;  // explainPlace and whatever draws need them
};

// One comparison of the latency-hiding scheduler, or the taking of a node.
struct ScheduleLogStep {
  std::string computation;
  std::string instruction;
  double readyTime = 0;
  int64_t memoryBytes = 0;
  std::vector<std::pair<std::string, int64_t>> inFlight;  // resource and how many
  struct Comparison {
    std::string winner, loser, reason;
  };
  std::vector<Comparison> comparisons;
  std::vector<std::pair<std::string, std::string>> skipped;  // instruction and why
};

struct ScheduleReport {
  std::string preset;
  std::string device;
  // The order the module came with; for a module that had none, the memory-minimising order made first.
  ScheduleOutcome original;
  bool originalIsMemoryOrder = false;
  ScheduleOutcome scheduled;
  int64_t reruns = 0;
  std::vector<ScheduleLogStep> log;
  std::shared_ptr<const ScheduleStudy> study;
};

// Error kinds: "unknown-preset", "unknown-setting", "bad-setting", "unknown-device",
// "bad-device", "bad-profile", "cancelled", and those of the schedulers.
Result<ScheduleReport> scheduleModule(const ScheduleRequest& request, const JobContext& context);

// What each instruction costs.
struct CostRow {
  const Instruction* instruction = nullptr;
  double ns = 0;           // once
  double estimatedNs = 0;  // the device's, of what was measured too
  int64_t times = 1;       // trips of the loops around it; 1 where they are not known
  double totalNs = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
  std::string bound;  // "compute", "memory", "launch", "link", "loop", "measured", ""
  std::string note;   // of a collective: algorithm, group, link
};
struct CostReport {
  std::string device;
  double totalNs = 0;              // one instruction after the other
  std::vector<CostRow> rows;       // largest total first; of computations that run by themselves
  std::vector<std::string> notes;  // what the device's description assumes
};
// Error kinds: "unknown-device", "bad-device", "bad-profile". The rows live as long as the module.
Result<CostReport> costOfModule(const Module& module, const std::string& device,
                                const std::string& profileText, const std::string& profileName);

// The device with rates that fit the measured times (core/analysis/cost/fit_device.h). Error kinds:
// "unknown-device", "bad-device", "bad-profile".
Result<DeviceFit> fittedDevice(const Module& module, const std::string& device,
                               const std::string& profileText, const std::string& profileName);

// The devices there are descriptions of: "a100", "h100", ...
std::vector<std::string> deviceNames();

}  // namespace hilo
