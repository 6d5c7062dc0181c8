// What is said before runs that take long begin.
#pragma once

#include <span>

#include "core/workspace/run/runs.h"

namespace hilo::cli {

// To standard error, where the runs are estimated to take longer than half a minute or more than half of the
// free memory: how long, how much, and when they are ended.
void noteLongRuns(std::span<const RunRequest> requests);

}  // namespace hilo::cli
