// Hilo's own library of PJRT through its own engine for such libraries: every case the evaluator is held to.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/hlo/text/parse.h"
#include "core/workspace/open/opened.h"
#include "core/workspace/run/chosen_engine.h"
#include "core/workspace/run/runs.h"
#include "tests/support/answers/answer_cases.h"

namespace hilo {
namespace {

const std::string kLibrary = "pjrt:" HILO_PJRT_LIBRARY;

WorkerOptions worker() {
  setenv("HILO_PJRT_HOST", HILO_PJRT_HOST_PROGRAM, 1);
  return {.command = {HILO_PROGRAM, "worker"}};
}

// Cases that PJRT cannot carry are counted, by what the engine says before anything is compiled.
struct ThroughPjrt {
  int refused = 0, ran = 0;

  Result<Literal> operator()(std::shared_ptr<const Module> module, std::span<const Literal> arguments) {
    TRY(const ChosenEngine chosen, chooseEngine(kLibrary + "+engine=reference"));
    if (!obstaclesOn(*chosen.engine, *module, {}).empty()) {
      ++refused;
      TRY(const ChosenEngine reference, chooseEngine("reference"));
      TRY(auto executable, reference.engine->compile(module, {}, CancelToken()));
      return executable->run(arguments, CancelToken());
    }
    ++ran;
    EngineSettings settings;
    settings.worker = worker();
    TRY(auto executable, chosen.engine->compile(module, settings, CancelToken()));
    return executable->run(arguments, CancelToken());
  }
};

TEST(PjrtAnswers, ElementwiseAreTheEvaluators) {
  ThroughPjrt through;
  const RunModule run = [&](const auto& module, std::span<const Literal> arguments) {
    return through(module, arguments);
  };
  for (const ElementwiseCase& c : elementwiseCases()) ASSERT_EQ(outcome(c, run), "") << c.line;
  EXPECT_EQ(through.refused, 0);
  EXPECT_GT(through.ran, 2000);
}

TEST(PjrtAnswers, StructuralAreTheEvaluators) {
  ThroughPjrt through;
  const RunModule run = [&](const auto& module, std::span<const Literal> arguments) {
    return through(module, arguments);
  };
  for (const StructuralCase& c : structuralCases())
    ASSERT_EQ(outcome(c, run), "") << c.name << ", line " << c.line << " of structural.txt";
  // Dimensions without a fixed size, tuples in tuples.
  EXPECT_LT(through.refused * 10, through.ran) << through.refused << " of " << through.ran;
  std::printf("rows: %d through the library, %d that PJRT cannot carry\n", through.ran, through.refused);
}

std::shared_ptr<const Module> parsed(std::string_view text) {
  auto module = parseModuleStrictly(std::string(text));
  EXPECT_TRUE(module.has_value());
  return *std::move(module);
}

TEST(PjrtEngine, RunsReplicasAndGivesTheOptimizedModule) {
  const auto module = parsed(R"(HloModule sum, replica_count=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e { p = f32[2] parameter(0)  ROOT r = f32[2] all-reduce(p), replica_groups={}, to_apply=add })");
  RunRequest request{.module = module, .engine = kLibrary + "+devices=2", .worker = worker()};
  request.arguments.seed = 1;
  const auto apart = execute(request, JobContext());
  ASSERT_TRUE(apart.has_value()) << toString(apart.error());
  request.engine = "reference";
  const auto here = execute(request, JobContext());
  ASSERT_TRUE(here.has_value());
  EXPECT_EQ(apart->outputDigest, here->outputDigest);
  EXPECT_EQ(apart->devices, 2);

  const auto chosen = chooseEngine(kLibrary);
  ASSERT_TRUE(chosen.has_value());
  EngineSettings settings;
  settings.worker = worker();
  const auto one = parsed(
      "HloModule one\nENTRY e { p = f32[2] parameter(0)  z = f32[2] multiply(p, p)  ROOT r = f32[2] add(z, "
      "p) }");
  const auto executable = chosen->engine->compile(one, settings, CancelToken());
  ASSERT_TRUE(executable.has_value()) << toString(executable.error());
  const auto optimized = (*executable)->optimizedModule();
  ASSERT_TRUE(optimized.has_value()) << toString(optimized.error());
  const auto read = openBytes(*optimized, "optimized");
  ASSERT_TRUE(read.has_value()) << toString(read.error());
  EXPECT_EQ((*read)->module->entry()->root()->shape().withoutLayout(), Shape::array(ElementType::F32, {2}));
}

TEST(PjrtEngine, RefusesByName) {
  const auto module = parsed("HloModule one\nENTRY e { ROOT p = f32[2] parameter(0) }");
  const auto kindOf = [&](const std::string& engine) {
    const auto failed = execute({.module = module, .engine = engine, .worker = worker()}, JobContext());
    return failed ? "none" : failed.error().kind;
  };
  EXPECT_EQ(kindOf("pjrt:"), "unknown-engine");
  EXPECT_EQ(kindOf("pjrt:/nowhere.so"), "pjrt-not-loadable");
  EXPECT_EQ(kindOf("pjrt:libm.so.6"), "pjrt-not-loadable");
  EXPECT_EQ(kindOf("pjrt:" HILO_CRASHING_LIBRARY), "engine-crashed");
  EXPECT_EQ(kindOf(kLibrary + "+engine=none"), "pjrt-error");
  EXPECT_EQ(kindOf(kLibrary + "+colour=red"), "pjrt-error");
  EXPECT_EQ(kindOf(kLibrary + "+devices=0"), "pjrt-error");
}

}  // namespace
}  // namespace hilo
