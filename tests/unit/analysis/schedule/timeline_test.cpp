// Timelines counted by hand under XLA's uniform costs: a convolution takes 5000, an asynchronous operation
// 5000, all else 1, and what a GPU does not run 0.
#include "core/analysis/schedule/timeline.h"

#include <gtest/gtest.h>

#include "core/analysis/cost/uniform_latency.h"
#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

Timeline timelineOf(const std::string& entry, int32_t streams = 1, const std::string& before = "") {
  static std::vector<std::unique_ptr<Module>> kept;
  auto module =
      parseModuleStrictly("HloModule m, is_scheduled=true\n" + before + "ENTRY e {\n" + entry + "}\n");
  EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
  if (!module) return {};
  kept.push_back(std::move(*module));
  return simulate(*kept.back(), GpuUniformLatencyEstimator(), {.collectiveStreams = streams});
}

constexpr const char* kOperands = R"(
  p = f32[16,64,256]{2,1,0} parameter(0)
  q = f32[16,64,256]{2,1,0} parameter(1)
  x = f32[8,256]{1,0} parameter(2)
)";
constexpr const char* kConvolution =
    "  c = f32[16,256,256]{2,1,0} convolution(p, q), window={size=16 stride=15 lhs_dilate=16}, "
    "dim_labels=0fb_0io->0fb\n";
constexpr const char* kStart =
    "  s = (f32[8,256]{1,0}, f32[16,256]{1,0}) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}\n";
constexpr const char* kDone = "  d = f32[16,256]{1,0} all-gather-done(s)\n";
constexpr const char* kRoot = "  ROOT t = (f32[16,256,256]{2,1,0}, f32[16,256]{1,0}) tuple(c, d)\n";

TEST(Timeline, WithNothingBetweenAllIsExposed) {
  const Timeline t = timelineOf(std::string(kOperands) + kStart + kDone + kConvolution + kRoot);
  // Start 1, wait 5000, done 1, convolution 5000.
  EXPECT_EQ(t.makespanNs(), 10'002);
  EXPECT_EQ(t.exposedNs(), 5'000);
  EXPECT_EQ(t.entry().communicationNs, 5'000);
  EXPECT_EQ(t.entry().computeNs, 5'002);
}

TEST(Timeline, AConvolutionBetweenHidesIt) {
  const Timeline t = timelineOf(std::string(kOperands) + kStart + kConvolution + kDone + kRoot);
  EXPECT_EQ(t.makespanNs(), 5'002);
  EXPECT_EQ(t.exposedNs(), 0);
}

TEST(Timeline, CollectivesShareTheStreamsThereAre) {
  const std::string two = std::string(kOperands) + kStart +
                          "  s2 = (f32[8,256]{1,0}, f32[16,256]{1,0}) all-gather-start(x), "
                          "replica_groups={{0,1}}, dimensions={0}\n" +
                          kDone + "  d2 = f32[16,256]{1,0} all-gather-done(s2)\n" +
                          "  ROOT t = (f32[16,256]{1,0}, f32[16,256]{1,0}) tuple(d, d2)\n";
  // One stream: the second runs from 5001 to 10001. Two: from 2 to 5002.
  EXPECT_EQ(timelineOf(two, 1).makespanNs(), 10'002);
  EXPECT_EQ(timelineOf(two, 2).makespanNs(), 5'003);
}

TEST(Timeline, ALoopIsItsBodyTimesItsTrips) {
  const std::string loop = R"(
cond {
  p = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(7)
  ROOT c = pred[] compare(i, n), direction=LT
}
body {
  p = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  j = s32[] add(i, one)
  x = f32[8]{0} get-tuple-element(p), index=1
  s = (f32[8]{0}, f32[8]{0}) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
  d = f32[8]{0} collective-permute-done(s)
  ROOT t = (s32[], f32[8]{0}) tuple(j, d)
}
)";
  const Timeline t = timelineOf(R"(
  zero = s32[] constant(0)
  x = f32[8]{0} parameter(0)
  t = (s32[], f32[8]{0}) tuple(zero, x)
  w = (s32[], f32[8]{0}) while(t), condition=cond, body=body
  ROOT r = f32[8]{0} get-tuple-element(w), index=1
)",
                                1, loop);
  // A trip: compare 1, add 1, start 1, wait 5000, done 1.
  EXPECT_EQ(t.makespanNs(), 7 * 5'004);
  EXPECT_EQ(t.exposedNs(), 7 * 5'000);
  ASSERT_EQ(t.entry().events.size(), 1u);
  EXPECT_EQ(t.entry().events[0].kind, TimelineEventKind::Block);
  EXPECT_EQ(t.entry().events[0].repeat, 7);
}

}  // namespace
}  // namespace hilo
