// Runs every module of the corpus by the evaluator and by the cpu engine, on as many devices as it is for (16
// at most) and the same made-up arguments, and prints how many agree, how many are refused and for what, and
// the name of each that does not agree. What is too large for the evaluator, or takes it too long, is run by
// the cpu engine twice: as it is and through its passes, which lower it in two ways. The tolerance is 64
// units in the last place (f64: 512) of the element, or of the array's largest (at least 1): sums run in
// other orders.
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <thread>

#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/compare.h"
#include "core/hlo/eval/devices.h"
#include "core/hlo/text/parse.h"
#include "core/runtime/executor/executor.h"
#include "core/workspace/run/cpu_engine.h"
#include "tests/conformance/corpus_files.h"

namespace hilo {
namespace {

constexpr int64_t kLargestForEvaluator = 16 << 20, kLargestArguments = 256 << 20;
constexpr int64_t kMostTemporaries = int64_t{4} << 30;
constexpr uintmax_t kLargestFile = 1 << 20;
constexpr int64_t kMostDevices = 16;
constexpr auto kLongest = std::chrono::seconds(5);

// Cancels when `kLongest` has passed.
class Deadline {
 public:
  Deadline()
      : watch_([this] {
          std::unique_lock lock(mutex_);
          if (!ended_.wait_for(lock, kLongest, [this] { return done_; })) token.cancel();
        }) {}
  ~Deadline() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    ended_.notify_all();
    watch_.join();
  }
  CancelToken token;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::thread watch_;
};

bool agreeLoosely(const Literal& got, const Literal& expected) {
  if (got.isTuple()) {
    for (size_t i = 0; i < got.elements().size(); ++i) {
      if (!agreeLoosely(got.elements()[i], expected.elements()[i])) return false;
    }
    return true;
  }
  CompareTolerance tolerance = defaultTolerance(got.shape().elementType());
  // Terms of a sum may cancel: what is lost is measured by the largest element.
  const auto size = compareLiterals(expected, Literal(expected.shape()));
  tolerance.absolute *= 8 * (size && !size->empty() ? std::max(1.0, (*size)[0].maxAbsError) : 1.0);
  tolerance.relative *= 8;
  const auto differences = compareLiterals(got, expected, tolerance);
  return differences && agrees(*differences);
}

// The module with values in place of its elided constants.
std::shared_ptr<const Module> withConstants(const Module& module, const GeneratedArguments& made) {
  std::shared_ptr<Module> filled = module.clone();
  for (const auto& [constant, value] : made.constants)
    filled->instruction(constant->id())->set<Attr::Literal>(filled->own(value));
  return filled;
}

int64_t bytesOf(const std::vector<std::vector<Literal>>& arguments) {
  int64_t bytes = 0;
  for (const auto& list : arguments) {
    for (const Literal& argument : list) bytes += argument.shape().byteSize();
  }
  return bytes;
}

using Outputs = Result<std::vector<Literal>>;

Outputs runOnCpu(std::shared_ptr<const Module> module, DeviceGrid grid,
                 const std::vector<std::vector<Literal>>& arguments, bool runsPasses) {
  const Deadline deadline;
  TRY(CompiledModule compiled,
      compileForCpu(std::move(module), {.usesCache = false, .runsPasses = runsPasses, .quick = true},
                    deadline.token));
  TRY(const auto executor, Executor::make(std::make_shared<const Program>(std::move(compiled.program))));
  return executor->runOnDevices(grid, arguments, {.cancel = deadline.token, .limitBytes = kMostTemporaries});
}

Outputs evaluated(const Module& module, DeviceGrid grid, const std::vector<std::vector<Literal>>& arguments) {
  const Deadline deadline;
  EvalOptions options;
  options.cancel = deadline.token;
  return evaluateOnDevices(module, grid, arguments, options);
}

// What an outcome is where an engine gave none.
std::string endOf(const Diagnostic& error) {
  if (error.kind == "cancelled") return "takes too long";
  if (error.kind == "out-of-memory") return "too large";
  if (error.kind.starts_with("unsupported-"))
    return "refused: " + error.kind + ": " + error.message.substr(0, 60);
  return "fails: " + toString(error);
}

// "agrees", "differs", or why there is no answer.
std::string outcomeOf(const std::filesystem::path& path) {
  ParseResult parsed = parseModule(readCorpusFile(path));
  if (parsed.module == nullptr || hasErrors(parsed.diagnostics)) return "not read";
  std::shared_ptr<const Module> module = std::move(parsed.module);
  const DeviceGrid grid = gridOf(*module);
  if (grid.count() > kMostDevices) return "too many devices";
  if (const Diagnostics reasons = checkRunnable(*module, grid); !reasons.empty())
    return "not for the evaluator: " + reasons[0].kind + ": " + reasons[0].message.substr(0, 60);
  const auto made = makeArguments(*module, 1, kLargestArguments / grid.count());
  if (!made) return "too large";
  std::vector<std::vector<Literal>> arguments = {made->arguments};
  for (int64_t device = 1; device < grid.count(); ++device)
    arguments.push_back(makeArguments(*module, 1 + device, kLargestArguments)->arguments);
  module = withConstants(*module, *made);
  const Diagnostics obstacles = whyNotCompiled(*module);
  if (!obstacles.empty()) return "refused: " + obstacles[0].kind + ": " + obstacles[0].message.substr(0, 60);
  const bool isSmall = bytesOf(arguments) <= kLargestForEvaluator;
  Outputs expected = isSmall ? evaluated(*module, grid, arguments) : Outputs(fail("cancelled", "too large"));
  if (!expected && expected.error().kind != "cancelled")
    return "the evaluator ends: " + expected.error().kind;
  const bool byEvaluator = expected.has_value();
  if (!byEvaluator) expected = runOnCpu(module, grid, arguments, false);
  if (!expected) return endOf(expected.error());
  const Outputs got = runOnCpu(module, grid, arguments, true);
  if (!got) return endOf(got.error());
  for (size_t device = 0; device < got->size(); ++device) {
    if (!agreeLoosely((*got)[device], (*expected)[device])) return "differs";
  }
  if (!byEvaluator) return "agrees, with passes and without";
  return grid.count() == 1 ? "agrees" : "agrees on several devices";
}

TEST(CorpusOnCpu, AgreesWithTheEvaluator) {
  const char* corpus = std::getenv("HILO_CORPUS");
  if (corpus == nullptr) GTEST_SKIP() << "HILO_CORPUS names no folder";
  std::map<std::string, int> counts;
  for (const auto& path : hloTexts(corpus)) {
    if (std::filesystem::file_size(path) > kLargestFile) {
      ++counts["file too large"];
      continue;
    }
    const std::string outcome = outcomeOf(path);
    ++counts[outcome];
    EXPECT_NE(outcome, "differs") << path;
    EXPECT_FALSE(outcome.starts_with("fails")) << path << "\n" << outcome;
  }
  int agree = 0;
  for (const auto& [outcome, number] : counts) {
    fmt::print("{:6} {}\n", number, outcome);
    if (outcome.starts_with("agrees")) agree += number;
  }
  EXPECT_GT(agree, 0);
}

}  // namespace
}  // namespace hilo
