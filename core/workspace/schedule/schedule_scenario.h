// What is asked of a schedule, as a value: whose order, under which settings and costs, with which edits. The
// same scenario over the same module gives the same order, so undoing is going back to the scenario before,
// and a scenario kept or sent is the whole experiment.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace hilo {

// An instruction put right before another of its computation.
struct ScheduleMove {
  std::string instruction, before;
  friend bool operator==(const ScheduleMove&, const ScheduleMove&) = default;
};
// An instruction held after one and before another of its computation, as control dependencies do. Either
// may be empty.
struct SchedulePin {
  std::string instruction, after, before;
  friend bool operator==(const SchedulePin&, const SchedulePin&) = default;
};

struct ScheduleScenario {
  std::string name;                                           // what a person calls it
  std::string preset = "gpu";                                 // "original": the order the module came with
  std::vector<std::pair<std::string, std::string>> settings;  // name and value, after the preset
  // "uniform" (XLA's cost model without a machine), a built-in device, or the path of one.
  std::string device = "h200";
  std::string profileText;                    // measured times that override the device's; empty: none
  std::string profileName;                    // for diagnostics
  std::map<std::string, double> latenciesUs;  // by instruction, over both
  // An order in place of the preset's: names one a line, or HLO text, of which the names count.
  std::string order;
  std::vector<SchedulePin> pins;    // kept by the scheduler
  std::vector<ScheduleMove> moves;  // made one after the other, once it is done
  friend bool operator==(const ScheduleScenario&, const ScheduleScenario&) = default;

  // Puts a setting in place of what it was.
  void set(const std::string& setting, const std::string& value);
};

// JSON, an object with the fields above; those at their defaults are left out.
std::string scenarioText(const ScheduleScenario& scenario);
// Error kind "bad-scenario".
Result<ScheduleScenario> parseScenario(const std::string& text, const std::string& file);

}  // namespace hilo
