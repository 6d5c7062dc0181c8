#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/compare_options.h"
#include "app/cli/comparison_report.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/partition/partitioned_run.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {

int comparePartitioned(const CompareOptions& options, const CLI::App& command) {
  const auto file = openFile(options.file);
  if (!file) {
    printError(file.error());
    return kUsage;
  }
  for (const Diagnostic& diagnostic : (*file)->diagnostics) printError(diagnostic);
  if (hasErrors((*file)->diagnostics)) return kUsage;
  const auto source = argumentsOf(options.arguments, command, **file);
  if (!source) return reportFailure(source.error(), kUsage);
  const PartitionedRunRequest request{
      .partition = {.module = (*file)->module, .path = (*file)->path, .devices = options.devices},
      .engine = options.engine,
      .arguments = *source,
      .repeat = options.repeat,
      .worker = workerOf(options.worker)};
  auto runs = withProgress("compare", [&](JobContext& job) { return runPartitioned(request, job); });
  if (!runs) return reportFailure(placedIn(**file, runs.error()), kUsage);
  const RunComparison comparison =
      compareRuns(std::move(runs->whole), std::move(runs->partitioned), options.tolerance, /*inTurns=*/true);
  const std::vector<ComparedSide> sides = {{.name = "whole"}, {.name = "partitioned"}};
  options.json ? printJson(comparisonJson(comparison, nullptr, sides)) : printComparison(comparison, sides);
  return comparison.verdict == Verdict::Differs ? kNo : kOk;
}

}  // namespace hilo::cli
