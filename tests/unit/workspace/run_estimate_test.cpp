// What runs are estimated to take, against flops and bytes counted by hand.
#include "core/workspace/run/run_estimate.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

std::shared_ptr<const Module> parsed(const std::string& text) {
  auto module = parseModuleStrictly("HloModule m\n" + text);
  EXPECT_TRUE(module) << toString(module.error());
  return std::move(*module);
}

std::shared_ptr<const Module> productOf(int64_t n) {
  const std::string shape = fmt::format("f32[{0},{0}]", n);
  return parsed("ENTRY e { x = " + shape + " parameter(0)\n y = " + shape + " parameter(1)\n ROOT r = " +
                shape + " dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
}

RunEstimate estimateOf(const RunRequest& request) { return estimateRuns({&request, 1}); }

TEST(RunEstimate, CountsSamplesWarmUpAndTheRunThatTimesThunks) {
  const RunRequest once{.module = productOf(256)};
  EXPECT_EQ(estimateOf(once).flops, int64_t{2} * 256 * 256 * 256);
  EXPECT_EQ(estimateOf(once).bytesAccessed, int64_t{3} * 256 * 256 * 4);
  EXPECT_FALSE(estimateOf(once).isLarge());
  RunRequest often = once;
  often.repeat = 5;
  EXPECT_EQ(estimateOf(often).flops, 6 * estimateOf(once).flops);
  often.timesThunks = true;
  EXPECT_EQ(estimateOf(often).flops, 7 * estimateOf(once).flops);
}

TEST(RunEstimate, ALongRunIsLargeOnTheReferenceAndNotOnTheProcessor) {
  RunRequest request{.module = productOf(4096)};
  EXPECT_GT(estimateOf(request).seconds.value(), 60);
  EXPECT_TRUE(estimateOf(request).isLarge());
  EXPECT_TRUE(
      estimateText(estimateOf(request)).starts_with("about 137 s (137 Gflops, 192 MiB accessed); at least "))
      << estimateText(estimateOf(request));
  request.engine = "cpu";
  EXPECT_FALSE(estimateOf(request).isLarge());
}

TEST(RunEstimate, MoreThanHalfOfTheMemoryIsLarge) {
  RunRequest request{.module = parsed("ENTRY e { x = f32[] parameter(0)\n"
                                      " ROOT r = f32[1000000] broadcast(x), dimensions={} }"),
                     .worker = WorkerOptions{}};
  request.worker->memoryLimitBytes = 8'500'000;
  EXPECT_EQ(estimateOf(request).memoryBytes, 4'000'004);
  EXPECT_EQ(estimateOf(request).freeBytes, 8'500'000);
  EXPECT_FALSE(estimateOf(request).isLarge());
  request.worker->memoryLimitBytes = 7'900'000;
  EXPECT_TRUE(estimateOf(request).isLarge());
}

// Each device does it, and each has its arguments.
TEST(RunEstimate, DevicesMultiply) {
  RunRequest request{.module = productOf(64)};
  const RunEstimate one = estimateOf(request);
  request.devices = 8;
  EXPECT_EQ(estimateOf(request).flops, 8 * one.flops);
}

TEST(RunEstimate, LoopsOfUnknownLengthAreSaidToCountOnce) {
  const RunRequest request{.module = parsed(R"(
condition { c = (pred[], f32[64]) parameter(0)
  ROOT p = pred[] get-tuple-element(c), index=0 }
body { b = (pred[], f32[64]) parameter(0)
  p = pred[] get-tuple-element(b), index=0
  v = f32[64] get-tuple-element(b), index=1
  w = f32[64] add(v, v)
  ROOT r = (pred[], f32[64]) tuple(p, w) }
ENTRY e { start = (pred[], f32[64]) parameter(0)
  ROOT l = (pred[], f32[64]) while(start), condition=condition, body=body })")};
  EXPECT_TRUE(estimateOf(request).countsLoopsOnce);
  EXPECT_NE(estimateText(estimateOf(request)).find("loops of unknown length counted once"),
            std::string::npos);
}

TEST(RunEstimate, AnUnknownEngineIsNothingToAskAbout) {
  EXPECT_FALSE(estimateOf({.module = productOf(4096), .engine = "nowhere"}).isLarge());
}

}  // namespace
}  // namespace hilo
