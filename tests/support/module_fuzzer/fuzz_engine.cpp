#include "tests/support/module_fuzzer/fuzz_engine.h"

#include <fmt/format.h>

#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/verify/verify.h"
#include "tests/support/module_fuzzer/module_writer.h"

namespace hilo::fuzz {
namespace {

bool looksAtResults(uint64_t seed) { return seed % 2 == 1; }

}  // namespace

Result<std::shared_ptr<const Module>> readWritten(const std::string& text, DeviceGrid grid) {
  auto parsed = parseModuleStrictly(text);
  if (!parsed) {
    parsed.error().notes.push_back(text);
    return std::unexpected(parsed.error());
  }
  Diagnostics problems = verify(**parsed);
  std::erase_if(problems, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  const Diagnostics refused = checkRunnable(**parsed, grid);
  problems.insert(problems.end(), refused.begin(), refused.end());
  if (!problems.empty()) {
    problems[0].notes.push_back(text);
    return std::unexpected(problems[0]);
  }
  return *std::move(parsed);
}

Result<Case> makeCase(uint64_t seed, int operations) {
  const bool exactOnly = looksAtResults(seed);
  TRY(auto module,
      readWritten(ModuleWriter({.seed = seed, .operations = operations, .exactOnly = exactOnly}).write()));
  std::vector<Literal> arguments =
      exactOnly ? makeCalmArguments(*module, seed) : makeWildArguments(*module, seed);
  return Case{std::move(module), std::move(arguments)};
}

void Report::refuse(uint64_t seed, const std::string& why) {
  ++refused;
  if (refusals.size() < 100) refusals.push_back(fmt::format("seed {}: {}", seed, why));
}

Report fuzzEngine(const Engine& engine, const Plan& plan) {
  Report report;
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < plan.modules && report.findings.size() < plan.mostFindings; ++i) {
    if (std::chrono::steady_clock::now() - begin > plan.longest) break;
    const uint64_t seed = plan.firstSeed + static_cast<uint64_t>(i);
    ++report.modules;
    const auto made = makeCase(seed, plan.operations);
    if (!made) {
      report.findings.push_back({seed, "the module is malformed: " + toString(made.error()), {}, {}});
      continue;
    }
    const RunModule& run = looksAtResults(seed) ? engine.optimized : engine.asItStands;
    const Judge judge = looksAtResults(seed) ? judgeResults : judgeSteps;
    const Verdict verdict = judge(*made, run);
    if (verdict.outcome == Outcome::Refused) report.refuse(seed, verdict.why);
    if (verdict.outcome != Outcome::Differs) continue;
    const Case small = shrink(*made, run, judge);
    report.findings.push_back({seed, judge(small, run).why, *made, small});
  }
  return report;
}

}  // namespace hilo::fuzz
