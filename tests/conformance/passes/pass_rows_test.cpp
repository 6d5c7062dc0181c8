// Every row of rows/: the pass changes the module as XLA's test of it says, the verifier takes what it made,
// and the reference evaluator gives the same numbers before and after.
#include <gtest/gtest.h>

#include <set>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/simplify/algebra/rule.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/parse.h"
#include "core/hlo/text/print.h"
#include "core/hlo/verify/infer_shape.h"
#include "core/hlo/verify/verify.h"
#include "tests/conformance/schedules/match.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/support/pass_rows/pass_rows.h"

namespace hilo {
namespace {

using pass_rows::Check;
using pass_rows::Row;

std::shared_ptr<const Module> parsed(const Row& row) {
  ParseOptions options;
  options.inferShape = inferShape;
  auto module = parseModuleStrictly(row.module, options);
  EXPECT_TRUE(module.has_value()) << toString(module.error()) << "\n" << row.module;
  if (!module) return nullptr;
  const Diagnostics problems = verify(**module, {});
  EXPECT_FALSE(hasErrors(problems)) << toString(problems.at(0)) << "\n" << row.module;
  return *std::move(module);
}

int64_t countOf(const Module& module, std::string_view opcode) {
  int64_t count = 0;
  for (const Computation* computation : module.computations()) {
    for (const Instruction* i : computation->instructions()) count += i->opcodeText() == opcode;
  }
  return count;
}

// The rules named by remarks such as "add-zero: x + 0 = x; now %x".
std::set<std::string> rulesApplied(const PassRun& run) {
  std::set<std::string> rules;
  for (const PassStep& step : run.steps) {
    for (const Remark& remark : step.remarks)
      rules.insert(remark.message.substr(0, remark.message.find(':')));
  }
  return rules;
}

bool remarks(const PassRun& run, std::string_view text) {
  return std::ranges::any_of(run.steps, [&](const PassStep& step) {
    return std::ranges::any_of(
        step.remarks, [&](const Remark& remark) { return remark.message.find(text) != std::string::npos; });
  });
}

// Whether the second of two names stands right behind the first.
bool isNext(const Module& module, const std::string& names) {
  const std::string first = names.substr(0, names.find(' ')), second = names.substr(names.find(' ') + 1);
  for (const Computation* computation : module.computations()) {
    const Instruction* found = computation->find(first);
    if (found != nullptr && found->next() != nullptr && found->next()->name() == second) return true;
  }
  return false;
}

bool holds(const Check& check, const Module& module, const PassRun& run) {
  const std::string& text = check.text;
  if (check.kind == "applies") return rulesApplied(run).contains(text);
  if (check.kind == "root") return Pattern(text).matches(*module.entry()->root());
  if (check.kind == "has") return countOf(module, text) > 0;
  if (check.kind == "lacks") return countOf(module, text) == 0;
  if (check.kind == "shows") return printModule(module).find(text) != std::string::npos;
  if (check.kind == "hides") return printModule(module).find(text) == std::string::npos;
  if (check.kind == "remarks") return remarks(run, text);
  if (check.kind == "silent") return !remarks(run, "");
  if (check.kind == "next") return isNext(module, text);
  if (check.kind == "clean")
    return runPasses(run.output(), *parsePassList("dce"), {}).steps[0].outcome == PassOutcome::Unchanged;
  if (check.kind == "count") {
    const size_t space = text.find(' ');
    return space != std::string::npos &&
           countOf(module, text.substr(space + 1)) == std::stoll(text.substr(0, space));
  }
  return false;
}

void expectEqualNumbers(const Row& row, const Module& before, const Module& after) {
  const DeviceGrid grid{.replicas = row.replicas, .partitions = row.partitions};
  fuzz::DeviceArguments arguments;
  for (int64_t device = 0; device < grid.count(); ++device) {
    auto made = makeArguments(before, 7 + static_cast<uint64_t>(device));
    ASSERT_TRUE(made.has_value()) << toString(made.error());
    arguments.push_back(std::move(made->arguments));
  }
  const auto expected = fuzz::evaluateCase(before, grid, arguments),
             actual = fuzz::evaluateCase(after, grid, arguments);
  ASSERT_TRUE(expected.has_value()) << toString(expected.error());
  ASSERT_TRUE(actual.has_value()) << toString(actual.error()) << printModule(after);
  ASSERT_EQ(expected->size(), actual->size());
  for (size_t k = 0; k < expected->size(); ++k) EXPECT_TRUE(!row.isExact || (*actual)[k] == (*expected)[k]);
  for (size_t k = 0; k < expected->size(); ++k)
    EXPECT_EQ(fuzz::difference((*actual)[k], (*expected)[k], {}), "") << printModule(after);
}

class PassRows : public testing::TestWithParam<Row> {};

TEST_P(PassRows, DoesWhatItMust) {
  const Row& row = GetParam();
  SCOPED_TRACE(row.file + ":" + std::to_string(row.line));
  const auto passes = parsePassList(row.passes);
  ASSERT_TRUE(passes.has_value()) << toString(passes.error());
  ASSERT_FALSE(passes->empty())
      << "the file names no pass of XLA's that is there, and has no line with passes";
  const std::shared_ptr<const Module> before = parsed(row);
  ASSERT_NE(before, nullptr);
  const PassRun run = runPasses(before, *passes, {});
  if (!row.failure.kind.empty()) {
    ASSERT_FALSE(run.completed());
    const Diagnostic& why = run.steps.back().problems.at(0);
    EXPECT_EQ(why.kind, row.failure.kind);
    EXPECT_NE(why.message.find(row.failure.text), std::string::npos) << why.message;
    return;
  }
  ASSERT_TRUE(run.completed()) << toString(run.steps.back().problems.at(0))
                               << printModule(*run.steps.back().module);
  EXPECT_EQ(run.steps.front().outcome == PassOutcome::Changed, row.mustChange) << printModule(*run.output());
  const auto dce = parsePassList("dce");
  const PassRun swept = runPasses(run.output(), *dce, {});
  for (const Check& check : row.checks)
    EXPECT_TRUE(holds(check, *swept.output(), run)) << check.kind << " " << check.text << "\n"
                                                    << printModule(*swept.output());
  if (row.notRun.empty()) expectEqualNumbers(row, *before, *run.output());
}

std::string nameOf(const testing::TestParamInfo<Row>& made) {
  std::string name = made.param.file.substr(0, made.param.file.find('.')) + "_" + made.param.name;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(OfEachPass, PassRows,
                         testing::ValuesIn(pass_rows::readRows("tests/conformance/passes/rows")), nameOf);

TEST(AlgebraicRules, AreAllTriedByRows) {
  std::set<std::string> tried;
  for (const Row& row : pass_rows::readRows("tests/conformance/passes/rows")) {
    if (!row.passes.starts_with("algebraic-simplifier")) continue;
    tried.merge(rulesApplied(runPasses(parsed(row), *parsePassList(row.passes), {})));
  }
  for (const algebra::Rule& rule : algebra::allRules())
    EXPECT_TRUE(tried.contains(std::string(rule.name)))
        << "no row of algsimp.rows or algebra_rules.rows tries " << rule.name;
}

}  // namespace
}  // namespace hilo
