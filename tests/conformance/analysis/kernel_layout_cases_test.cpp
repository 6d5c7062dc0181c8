// Layouts of kernels of our own, each with the property of a test of JAX's layout inference.
#include "tests/conformance/analysis/kernel_layout_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/analysis/kernel_layouts/inference/candidates.h"
#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"
#include "core/analysis/kernel_layouts/inference/kernel_text.h"

namespace hilo {
namespace {

using namespace inference;
using OutcomeKind = SearchOutcome::Kind;

std::string withoutPrefix(const std::string& text, const std::string& prefix) {
  return text.substr(prefix.size());
}

// "arith.addf[1]": the second such operation.
OpId opOf(const KernelDescription& kernel, std::string name) {
  int64_t number = 0;
  if (const size_t bracket = name.find('['); bracket != name.npos) {
    number = std::stoll(name.substr(bracket + 1));
    name.resize(bracket);
  }
  for (OpId op = 0; op < kernel.ops.size(); ++op)
    if (kernel.ops[op].opcode == name && number-- == 0) return op;
  ADD_FAILURE() << "no operation " << name;
  return 0;
}

std::string layoutsText(const KernelLayouts& layouts, OpId op, ValueSite::Kind kind) {
  std::vector<std::string> all;
  for (const auto& [site, layout] : layouts.layoutsOf(op, kind)) all.push_back(toString(layout));
  return all.empty() ? "-" : fmt::format("{}", fmt::join(all, "; "));
}

// Tried for shared memory after what follows from the kernel; each once.
std::string memoryCandidates(const KernelDescription& kernel) {
  auto derived = deriveConstraints(kernel);
  if (!derived) return toString(derived.error());
  ConstraintSystem system{
      .variables = &derived->variables, .smMajor = kernel.smMajor, .known = {}, .constraints = {}};
  for (const KernelConstraint& one : derived->constraints) system.constraints.push_back(one.constraint);
  spreadDivides(system);
  InferenceTrace trace;
  if (reduceSystem(system, trace)) return "a contradiction";
  std::vector<std::string> all;
  for (const Candidate& candidate : candidates(system, system.unknowns())) {
    if (system.variable(candidate.variable).space != MemorySpace::Shared) continue;
    const std::string text = toString(candidate.layout);
    if (std::ranges::find(all, text) == all.end()) all.push_back(text);
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

// Without any one of the constraints the others are not refuted.
void expectMinimal(const KernelDescription& kernel, const KernelLayouts& layouts) {
  EXPECT_TRUE(layouts.conflict.isMinimal);
  EXPECT_FALSE(layouts.conflict.constraints.empty());
  for (uint32_t left : layouts.conflict.constraints) {
    std::vector<LayoutConstraint> rest;
    for (uint32_t i = 0; i < layouts.derived.constraints.size(); ++i) {
      rest.push_back(layouts.derived.constraints[i].constraint);
      rest.back().isProposal = i == left || !std::ranges::binary_search(layouts.conflict.constraints, i);
    }
    EXPECT_FALSE(solve(layouts.derived.variables, rest, kernel.smMajor, {}).isRefuted());
  }
}

class Held {
 public:
  explicit Held(const KernelDescription& kernel) : kernel_(kernel) {}

  void check(const std::string& line) const {
    SCOPED_TRACE(line);
    if (line.starts_with("error: ")) return checkError(withoutPrefix(line, "error: "));
    if (line.starts_with("conflict: ")) return checkConflict(withoutPrefix(line, "conflict: "));
    if (line.starts_with("candidates of memory: ")) {
      EXPECT_EQ(memoryCandidates(kernel_), withoutPrefix(line, "candidates of memory: "));
      return;
    }
    if (line.starts_with("fuel: ")) return checkFuel(withoutPrefix(line, "fuel: "), OutcomeKind::Found);
    if (line.starts_with("out of fuel: "))
      return checkFuel(withoutPrefix(line, "out of fuel: "), OutcomeKind::OutOfFuel);
    checkLayouts(line);
  }

 private:
  void checkError(const std::string& words) const {
    const auto layouts = inferLayouts(kernel_);
    ASSERT_FALSE(layouts);
    EXPECT_EQ(layouts.error().kind, "kernel-inference");
    EXPECT_TRUE(layouts.error().message.contains(words)) << layouts.error().message;
  }

  void checkConflict(const std::string& words) const {
    const auto layouts = inferLayouts(kernel_);
    ASSERT_TRUE(layouts) << toString(layouts.error());
    ASSERT_EQ(layouts->outcome.kind, OutcomeKind::Unsatisfiable);
    EXPECT_LE(layouts->outcome.fuelUsed, kUsualFuel);
    const Diagnostic why = whyNoLayouts(kernel_, *layouts);
    EXPECT_EQ(why.kind, "kernel-layout-conflict");
    EXPECT_TRUE(toString(why).contains(words)) << toString(why);
    expectMinimal(kernel_, *layouts);
  }

  void checkFuel(const std::string& fuel, OutcomeKind wanted) const {
    const auto layouts = inferLayouts(kernel_, {.fuel = std::stoll(fuel)});
    ASSERT_TRUE(layouts);
    EXPECT_EQ(layouts->outcome.kind, wanted);
  }

  void checkLayouts(const std::string& line) const {
    const size_t in = line.find(" in: "), out = line.find(" out: ");
    ASSERT_TRUE(in != line.npos || out != line.npos);
    const auto layouts = inferLayouts(kernel_);
    ASSERT_TRUE(layouts) << toString(layouts.error());
    ASSERT_TRUE(layouts->isFound()) << toString(whyNoLayouts(kernel_, *layouts));
    const bool isIn = in != line.npos;
    const OpId op = opOf(kernel_, line.substr(0, isIn ? in : out));
    EXPECT_EQ(layoutsText(*layouts, op, isIn ? ValueSite::Kind::Operand : ValueSite::Kind::Result),
              line.substr(isIn ? in + 5 : out + 6));
  }

  const KernelDescription& kernel_;
};

TEST(KernelLayoutCases, HoldAsJaxsTestsSay) {
  const auto cases = readKernelLayoutCases("tests/conformance/analysis/kernel_layout_cases.txt");
  ASSERT_GT(cases.size(), 200U);
  for (const KernelLayoutCase& one : cases) {
    SCOPED_TRACE(one.test + "\n" + one.kernel);
    const auto kernel = parseKernel(one.kernel);
    ASSERT_TRUE(kernel) << toString(kernel.error());
    ASSERT_FALSE(one.checks.empty());
    for (const std::string& check : one.checks) Held(*kernel).check(check);
  }
}

// The layouts, how many were tried, and what was blamed where there are none.
std::string outcomeText(const DerivedConstraints& derived, int64_t smMajor) {
  std::vector<LayoutConstraint> constraints;
  for (const KernelConstraint& one : derived.constraints) constraints.push_back(one.constraint);
  const SearchOutcome outcome = solve(derived.variables, constraints, smMajor, {});
  std::string text = fmt::format("{} {} {}\n", static_cast<int>(outcome.kind), outcome.fuelUsed,
                                 fmt::join(outcome.blamed, ","));
  for (const auto& [variable, set] : outcome.layouts)
    text += fmt::format("{} {}\n", variable, toString(set.layout));
  return text;
}

TEST(KernelLayoutCases, AHundredRunsAreEqual) {
  for (const KernelLayoutCase& one :
       readKernelLayoutCases("tests/conformance/analysis/kernel_layout_cases.txt")) {
    const auto kernel = parseKernel(one.kernel);
    ASSERT_TRUE(kernel);
    const auto derived = deriveConstraints(*kernel);
    if (!derived) continue;
    const std::string first = outcomeText(*derived, kernel->smMajor);
    for (int run = 1; run < 100; ++run) {
      const auto again = deriveConstraints(*kernel);
      ASSERT_TRUE(again);
      ASSERT_EQ(outcomeText(*again, kernel->smMajor), first) << one.kernel;
    }
  }
}

// Operations on each element apart have a test of their own (rules_test.cpp).
TEST(KernelLayoutCases, EveryOtherRuleIsInACase) {
  std::set<std::string> opcodes;
  for (const KernelLayoutCase& one :
       readKernelLayoutCases("tests/conformance/analysis/kernel_layout_cases.txt")) {
    const auto kernel = parseKernel(one.kernel);
    ASSERT_TRUE(kernel);
    for (const KernelOp& op : kernel->ops) opcodes.insert(op.opcode);
  }
  for (const NamedLayoutRule& rule : layoutRules())
    if (!rule.opcode.starts_with("arith.") && !rule.opcode.starts_with("math."))
      EXPECT_TRUE(opcodes.contains(std::string(rule.opcode))) << rule.opcode;
}

TEST(KernelLayoutCases, KernelsArePrintedAsTheyAreRead) {
  for (const KernelLayoutCase& one :
       readKernelLayoutCases("tests/conformance/analysis/kernel_layout_cases.txt")) {
    const auto kernel = parseKernel(one.kernel);
    ASSERT_TRUE(kernel) << one.kernel;
    const std::string printed = printKernel(*kernel);
    const auto again = parseKernel(printed);
    ASSERT_TRUE(again) << printed << toString(again.error());
    EXPECT_EQ(printKernel(*again), printed);
    EXPECT_EQ(again->ops.size(), kernel->ops.size());
  }
}

}  // namespace
}  // namespace hilo
