// What runs are going to take, reckoned from counts before anything starts: for a question in time, not for
// comparison with what a run then took.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/workspace/run/runs.h"

namespace hilo {

// Of all samples on all devices. Loops whose trip count is not known count once.
struct RunEstimate {
  int64_t flops = 0, bytesAccessed = 0;
  // nullopt: nobody knows how fast the engine is, or what the program does.
  std::optional<double> seconds;
  // The least that this machine's memory is taken for, and what is free for it; 0 where it runs elsewhere.
  int64_t memoryBytes = 0, freeBytes = 0;
  bool countsLoopsOnce = false;

  // Longer than half a minute, or more than half of the free memory.
  bool isLarge() const;
};

// One after the other. What cannot run at all is estimated as nothing: it is refused when it is prepared.
RunEstimate estimateRuns(std::span<const RunRequest> requests);

// "about 4 min (12 T flops, 3.1 GiB accessed); at least 9.0 GiB of memory, of 12 GiB free"
std::string estimateText(const RunEstimate& estimate);

}  // namespace hilo
