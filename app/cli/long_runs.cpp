#include "app/cli/long_runs.h"

#include <fmt/format.h>

#include "app/cli/report.h"
#include "core/workspace/run/prepared_run.h"
#include "core/workspace/run/run_estimate.h"

namespace hilo::cli {

void noteLongRuns(std::span<const RunRequest> requests) {
  // What cannot run is refused, with the reasons, when it is to begin.
  for (const RunRequest& request : requests) {
    if (request.module != nullptr && !checkRunnable(request)) return;
  }
  const RunEstimate estimate = estimateRuns(requests);
  if (!estimate.isLarge()) return;
  const auto& worker = requests.front().worker;
  fmt::print(stderr, "note: it is estimated to take {}{}\n", estimateText(estimate),
             worker && worker->timeLimitNs > 0
                 ? fmt::format("; --time-limit ends it after {}", durationText(worker->timeLimitNs))
                 : "");
}

}  // namespace hilo::cli
