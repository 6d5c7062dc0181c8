// Every case the evaluator is held to, through the cpu engine: the same answers, whatever was where they are
// written. None is refused.
#include <gtest/gtest.h>

#include "tests/support/answers/answer_cases.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

RunModule onCpu(bool quick) {
  return [quick](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
    return runAgainOnCpu(module, arguments, {.usesCache = false, .runsPasses = false, .quick = quick});
  };
}

TEST(CpuAnswers, Elementwise) {
  int wrong = 0;
  for (const ElementwiseCase& c : elementwiseCases()) {
    const std::string difference = outcome(c, onCpu(false));
    EXPECT_EQ(difference, "") << c.line;
    if (!difference.empty() && ++wrong == 100) FAIL() << "and maybe more";
  }
  EXPECT_GT(elementwiseCases().size(), 2000u);
}

// Compiled quickly: there are many.
TEST(CpuAnswers, Structural) {
  int wrong = 0;
  for (const StructuralCase& c : structuralCases()) {
    const std::string difference = outcome(c, onCpu(true));
    EXPECT_EQ(difference, "") << c.name << ", line " << c.line << " of structural.txt\n" << c.text;
    if (!difference.empty() && ++wrong == 60) FAIL() << "and maybe more";
  }
  EXPECT_GT(structuralCases().size(), 1500u);
}

}  // namespace
}  // namespace hilo
