#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/compare_options.h"
#include "app/cli/comparison_report.h"
#include "app/cli/divergence.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/partition/partitioned_divergence.h"
#include "core/workspace/path/open_path.h"

namespace hilo::cli {
namespace {

Result<PartitionedRunRequest> requestOf(const CompareOptions& options, const OpenedFile& file,
                                        const ArgumentSource& arguments) {
  PartitionedRunRequest request{
      .partition = {.module = file.module, .path = file.path, .devices = options.devices},
      .engine = options.engine,
      .arguments = arguments,
      .repeat = options.repeat,
      .worker = workerOf(options.worker)};
  TRY(request.partition.constraints, constraintsFromTexts(options.constraints));
  if (options.otherDevices > 0 || !options.otherConstraints.empty()) {
    request.other = request.partition;
    if (options.otherDevices > 0) request.other->devices = options.otherDevices;
    TRY(request.other->constraints, constraintsFromTexts(options.otherConstraints));
  }
  return request;
}

int compareRunsOf(const CompareOptions& options, const OpenedFile& file,
                  const PartitionedRunRequest& request) {
  auto runs = withProgress("compare", [&](JobContext& job) { return runPartitioned(request, job); });
  if (!runs) return reportFailure(placedIn(file, runs.error()), kUsage);
  const RunComparison comparison =
      compareRuns(std::move(runs->whole), std::move(runs->partitioned), options.tolerance, /*inTurns=*/true);
  const std::vector<ComparedSide> sides = {{.name = request.other ? "other" : "whole"},
                                           {.name = "partitioned"}};
  options.json ? printJson(comparisonJson(comparison, nullptr, sides)) : printComparison(comparison, sides);
  return comparison.verdict == Verdict::Differs ? kNo : kOk;
}

int findDivergenceOf(const CompareOptions& options, const OpenedFile& file,
                     const PartitionedRunRequest& run) {
  const auto divergence = withProgress("first divergence", [&](JobContext& job) -> Result<Divergence> {
    TRY(const PartitionedPair pair, partitionedPair(run.partition, job));
    return findPartitionedDivergence({.spread = pair.spread,
                                      .local = pair.local,
                                      .engine = run.engine,
                                      .arguments = run.arguments,
                                      .tolerance = options.tolerance,
                                      .worker = run.worker},
                                     job);
  });
  if (!divergence) return reportFailure(placedIn(file, divergence.error()), kUsage);
  const DivergenceRequest sides{.truth = {.module = file.module, .engine = "the whole module"},
                                .engine = "the partitioned module"};
  options.json ? printJson(divergenceJson(*divergence)) : printDivergence(*divergence, sides);
  return divergence->found ? kNo : kOk;
}

}  // namespace

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
  const auto request = requestOf(options, **file, *source);
  if (!request) return reportFailure(request.error(), kUsage);
  return options.firstDivergence ? findDivergenceOf(options, **file, *request)
                                 : compareRunsOf(options, **file, *request);
}

}  // namespace hilo::cli
