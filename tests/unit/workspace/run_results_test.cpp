// The results of a run by name and by number.
#include "core/workspace/run/run_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/runtime/program/program.h"
#include "core/workspace/run/compile_program.h"

namespace hilo {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr const char* kModule = R"(HloModule m
ENTRY main {
  x = f32[2] parameter(0)
  %1 = f32[2] constant({1, 2})
  loss = f32[2] add(x, %1)
  ROOT out = (f32[2], f32[2]) tuple(%1, loss)
}
)";

std::shared_ptr<const Module> moduleOf(const char* text) { return std::move(parseModule(text).module); }

TEST(RunResults, AreFoundByNameThenByNumber) {
  const RunRequest request{.module = moduleOf(kModule)};
  EXPECT_THAT(resultsOf(request), ElementsAre(Pair("1", "f32[2]"), Pair("loss", "f32[2]")));
  EXPECT_EQ(*resultCalled(request, "loss"), 1u);
  EXPECT_EQ(*resultCalled(request, "0"), 0u);
  EXPECT_EQ(*resultCalled(request, "1"), 0u);  // a name goes first
  const auto unknown = resultCalled(request, "grads");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, "wrong-result");
  EXPECT_THAT(unknown.error().notes, ElementsAre("there are: 1 (f32[2]), loss (f32[2])"));
}

TEST(RunResults, ByNameAndByNumberAreTheSameValue) {
  const RunRequest request{.module = moduleOf(kModule)};
  const auto run = execute(request, JobContext());
  ASSERT_TRUE(run) << toString(run.error());
  EXPECT_THAT(run->resultNames, ElementsAre("1", "loss"));
  EXPECT_EQ(valueText(resultOf(*run->output, run->devices, *resultCalled(request, "1"))), "f32[2] {1, 2}");
  const RunComparison compared = compareRuns(*run, *run);
  ASSERT_EQ(compared.leaves.size(), 2u);
  EXPECT_EQ(compared.leaves[1].name, "loss");
}

TEST(RunResults, OfSeveralDevicesWhatEachGave) {
  RunRequest request{.module = moduleOf(kModule)};
  request.devices = 2;
  const auto run = execute(request, JobContext());
  ASSERT_TRUE(run) << toString(run.error());
  const Literal ones = resultOf(*run->output, run->devices, 0);
  ASSERT_EQ(ones.elements().size(), 2u);
  EXPECT_EQ(valueText(ones.elements()[1]), "f32[2] {1, 2}");
}

TEST(RunResults, AProgramKeepsTheNamesOfTheModuleItWasGiven) {
  const auto module = moduleOf(kModule);
  const auto compiled = compileProgram(module, {.usesCache = false}, {});
  ASSERT_TRUE(compiled) << toString(compiled.error());
  const RunRequest request{.program = std::make_shared<const Program>(compiled->program)};
  EXPECT_THAT(resultsOf(request), ElementsAre(Pair("1", "f32[2]"), Pair("loss", "f32[2]")));
}

}  // namespace
}  // namespace hilo
