// Runs every module of the corpus by the evaluator and by the cpu engine, on as many devices as it is for (16
// at most) and arguments and values for infeeds made up for each, and prints what came of each that does not
// agree, and how many came to what. What is too large for the evaluator, or takes it too long, is run by the
// cpu engine twice: as it is and through its passes, which lower it in two ways. The tolerance is 64 units in
// the last place (f64: 512) of the element, or of the array's largest (at least 1): sums run in other orders.
// Where that is not kept each instruction is judged on true operands, by the tolerances of first divergence.
#include <gtest/gtest.h>

#include "core/hlo/eval/compare.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/run/compile_program.h"
#include "core/workspace/values/first_divergence.h"
#include "tests/conformance/corpus_judged.h"
#include "tests/conformance/processor_limit.h"

namespace hilo {
namespace {

constexpr int64_t kLargestForEvaluator = 16 << 20;
constexpr int64_t kMostBytes = int64_t{4} << 30;
constexpr auto kLongest = std::chrono::seconds(10);

bool agreeLoosely(const Literal& got, const Literal& expected) {
  if (got.isTuple()) {
    for (size_t i = 0; i < got.elements().size(); ++i) {
      if (!agreeLoosely(got.elements()[i], expected.elements()[i])) return false;
    }
    return true;
  }
  if (!got.shape().isArray()) return true;
  CompareTolerance tolerance = defaultTolerance(got.shape().elementType());
  // Terms of a sum may cancel: what is lost is measured by the largest element.
  Literal zeros(expected.shape());
  zeros.setDynamicSizes({expected.dynamicSizes().begin(), expected.dynamicSizes().end()});
  const auto size = compareLiterals(expected, zeros);
  tolerance.absolute *= 8 * (size && !size->empty() ? std::max(1.0, (*size)[0].maxAbsError) : 1.0);
  tolerance.relative *= 8;
  const auto differences = compareLiterals(got, expected, tolerance);
  return differences && agrees(*differences);
}

using Outputs = Result<std::vector<Literal>>;

Outputs runOnCpu(std::shared_ptr<const Module> module, const CorpusCase& given, bool runsPasses) {
  const ProcessorLimit limit(kLongest);
  const DeviceGrid grid = gridOf(*module);
  TRY(CompiledModule compiled,
      compileProgram(std::move(module), {.usesCache = false, .runsPasses = runsPasses, .quick = true},
                     limit.token()));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->runOnDevices(
      grid, given.arguments, {.cancel = limit.token(), .infeeds = given.infeeds, .limitBytes = kMostBytes});
}

Outputs evaluated(const Module& module, const CorpusCase& given) {
  const ProcessorLimit limit(kLongest);
  EvalOptions options;
  options.cancel = limit.token();
  options.maxLiveBytes = kMostBytes;
  options.infeeds = given.infeeds;
  return evaluateOnDevices(module, gridOf(module), given.arguments, options);
}

// Whether the engine gives what is right, instruction by instruction.
std::string judged(std::shared_ptr<const Module> module, std::vector<std::vector<Literal>> arguments) {
  const ProcessorLimit limit(10 * kLongest);
  const int64_t devices = gridOf(*module).count();
  ArgumentSource source{.kind = ArgumentSource::Kind::Given, .given = arguments[0]};
  source.otherGiven.assign(arguments.begin() + 1, arguments.end());
  const auto divergence = findFirstDivergence(
      {.truth = {.module = module, .arguments = source, .devices = devices}, .engine = "cpu:quick+no-cache"},
      JobContext(limit.token()));
  if (!divergence) return "differ: " + toString(divergence.error());
  if (!divergence->found) return "agree instruction by instruction";
  return fmt::format("differ: at {}", fmt::join(divergence->path, " > "));
}

std::string compared(const CorpusCase& given) {
  const auto& module = given.module;
  Outputs expected = argumentBytes(given) <= kLargestForEvaluator
                         ? evaluated(*module, given)
                         : Outputs(fail("cancelled", "too large for the evaluator"));
  if (!expected && !isTooMuch(expected.error()))
    return "ended by the evaluator: " + reasonOf(expected.error());
  const bool byEvaluator = expected.has_value();
  if (!byEvaluator) expected = runOnCpu(module, given, false);
  // Devices given values of their own may take different ways to where they should meet.
  if (!expected && expected.error().kind == "deadlock")
    return "ended by the engine without its passes: " + reasonOf(expected.error());
  if (!expected) return endOf(expected.error());
  const Outputs got = runOnCpu(module, given, true);
  if (!got) return endOf(got.error());
  for (size_t device = 0; device < got->size(); ++device) {
    if (!agreeLoosely((*got)[device], (*expected)[device])) return judged(module, given.arguments);
  }
  if (!byEvaluator) return "agree with passes and without";
  return got->size() == 1 ? "agree" : "agree on several devices";
}

TEST(CorpusOnCpu, AgreesWithTheEvaluator) {
  judgeCorpus({[](const Module& module) { return whyNotCompiled(module); }, compared});
}

}  // namespace
}  // namespace hilo
