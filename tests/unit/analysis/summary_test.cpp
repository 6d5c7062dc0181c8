#include "core/analysis/summary.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

constexpr const char* kModule = R"(HloModule m, is_scheduled=true, num_partitions=4

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT s = f32[] add(x, y)
}

fused {
  p = f32[64] parameter(0)
  big = f32[64] negate(p)
  ROOT n = f32[64] negate(big)
}

ENTRY e {
  a = f32[64] parameter(0)
  c = f32[3] constant({1, 2, 3})
  f = f32[64] fusion(a), kind=kLoop, calls=fused
  r1 = f32[64] all-reduce(f), replica_groups={{0,1},{2,3}}, to_apply=add
  r2 = f32[64] all-reduce(r1), replica_groups={{0,1},{2,3}}, to_apply=add
  g = bf16[128] custom-call(r2), custom_call_target="gather_it"
  ag = (bf16[128], bf16[512]) all-gather-start(g), replica_groups=[1,4]<=[4], dimensions={0}
  ROOT done = bf16[512] all-gather-done(ag)
}
)";

class SummaryTest : public testing::Test {
 protected:
  SummaryTest() {
    auto module = parseModuleStrictly(kModule);
    EXPECT_TRUE(module) << toString(module.error());
    summary_ = summarize(**module, 3);
  }
  ModuleSummary summary_;
};

TEST_F(SummaryTest, Header) {
  EXPECT_EQ(summary_.name, "m");
  EXPECT_EQ(summary_.entry, "e");
  EXPECT_EQ(summary_.entryShape, "(f32[64]) -> bf16[512]");
  EXPECT_TRUE(summary_.scheduled);
  EXPECT_EQ(summary_.partitions, 4);
  EXPECT_EQ(summary_.computations, 3);
  EXPECT_EQ(summary_.instructions, 14);
  EXPECT_EQ(summary_.entryInstructions, 8);
  EXPECT_EQ(summary_.parameterBytes, 256);
  EXPECT_EQ(summary_.resultBytes, 1024);
  EXPECT_EQ(summary_.constantBytes, 12);
}

TEST_F(SummaryTest, HistogramsMostFirst) {
  EXPECT_EQ(summary_.opcodes[0].name, "parameter");
  EXPECT_EQ(summary_.opcodes[0].count, 4);
  EXPECT_EQ(summary_.opcodes[1].name, "all-reduce");
  EXPECT_EQ(summary_.opcodes[2].name, "negate");
  ASSERT_EQ(summary_.customCalls.size(), 1u);
  EXPECT_EQ(summary_.customCalls[0].name, "gather_it");
}

TEST_F(SummaryTest, LargestValuesLeaveOutWhatHasNoMemoryOfItsOwn) {
  // all-gather-start's pair of buffers, then its result; `big` lies inside a fusion.
  ASSERT_EQ(summary_.largestValues.size(), 3u);
  EXPECT_EQ(summary_.largestValues[0].name, "ag");
  EXPECT_EQ(summary_.largestValues[1].name, "done");
  EXPECT_EQ(summary_.largestValues[2].bytes, 256);
  EXPECT_EQ(summary_.largestConstants[0].name, "c");
}

TEST_F(SummaryTest, CollectivesByGroups) {
  ASSERT_EQ(summary_.collectives.size(), 2u);
  const CollectiveRow& gather = summary_.collectives[0];
  EXPECT_EQ(gather.opcode, "all-gather");
  EXPECT_EQ(gather.groupCount, 1);
  EXPECT_EQ(gather.groupSize, 4);
  EXPECT_EQ(gather.bytes, 1024);
  EXPECT_EQ(gather.elementTypes, std::vector<std::string>{"bf16"});
  const CollectiveRow& reduce = summary_.collectives[1];
  EXPECT_EQ(reduce.count, 2);
  EXPECT_EQ(reduce.groupCount, 2);
  EXPECT_EQ(reduce.groupSize, 2);
  EXPECT_EQ(reduce.bytes, 512);
}

// The loop's own counter says how often it runs; nothing is written on it.
TEST(CostByOpcode, CountsWhatLoopsRun) {
  const auto module = parseModuleStrictly(R"(HloModule m

body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[8] get-tuple-element(p), index=1
  w = f32[8] multiply(v, v)
  ROOT t = (s32[], f32[8]) tuple(next, w)
}

condition {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}

ENTRY e {
  zero = s32[] constant(0)
  x = f32[8] parameter(0)
  init = (s32[], f32[8]) tuple(zero, x)
  loop = (s32[], f32[8]) while(init), condition=condition, body=body
  r = f32[8] get-tuple-element(loop), index=1
  ROOT y = f32[8] multiply(r, r)
}
)");
  ASSERT_TRUE(module) << toString(module.error());
  const ModuleCost cost(**module);
  const auto rows = costByOpcode(**module, cost);
  const auto row = std::ranges::find(rows, "multiply", &OpcodeCost::opcode);
  ASSERT_NE(row, rows.end());
  EXPECT_EQ(row->count, 2);
  EXPECT_EQ(row->flops, 5 * 8 + 8);
  EXPECT_EQ(rows.front().opcode, "get-tuple-element");
}

TEST(Summary, DevicesOfTheCollectivesAreCountedWhereTheHeaderSaysNothing) {
  const std::string text(kModule);
  const auto silent = parseModuleStrictly(std::string(text).replace(text.find(", num_partitions=4"), 18, ""));
  ASSERT_TRUE(silent) << toString(silent.error());
  const ModuleSummary summary = summarize(**silent);
  EXPECT_EQ(summary.partitions, 1);
  EXPECT_EQ(summary.impliedDevices, 4);
}

}  // namespace
}  // namespace hilo
