// Runs every module of the corpus by the evaluator and by the cpu engine, on as many devices as it is for (16
// at most) and arguments and values for infeeds made up for each, and prints what came of each that does not
// agree, and how many came to what. What is too large for the evaluator, or takes it too long, is run by the
// cpu engine twice: as it is and through its passes, which lower it in two ways. The tolerance is 64 units in
// the last place (f64: 512) of the element, or of the array's largest (at least 1): sums run in other orders.
// Where that is not kept each instruction is judged on true operands, by the tolerances of first divergence.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <map>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/devices.h"
#include "core/hlo/eval/infeeds.h"
#include "core/hlo/verify/verify.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/path/open_path.h"
#include "core/workspace/run/cpu_engine.h"
#include "core/workspace/run/prepared_run.h"
#include "core/workspace/values/first_divergence.h"
#include "tests/conformance/corpus_files.h"
#include "tests/conformance/cpu_engine/corpus_modules.h"
#include "tests/conformance/cpu_engine/processor_limit.h"

namespace hilo {
namespace {

constexpr int64_t kLargestForEvaluator = 16 << 20, kLargestArguments = 256 << 20;
constexpr int64_t kMostBytes = int64_t{4} << 30;
constexpr uintmax_t kLargestFile = 1 << 20;
constexpr int64_t kMostDevices = 16;
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

int64_t bytesOf(const std::vector<std::vector<Literal>>& arguments) {
  int64_t bytes = 0;
  for (const auto& list : arguments) {
    for (const Literal& argument : list) bytes += argument.shape().byteSize();
  }
  return bytes;
}

using Outputs = Result<std::vector<Literal>>;

// What a module's devices are given.
struct Given {
  std::vector<std::vector<Literal>> arguments;
  std::vector<InfeedValues> infeeds;
};

Outputs runOnCpu(std::shared_ptr<const Module> module, const Given& given, bool runsPasses) {
  const ProcessorLimit limit(kLongest);
  const DeviceGrid grid = gridOf(*module);
  TRY(CompiledModule compiled,
      compileForCpu(std::move(module), {.usesCache = false, .runsPasses = runsPasses, .quick = true},
                    limit.token()));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->runOnDevices(
      grid, given.arguments, {.cancel = limit.token(), .infeeds = given.infeeds, .limitBytes = kMostBytes});
}

Outputs evaluated(const Module& module, const Given& given) {
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

bool isTooMuch(const Diagnostic& error) {
  return error.kind == "cancelled" || error.kind == "memory-limit" || error.kind == "out-of-memory" ||
         error.kind == "literal-too-large";
}

std::string reasonOf(const Diagnostic& error) {
  return error.kind == "cancelled" ? "takes too long" : toString(error).substr(0, 200);
}

// What an outcome is where the engine gave none.
std::string endOf(const Diagnostic& error) {
  if (isTooMuch(error)) return "too large: " + reasonOf(error);
  if (error.kind.starts_with("unsupported-")) return "refused by the engine: " + reasonOf(error);
  return "fail: " + reasonOf(error);
}

std::string compared(const std::shared_ptr<const Module>& module, const Given& given) {
  Outputs expected = bytesOf(given.arguments) <= kLargestForEvaluator
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

// "agree", or in what way; or why there is no answer, and after a colon more exactly.
std::string outcomeOf(std::shared_ptr<const Module> module) {
  module = withDevices(std::move(module));
  Diagnostics problems = verify(*module);
  std::erase_if(problems, [](const Diagnostic& d) { return d.severity != Severity::kError; });
  if (!problems.empty()) return "not what the verifier takes: " + reasonOf(problems[0]);
  const DeviceGrid grid = gridOf(*module);
  if (grid.count() > kMostDevices) return "too large: for more devices";
  if (const Diagnostics reasons = checkRunnable(*module, grid); !reasons.empty())
    return "refused by the evaluator: " + reasonOf(reasons[0]);
  Given given;
  for (int64_t device = 0; device < grid.count(); ++device) {
    const auto made = makeArguments(*module, 1 + static_cast<uint64_t>(device),
                                    {.limitBytes = kLargestArguments / grid.count()});
    if (!made)
      return isTooMuch(made.error()) ? "too large: its arguments" : "no arguments: " + reasonOf(made.error());
    given.arguments.push_back(made->arguments);
    const auto infeed = makeInfeeds(infeedShapes(*module), 1 + static_cast<uint64_t>(device));
    if (!infeed) return "no arguments: " + reasonOf(infeed.error());
    given.infeeds.push_back(*infeed);
    if (device == 0) module = withConstants(module, *made);
  }
  if (const Diagnostics obstacles = whyNotCompiled(*module); !obstacles.empty())
    return "refused by the engine: " + reasonOf(obstacles[0]);
  return compared(module, given);
}

// One a module of the file.
std::vector<std::string> outcomesOf(const std::filesystem::path& path) {
  if (std::filesystem::file_size(path) > kLargestFile) return {"too large: its file"};
  const auto opened = openItem(path.string());
  if (!opened) {
    const std::string& kind = opened.error().kind;
    return kind == "unknown-file-kind" ? std::vector<std::string>()
                                       : std::vector{"not read: " + reasonOf(opened.error())};
  }
  const auto* file = std::get_if<std::shared_ptr<const OpenedFile>>(&*opened);
  if (file == nullptr) return {};
  std::vector<std::shared_ptr<const OpenedFile>> all = {*file};
  all.insert(all.end(), (*file)->others.begin(), (*file)->others.end());
  std::vector<std::string> outcomes;
  for (const auto& one : all) {
    const bool isWhole = one->module != nullptr && !hasErrors(one->diagnostics);
    outcomes.push_back(isWhole ? outcomeOf(one->module) : "not read: it has errors");
  }
  return outcomes;
}

TEST(CorpusOnCpu, AgreesWithTheEvaluator) {
  const auto corpus = corpusPath();
  if (!corpus) GTEST_SKIP() << kNoCorpus;
  std::map<std::string, int> counts;
  int agree = 0;
  for (const auto& path : someOf(moduleFiles(*corpus))) {
    for (const std::string& outcome : outcomesOf(path)) {
      ++counts[outcome.substr(0, outcome.find(':'))];
      agree += outcome.starts_with("agree");
      if (outcome != "agree") fmt::print("{}: {}\n", path.string(), outcome);
      std::fflush(stdout);
      EXPECT_FALSE(outcome.starts_with("differ") || outcome.starts_with("fail")) << path << "\n" << outcome;
    }
  }
  for (const auto& [outcome, number] : counts) fmt::print("{:6} {}\n", number, outcome);
  for (const auto& [outcome, number] : counts) printRows(static_cast<size_t>(number));
  EXPECT_GT(agree, 0);
}

}  // namespace
}  // namespace hilo
