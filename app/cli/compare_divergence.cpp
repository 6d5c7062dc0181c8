#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/compare_options.h"
#include "app/cli/divergence.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"

namespace hilo::cli {

int findDivergence(const CompareOptions& options, const CLI::App& command, const ComparedSide& side) {
  const auto source = argumentsOf(options.arguments, command, *side.file);
  if (!source) return reportFailure(source.error(), kUsage);
  const DivergenceRequest request{.truth = {.module = side.file->module,
                                            .engine = options.engines[0],
                                            .arguments = *source,
                                            .devices = options.devices,
                                            .worker = workerOf(options.worker)},
                                  .engine = options.engines[1],
                                  .tolerance = options.tolerance};
  const auto divergence =
      withProgress("first divergence", [&](JobContext& job) { return findFirstDivergence(request, job); });
  if (!divergence) return reportFailure(divergence.error(), kUsage);
  options.json ? printJson(divergenceJson(*divergence)) : printDivergence(*divergence, request);
  return divergence->found ? kNo : kOk;
}

}  // namespace hilo::cli
