// XLA's own tests of passes, of modules that they have as text: our pass changes the module where XLA's does,
// its root is what the test's matcher names, the verifier takes the result, and the reference evaluator gives
// the same numbers before and after. xla_cases.tsv says what is expected, xla_case_gaps.tsv what is
// otherwise; the modules are no part of this repository, and are read where
// HILO_XLA_SOURCE names XLA's sources.
#include <gtest/gtest.h>

#include <map>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/compiler/passes/table/xla_passes.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/print.h"
#include "tests/conformance/schedules/match.h"
#include "tests/conformance/schedules/xla_test_modules.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"

namespace hilo {
namespace {

struct Case {
  std::string pass, file, test, change, root, settings, devices;
};

std::vector<std::vector<std::string>> readTable(const std::string& name) {
  std::ifstream file("tests/conformance/passes/" + name);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    rows.push_back(std::move(cells));
  }
  return rows;
}

// What is too large to be run in a test is verified alone.
bool isSmall(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->shape().isArray() && i->shape().elementCount() > 300'000) return false;
      const bool isProduct = i->opcode() == Opcode::Dot || i->opcode() == Opcode::Convolution;
      if (isProduct && static_cast<double>(i->shape().elementCount()) *
                               static_cast<double>(i->operand(0)->shape().elementCount()) >
                           3e8)
        return false;
    }
  }
  return module.partitionCount() == 1 && module.replicaCount() == 1;
}

bool hasElidedConstant(const Module& module) {
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) {
      if (i->opcode() == Opcode::Constant && i->literal().isElided()) return true;
    }
  }
  return false;
}

// "" where results are equal or cannot be had of the module as it was.
std::string differenceOf(const Module& before, const Module& after, int& compared) {
  if (!isSmall(before) || !isSmall(after) || hasElidedConstant(before)) return "";
  auto made = makeArguments(before, 11);
  if (!made) return "";
  const EvalOptions options{.maxSteps = 200'000, .maxLoopIterations = 2'000, .constants = &made->constants};
  const auto expected = evaluate(before, made->arguments, options);
  if (!expected) return "";
  const auto actual = evaluate(after, made->arguments, options);
  ++compared;
  if (!actual) return "cannot be run afterwards: " + toString(actual.error());
  return fuzz::difference(*actual, *expected, {});
}

std::string firstError(const Diagnostics& problems) {
  const auto error = std::ranges::find(problems, Severity::kError, &Diagnostic::severity);
  return error == problems.end() ? "" : toString(*error);
}

struct Outcome {
  std::string problem;  // "" where all is as XLA's test says
  bool differs = false;
};

// Replicas and partitions, which XLA's tests say beside the module, written into its head.
std::string onDevices(std::string text, const std::string& devices) {
  const size_t head = text.find("HloModule ");
  if (devices == "-" || head == text.npos) return text;
  const size_t end = text.find_first_of(", \n{", head + 10), space = devices.find(' ');
  text.insert(
      end, ", replica_count=" + devices.substr(0, space) + ", num_partitions=" + devices.substr(space + 1));
  return text;
}

Outcome outcomeOf(const Case& of, int& compared) {
  const std::string text = onDevices(textOfXlaTest(of.file, of.test), of.devices);
  if (text.empty()) return {"no such module"};
  ParseOptions parsing;
  parsing.inferShape = inferShape;
  auto parsed = parseModuleStrictly(text, parsing);
  if (!parsed) return {"not read: " + parsed.error().message};
  const std::shared_ptr<const Module> before = *std::move(parsed);
  if (hasErrors(verify(*before, {}))) return {"not verified: " + firstError(verify(*before, {}))};
  const XlaPass* pass = findXlaPass(of.pass);
  const std::string settings = of.settings == "-" ? "" : "{" + of.settings + "}";
  const auto list = parsePassList(std::string(pass->ours) + settings);
  if (!list) return {toString(list.error())};
  const PassRun run = runPasses(before, *list, {});
  if (!run.completed()) return {"fails: " + firstError(run.steps.back().problems), true};
  const bool changed = run.steps.front().outcome == PassOutcome::Changed;
  if (std::string difference = differenceOf(*before, *run.output(), compared); !difference.empty())
    return {"differs: " + difference, true};
  if (of.change != "?" && changed != (of.change == "yes"))
    return {changed ? "changed here" : "not changed here"};
  const PassRun swept = runPasses(run.output(), *parsePassList("dce"), {});
  if (of.root != "-" && !Pattern(of.root).matches(*swept.output()->entry()->root()))
    return {"another root: expected " + of.root};
  return {};
}

TEST(XlaPassTests, SayWhatOursDoes) {
  if (std::getenv("HILO_XLA_SOURCE") == nullptr) GTEST_SKIP() << "HILO_XLA_SOURCE is not set";
  std::map<std::string, std::string> gaps, known;
  for (const auto& row : readTable("xla_case_gaps.tsv")) known[row[0] + "\t" + row[1]] = row[2];
  int held = 0, compared = 0;
  const char* only = std::getenv("HILO_XLA_PASS");
  for (const auto& row : readTable("xla_cases.tsv")) {
    const Case of{row[0], row[1], row[2], row[3], row[4], row[5], row[6]};
    if (only != nullptr && of.pass != only) continue;
    const Outcome outcome = outcomeOf(of, compared);
    const std::string name = of.pass + "\t" + of.test;
    held += static_cast<int>(outcome.problem.empty());
    // A gap of another kind is no excuse for a wrong result.
    const bool isKnown =
        known.contains(name) && (known[name].starts_with("differs") || known[name].starts_with("fails"));
    EXPECT_FALSE(outcome.differs && !isKnown) << name << "\t" << outcome.problem;
    if (outcome.problem.empty()) continue;
    gaps[name] = outcome.problem;
    fmt::print("{}\t{}\n", name, outcome.problem.substr(0, outcome.problem.find('\n')).substr(0, 160));
  }
  fmt::print("{} hold, {} do not; {} compared\n", held, gaps.size(), compared);
  for (const auto& [name, problem] : gaps)
    EXPECT_TRUE(only != nullptr || known.contains(name)) << name << "\t" << problem;
}

}  // namespace
}  // namespace hilo
