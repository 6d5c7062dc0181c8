// Runs modules of the corpus by the evaluator and on the simulated GPU in check mode, in a worker, and prints
// what came of each that does not agree. The tolerance is that of `hilo compare`, with what rounding along
// the way explains; where that is not kept each instruction is judged on true operands. Whatever check mode
// finds is a difference. What takes the evaluator or the simulated GPU too long is named and left out.
#include <gtest/gtest.h>

#include "core/compiler/codegen/gpu/gpu_codegen.h"
#include "core/hlo/ir/device_grid.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/values/first_divergence.h"
#include "tests/conformance/corpus_judged.h"
#include "tests/conformance/processor_limit.h"

namespace hilo {
namespace {

constexpr int64_t kLargestForEvaluator = 4 << 20, kMostBytes = int64_t{2} << 30;
constexpr auto kLongest = std::chrono::seconds(5);
constexpr int64_t kLongestSimulatedNs = 60'000'000'000;

RunRequest requestOf(const CorpusCase& given, const char* engine) {
  RunRequest request{.module = given.module, .engine = engine};
  request.arguments = {
      .kind = ArgumentSource::Kind::Given, .given = given.arguments[0], .infeeds = given.infeeds};
  request.arguments.otherGiven.assign(given.arguments.begin() + 1, given.arguments.end());
  request.devices = gridOf(*given.module).count();
  return request;
}

Result<RunRecord> evaluated(const CorpusCase& given) {
  const ProcessorLimit limit(kLongest);
  return execute(requestOf(given, "reference"), JobContext(limit.token()));
}

Result<RunRecord> simulated(const CorpusCase& given) {
  RunRequest request = requestOf(given, "cuda-sim");
  request.worker = WorkerOptions{.command = {HILO_PROGRAM, "worker"},
                                 .timeLimitNs = kLongestSimulatedNs,
                                 .memoryLimitBytes = kMostBytes};
  request.checks.isChecked = true;
  return execute(request, JobContext());
}

// Whether the engine gives what is right, instruction by instruction.
std::string judged(const CorpusCase& given, const RunComparison& comparison) {
  const ProcessorLimit limit(10 * kLongest);
  const RunRequest request = requestOf(given, "reference");
  const auto divergence = findFirstDivergence(
      {.truth = {.module = given.module, .arguments = request.arguments, .devices = request.devices},
       .engine = "cuda-sim"},
      JobContext(limit.token()));
  std::string first;
  for (const LeafComparison& leaf : comparison.leaves) {
    if (leaf.mismatches > 0 && first.empty()) first = fmt::format(" ({} {})", leaf.path, leaf.firstMismatch);
  }
  if (!divergence) return "differ: " + toString(divergence.error()) + first;
  if (!divergence->found) return "agree instruction by instruction";
  return fmt::format("differ: at {}{}", fmt::join(divergence->path, " > "), first);
}

std::string compared(const CorpusCase& given) {
  if (argumentBytes(given) > kLargestForEvaluator) return "too large: its arguments";
  auto expected = evaluated(given);
  if (!expected)
    return isTooMuch(expected.error()) ? endOf(expected.error())
                                       : "ended by the evaluator: " + reasonOf(expected.error());
  auto got = simulated(given);
  if (!got) return endOf(got.error());
  for (const Diagnostic& finding : got->findings) {
    if (finding.severity == Severity::kError) return "fail: check mode: " + toString(finding);
  }
  const RunComparison comparison = compareRuns(std::move(*expected), std::move(*got));
  if (!comparison.comparable) return "fail: not comparable: " + comparison.notComparable;
  if (comparison.verdict == Verdict::Differs) return judged(given, comparison);
  return comparison.verdict == Verdict::Match ? "agree" : "agree by rounding";
}

TEST(CorpusOnSimulatedGpu, AgreesWithTheEvaluatorAndNothingIsFound) {
  judgeCorpus(
      {[](const Module& module) { return whyNotRunOn(module, gridOf(module), gpuCodegen()); }, compared});
}

}  // namespace
}  // namespace hilo
