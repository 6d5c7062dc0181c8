#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/compiler/passes/all_passes.h"
#include "core/compiler/pipelines/pipelines.h"

namespace hilo {
namespace {

TEST(PassList, TheTableIsSortedAndSummarised) {
  EXPECT_TRUE(std::ranges::is_sorted(allPasses(), {}, &Pass::name));
  for (const Pass& pass : allPasses()) EXPECT_FALSE(pass.summary.empty()) << pass.name;
}

TEST(PassList, NamesInOrder) {
  const auto passes = parsePassList("dce,cse,dce");
  ASSERT_TRUE(passes.has_value());
  ASSERT_EQ(passes->size(), 3u);
  EXPECT_EQ((*passes)[0], findPass("dce"));
  EXPECT_EQ((*passes)[1], findPass("cse"));
}

TEST(PassList, AnUnknownNameIsRefusedWithTheNearest) {
  const auto passes = parsePassList("dce,cze");
  ASSERT_FALSE(passes.has_value());
  EXPECT_EQ(passes.error().kind, "unknown-pass");
  EXPECT_THAT(passes.error().notes, testing::ElementsAre("did you mean 'cse'?"));
}

TEST(PassList, PipelinesAreMadeOfKnownPasses) {
  for (const Pipeline& pipeline : allPipelines()) EXPECT_FALSE(pipeline.passes.empty()) << pipeline.name;
  EXPECT_EQ(findPipeline("simplify")->passes.front()->name, "call-inliner");
  EXPECT_EQ(findPipeline("no-such"), nullptr);
}

}  // namespace
}  // namespace hilo
