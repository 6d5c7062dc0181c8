// What an engine makes of several instructions together is found in parts as it is at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/print.h"
#include "core/workspace/run/engines.h"
#include "core/workspace/values/first_divergence.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

using testing::ElementsAre;

bool takesCosineOfAStep(const Module& module) {
  return std::ranges::any_of(module.entry()->instructions(), [](const Instruction* i) {
    return i->opcode() == Opcode::Cosine && i->operand(0)->opcode() != Opcode::Parameter;
  });
}

// Instructions it ran, the root's tuple and parameters aside.
int64_t& instructionsRun() {
  static int64_t count = 0;
  return count;
}

// The evaluator, but for cosines of what it computes itself: these become sines.
void addEngineThatFusesWrong() {
  if (engineTable().find("fuses-wrong") != nullptr) return;
  const Engine* reference = engineTable().find("reference");
  Engine made = *reference;
  made.name = "fuses-wrong";
  made.compile = [reference](std::shared_ptr<const Module> module, const EngineSettings& settings,
                             const CancelToken& cancel) -> Result<std::unique_ptr<Executable>> {
    const Computation& entry = *module->entry();
    instructionsRun() += static_cast<int64_t>(entry.instructionCount() - entry.parameters().size()) - 1;
    if (!takesCosineOfAStep(*module)) return reference->compile(std::move(module), settings, cancel);
    std::string text = printModule(*module, PrintOptions());
    for (size_t at = 0; (at = text.find(" cosine(", at)) != std::string::npos;) text.replace(at, 8, " sine(");
    TRY(auto changed, parseModuleStrictly(text));
    return reference->compile(std::move(changed), settings, cancel);
  };
  ASSERT_TRUE(engineTable().add(std::move(made)).has_value());
}

// A chain of steps of 1 MiB each, one of them a cosine.
std::shared_ptr<const Module> chainWithCosine(int steps, int cosine) {
  std::string text = "ENTRY e { s0 = f32[262144] parameter(0)\n";
  for (int i = 1; i <= steps; ++i)
    text += fmt::format("  s{} = f32[262144] {}(s{})\n", i, i == cosine ? "cosine" : "negate", i - 1);
  return moduleOf(text + fmt::format("  ROOT r = f32[262144] negate(s{}) }}", steps));
}

Result<Divergence> search(std::shared_ptr<const Module> module, int64_t limitMiB) {
  addEngineThatFusesWrong();
  instructionsRun() = 0;
  return findFirstDivergence(
      {.truth = {.module = std::move(module), .worker = WorkerOptions{.memoryLimitBytes = limitMiB << 20}},
       .engine = "fuses-wrong"},
      JobContext());
}

// Wherever the cosine stands, on either side of a cut too.
TEST(DivergenceWindows, BothWaysAgree) {
  for (int cosine = 2; cosine <= 14; ++cosine) {
    for (const int64_t limitMiB : {24, 32, 2000}) {
      const auto found = search(chainWithCosine(14, cosine), limitMiB);
      ASSERT_TRUE(found.has_value()) << toString(found.error());
      ASSERT_TRUE(found->found) << cosine << " in " << limitMiB;
      EXPECT_FALSE(found->onTrueOperands);
      EXPECT_THAT(found->path, ElementsAre(fmt::format("s{}", cosine)));
      EXPECT_EQ(found->steps.size(), 15u);
    }
  }
}

// Once each by itself, and together once, or where the steps are cut twice.
TEST(DivergenceWindows, NothingIsWorkedOutAgainFromTheBeginning) {
  for (const auto& [limitMiB, times] : {std::pair(2000, 2), std::pair(24, 3)}) {
    const auto found = search(chainWithCosine(40, 0), limitMiB);
    ASSERT_TRUE(found.has_value()) << toString(found.error());
    EXPECT_FALSE(found->found);
    EXPECT_THAT(found->notes, testing::IsEmpty());
    EXPECT_GT(instructionsRun(), (times - 1) * 41) << limitMiB;
    EXPECT_LE(instructionsRun(), times * 41) << limitMiB;
  }
}

}  // namespace
}  // namespace hilo
