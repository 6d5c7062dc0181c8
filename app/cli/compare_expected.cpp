#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "app/cli/compare_options.h"
#include "app/cli/comparison_report.h"
#include "app/cli/progress_line.h"
#include "app/cli/report.h"
#include "core/workspace/open/verify_file.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/expected_values.h"
#include "core/workspace/run/runs.h"

namespace hilo::cli {

int compareExpected(const CompareOptions& options, const CLI::App& command) {
  const auto expected = ExpectedValues::read(options.expected);
  const auto file = expected ? openFile(options.file) : std::unexpected(expected.error());
  if (!file) return reportFailure(file.error(), kUsage);
  if (const Status sound = requireVerified(*(*file)->module); !sound)
    return reportFailure(placedIn(**file, sound.error()), kNotRunnable);
  const auto source = argumentsOf(options.arguments, command, **file);
  if (!source) return reportFailure(source.error(), kUsage);
  const RunRequest request{.module = (*file)->module,
                           .source = (*file)->path,
                           .engine = options.engine,
                           .arguments = *source,
                           .repeat = options.repeat,
                           .devices = options.devices,
                           .worker = workerOf(options.worker)};
  auto run = withProgress("compare", [&](JobContext& job) { return execute(request, job); });
  if (!run) return reportFailure(run.error(), kUsage);
  auto value = expected->valueFor(run->output->shape());
  if (!value) return reportFailure(value.error(), kUsage);
  RunRecord given{.engine = "given values", .resultNames = run->resultNames, .output = *std::move(value)};
  given.rounding = run->rounding;
  const RunComparison comparison = compareRuns(std::move(given), *std::move(run), options.tolerance);
  const std::vector<ComparedSide> sides = {{.name = "expected"},
                                           {.name = options.file, .engine = options.engine}};
  options.json ? printJson(comparisonJson(comparison, nullptr, sides)) : printComparison(comparison, sides);
  return comparison.verdict == Verdict::Differs ? kNo : kOk;
}

}  // namespace hilo::cli
