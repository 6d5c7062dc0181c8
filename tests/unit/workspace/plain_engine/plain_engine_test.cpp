// The plain engine: every case the evaluator is held to, random modules, and one loop an instruction.
#include <gtest/gtest.h>

#include "core/compiler/codegen/plain/plain_codegen.h"
#include "core/workspace/run/engines.h"
#include "tests/support/answers/answer_cases.h"
#include "tests/support/module_fuzzer/fuzz_engine.h"
#include "tests/support/module_text.h"
#include "tests/unit/workspace/cpu_engine/run_on_cpu.h"

namespace hilo {
namespace {

ProgramOptions plainOptions(bool runsPasses) {
  return {.usesCache = false, .runsPasses = runsPasses, .quick = true, .codegen = &plainCodegen()};
}

RunModule plain() {
  return [](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
    return runAgainOnCpu(module, arguments, plainOptions(false));
  };
}

TEST(PlainEngine, GivesEveryElementwiseAnswer) {
  int wrong = 0;
  for (const ElementwiseCase& c : elementwiseCases()) {
    const std::string difference = outcome(c, plain());
    EXPECT_EQ(difference, "") << c.line;
    if (!difference.empty() && ++wrong == 100) FAIL() << "and maybe more";
  }
}

TEST(PlainEngine, GivesEveryStructuralAnswer) {
  int wrong = 0;
  for (const StructuralCase& c : structuralCases()) {
    const std::string difference = outcome(c, plain());
    EXPECT_EQ(difference, "") << c.name << ", line " << c.line << " of structural.txt\n" << c.text;
    if (!difference.empty() && ++wrong == 60) FAIL() << "and maybe more";
  }
}

TEST(PlainEngine, AgreesWithTheEvaluatorOnAFewModules) {
  const auto run = [](bool passes) {
    return [passes](const std::shared_ptr<const Module>& module, std::span<const Literal> arguments) {
      return runOnCpu(module, arguments, plainOptions(passes));
    };
  };
  const fuzz::Report report = fuzz::fuzzEngine({run(false), run(true)}, {.modules = 24, .operations = 8});
  for (const fuzz::Finding& finding : report.findings)
    ADD_FAILURE() << "seed " << finding.seed << ": " << finding.why;
  EXPECT_EQ(report.refused, 0);
}

TEST(PlainEngine, MakesAKernelOfEachInstructionOfAFusion) {
  const auto module = moduleWithReducers(R"(p = f32[64] parameter(0)
    n = f32[64] negate(p)
    t = f32[64] tanh(n)
    ROOT s = f32[64] add(t, p))");
  const auto compiled = compileProgram(module, plainOptions(true), {});
  ASSERT_TRUE(compiled) << toString(compiled.error());
  EXPECT_EQ(compiled->program.kernels.size(), 3u);
  EXPECT_EQ(compileProgram(module, {.usesCache = false}, {})->program.kernels.size(), 1u);
}

TEST(PlainEngine, IsInTheTableOfEngines) {
  const auto engine = engineNamed("plain");
  ASSERT_TRUE(engine);
  EXPECT_EQ(&codegenOf(**engine), &plainCodegen());
  EXPECT_EQ(engineOfPipeline("plain"), *engine);
}

}  // namespace
}  // namespace hilo
