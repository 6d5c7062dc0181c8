#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/text/parse.h"
#include "core/workspace/bisect/bisect.h"
#include "core/workspace/bisect/pipeline_edits.h"

namespace hilo {
namespace {

using testing::ElementsAre;

std::vector<ConfiguredPass> passesOf(const char* list) { return *parsePassList(list); }
std::vector<std::string> textsOf(const PipelineEdits& edits) {
  std::vector<std::string> texts;
  for (const PipelineEdit& edit : edits.edits()) texts.push_back(edit.text());
  return texts;
}
std::string joined(const std::vector<ConfiguredPass>& passes) {
  std::vector<std::string> texts;
  for (const ConfiguredPass& pass : passes) texts.push_back(passText(pass));
  return fmt::format("{}", fmt::join(texts, ","));
}

TEST(PipelineEdits, NameWhatCameWentAndIsSetOtherwise) {
  const PipelineEdits edits(passesOf("dce,while-loop-unroller{trip_count_threshold=4},cse"),
                            passesOf("while-loop-unroller{trip_count_threshold=8},tuple-simplifier,cse,dce"));
  EXPECT_THAT(
      textsOf(edits),
      ElementsAre(
          "- dce",
          "while-loop-unroller{trip_count_threshold=4} -> while-loop-unroller{trip_count_threshold=8}",
          "+ tuple-simplifier", "+ dce"));
  EXPECT_EQ(joined(edits.passesWith(0)), "dce,while-loop-unroller{trip_count_threshold=4},cse");
  EXPECT_EQ(joined(edits.passesWith(1)), "while-loop-unroller{trip_count_threshold=4},cse");
  EXPECT_EQ(joined(edits.passesWith(4)),
            "while-loop-unroller{trip_count_threshold=8},tuple-simplifier,cse,dce");
}

TEST(PipelineEdits, OfEqualListsThereAreNone) {
  EXPECT_TRUE(PipelineEdits(passesOf("dce,cse"), passesOf("dce,cse")).edits().empty());
}

BisectRequest requestFor(const char* good, const char* bad) {
  const std::shared_ptr<const Module> module = *parseModuleStrictly(R"(HloModule calls
double {
  x = f32[4] parameter(0)
  s = f32[4] add(x, x)
  n = f32[4] negate(s)
  ROOT t = f32[4] tanh(n)
}
ENTRY main {
  a = f32[4] parameter(0)
  c1 = f32[4] call(a), to_apply=double
  c2 = f32[4] call(c1), to_apply=double
  ROOT r = f32[4] sine(c2)
})");
  return {.module = module, .passes = passesOf(bad), .goodPasses = passesOf(good)};
}

TEST(BisectPipelines, TheDifferenceThatBreaksItIsNamed) {
  const auto found = bisect(requestFor("dce,cse", "tuple-simplifier,dce,call-inliner,cse,dce"),
                            **makeWatcher("kernels:4", {}), {});
  ASSERT_TRUE(found) << toString(found.error());
  ASSERT_EQ(found->outcome, BisectOutcome::Found);
  EXPECT_EQ(found->pass, "+ call-inliner");
  EXPECT_TRUE(found->isOneStep);
  EXPECT_FALSE(found->rewrite);
  EXPECT_NE(found->good, nullptr);
  EXPECT_GT(found->changeCount, 0u);
}

TEST(BisectPipelines, EndsThatAreNotAsTheyShouldBeAreTheAnswer) {
  const auto watcher = makeWatcher("kernels:4", {});
  EXPECT_EQ(bisect(requestFor("call-inliner", "dce"), **watcher, {})->outcome, BisectOutcome::BadAtStart);
  EXPECT_EQ(bisect(requestFor("cse", "dce"), **watcher, {})->outcome, BisectOutcome::GoodAtEnd);
  EXPECT_EQ(bisect(requestFor("cse", "cse"), **watcher, {}).error().kind, "same-pipelines");
}

}  // namespace
}  // namespace hilo
