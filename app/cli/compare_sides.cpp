#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/compare_options.h"
#include "app/cli/comparison_report.h"
#include "app/cli/long_runs.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/condition.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/run/time_limit.h"

namespace hilo::cli {
int compareSides(const CompareOptions& options, const CLI::App& command,
                 const std::vector<ComparedSide>& sides) {
  for (const ComparedSide& side : sides) {
    if (side.file == nullptr) continue;
    for (const Diagnostic& diagnostic : side.file->diagnostics) printError(diagnostic);
    if (hasErrors(side.file->diagnostics)) return kUsage;
    if (const Status sound = requireVerified(*side.file->module); !sound) {
      printError(placedIn(*side.file, sound.error()));
      return kNotRunnable;
    }
  }
  // Both sides get the arguments of the first.
  const ComparedSide& first = sides[0];
  const OpenedFile none;
  const auto source = argumentsOf(options.arguments, command, first.file != nullptr ? *first.file : none);
  if (!source) return reportFailure(source.error(), kUsage);
  const auto worker = workerOf(options.worker);
  const auto arguments = withProgress("arguments", [&](JobContext& job) -> Result<ArgumentSource> {
    const TimeLimit limit(worker ? worker->timeLimitNs : 0, job.cancel());
    const JobContext within(limit.token());
    auto made = first.program != nullptr ? settleArguments(*first.program, *source, within)
                                         : settleArguments(*first.file->module, *source, within);
    if (!made) return std::unexpected(limit.explained(std::move(made).error(), "making arguments"));
    return made;
  });
  if (!arguments) return reportFailure(arguments.error(), kUsage);
  std::vector<RunRequest> requests;
  for (const ComparedSide& side : sides) {
    requests.push_back({.module = side.file != nullptr ? side.file->module : nullptr,
                        .program = side.program,
                        .compileNotes = side.notes,
                        .source = side.file != nullptr ? side.file->path : "",
                        .engine = side.engine,
                        .arguments = *arguments,
                        .repeat = options.repeat,
                        .devices = options.devices,
                        .worker = worker,
                        .checks = side.checks ? checksOf(options.checks, command) : DeviceChecks()});
  }
  noteLongRuns(requests);
  auto runs = withProgress("compare", [&](JobContext& job) { return executeInTurns(requests, job); });
  if (!runs) {
    for (const ComparedSide& side : sides) {
      if (side.file != nullptr && !whyNotRunnable(*side.file->module, side.engine).empty())
        fmt::print(stderr, "{}:\n", side.name);
    }
    if (runs.error().kind == "wrong-argument" && options.engines.empty())
      runs.error().notes.push_back(fmt::format("both sides get the arguments of {}", first.name));
    return reportFailure(runs.error(), kUsage);
  }
  const RunComparison comparison =
      compareRuns(std::move((*runs)[0]), std::move((*runs)[1]), options.tolerance, /*inTurns=*/true);
  std::optional<Condition> condition;
  if (options.draws > 0 && comparison.comparable && comparison.verdict != Verdict::Match) {
    auto measured = withProgress("condition", [&](JobContext& job) {
      return measureCondition(requests[0], comparison, options.draws, job);
    });
    if (!measured) return reportFailure(measured.error(), kUsage);
    condition = *std::move(measured);
  }
  if (options.json) {
    printJson(comparisonJson(comparison, condition ? &*condition : nullptr, sides));
  } else {
    printComparison(comparison, sides);
    for (const RunRecord* run : {&comparison.a, &comparison.b}) {
      if (options.checks.checks && engineChecks(run->engine)) printFindings(run->findings);
    }
    if (condition) printCondition(*condition, comparison);
  }
  const bool isRounding =
      condition ? condition->isRounding() : comparison.verdict == Verdict::DiffersByRounding;
  const bool isSound = !hasErrors(comparison.a.findings) && !hasErrors(comparison.b.findings);
  return isSound && (comparison.verdict == Verdict::Match || isRounding) ? kOk : kNo;
}

}  // namespace hilo::cli
