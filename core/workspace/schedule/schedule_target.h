// What a module was compiled for, as far as it and the names of the files beside it say, and so on which
// described device its times are estimated and how its order is made.
#pragma once

#include <string>

#include "core/hlo/ir/module.h"

namespace hilo {

struct ScheduleTarget {
  std::string device = "h200";   // as in ScheduleScenario
  std::string preset = "gpu";    // of the order made here
  bool asyncCollectives = true;  // it has streams that collectives can run on beside work
  bool isGpu = false;            // what is said of it names a GPU
  // The device itself is known; else one is assumed.
  bool isKnown = false;
  // "it was compiled for a CPU (jit_f.cpu_after_optimizations.txt)"; what the device follows from.
  std::string because = "nothing says what it was compiled for";
};

// "h200, assumed: nothing says what it was compiled for": the device with its reason.
std::string targetText(const ScheduleTarget& target);

// `path`: the file the module was read from, "" or "-" for none. Looks at the names of the files
// in its folder.
ScheduleTarget scheduleTargetOf(const Module& module, const std::string& path);

}  // namespace hilo
