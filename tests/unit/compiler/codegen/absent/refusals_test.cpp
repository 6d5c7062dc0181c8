// The workspace as a build without LLVM has it: what refuses, with what words, and what works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/codegen/emit/compiler_name.h"
#include "core/workspace/passes/optimize.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/run/runs.h"
#include "core/workspace/thunks/compile_report.h"
#include "core/workspace/thunks/thunk_study.h"
#include "core/workspace/tune/tune.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

std::shared_ptr<const Module> squares() {
  return moduleOf(
      "ENTRY e { x = f32[3] parameter(0)\n y = f32[3] negate(x)\n ROOT s = f32[3] multiply(y, y) }");
}

std::vector<const Engine*> compiling() {
  std::vector<const Engine*> engines = engineTable().all();
  std::erase_if(engines, [](const Engine* engine) { return engine->name == "reference"; });
  return engines;
}

TEST(CodegenAbsent, IsWhatThisProgramHas) { EXPECT_EQ(compilerName(), "no LLVM"); }

TEST(CodegenAbsent, EveryEngineThatCompilesRefusesByNameWithTheRemedy) {
  EXPECT_THAT(compiling(), SizeIs(4));  // cpu, plain, cuda, cuda-sim
  for (const Engine* engine : compiling()) {
    for (const Diagnostics& why :
         {engine->canRun(*squares()), engine->canRunOnDevices(*squares(), {.replicas = 2})}) {
      ASSERT_THAT(why, SizeIs(1)) << engine->name;
      EXPECT_EQ(why[0].kind, "no-compiler");
      EXPECT_TRUE(why[0].message.starts_with("the engine " + engine->name.substr(0, 4))) << why[0].message;
      EXPECT_THAT(why[0].notes, ElementsAre(HasSubstr("the engine reference"), HasSubstr("HILO_LLVM=ON")));
    }
  }
}

TEST(CodegenAbsent, ExecutionIsRefusedBeforeItStarts) {
  for (const Engine* engine : compiling()) {
    const auto run = execute({.module = squares(), .engine = engine->name}, JobContext());
    ASSERT_FALSE(run) << engine->name;
    EXPECT_THAT(toString(run.error()), HasSubstr("no-compiler"));
  }
}

TEST(CodegenAbsent, TheEvaluatorRuns) {
  const auto module = moduleOf("ENTRY e { x = f32[] constant(3)\n ROOT s = f32[] multiply(x, x) }");
  const auto run = execute({.module = module, .engine = "reference"}, JobContext());
  ASSERT_TRUE(run) << toString(run.error());
  EXPECT_EQ(*run->output, Literal::scalar(ElementType::F32, 9.0f));
}

// The steps of the pipeline, and at its end why there are no buffers.
TEST(CodegenAbsent, PassesRunAndLoweringSaysWhyNot) {
  const auto series = optimize({.module = squares(), .pipeline = "cpu", .lowers = true}, JobContext());
  ASSERT_TRUE(series) << toString(series.error());
  EXPECT_GT(series->steps.size(), 20u);
  const SeriesStep& last = series->steps.back();
  EXPECT_TRUE(last.isLowering() && last.skipped());
  EXPECT_THAT(last.remarks, Contains(Field(&Remark::message, HasSubstr("needs LLVM"))));
}

TEST(CodegenAbsent, NothingIsCompiledListedOrTuned) {
  const auto compiled = compileAndReport({.module = squares()}, CancelToken());
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error().kind, "no-compiler");
  const auto ptx = compileAndReport({.module = squares(), .targetPath = "sm_90a"}, CancelToken());
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, "no-compiler");
  const auto thunks = compileThunks(squares(), JobContext());
  ASSERT_FALSE(thunks);
  EXPECT_THAT(toString(thunks.error()), HasSubstr("no-compiler"));
  const auto tuned = tune({.module = squares()}, JobContext());
  ASSERT_FALSE(tuned);
  EXPECT_THAT(toString(tuned.error()), HasSubstr("no-compiler"));
}

}  // namespace
}  // namespace hilo
