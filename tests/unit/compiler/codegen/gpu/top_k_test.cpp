// The few best of lines: by a warp, by a block, and how much less is done than by sorting.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

TEST(GpuTopK, OfShortLinesByWarps) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[21,64] parameter(0)
    ROOT t = (f32[21,8], s32[21,8]) topk(p), k=8, largest=true)"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_FALSE(done.has(0, "bar.sync"));
}

TEST(GpuTopK, OfLongLinesByBlocks) {
  const auto done = expectChecked(moduleWithReducers(R"(p = bf16[3,5001] parameter(0)
    ROOT t = (bf16[3,5], s32[3,5]) topk(p), k=5, largest=false)"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, "bar.sync"));
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
}

// Of many equal elements the first come first, and NaN above all numbers.
TEST(GpuTopK, EqualOnesAreInTheirOrder) {
  (void)expectChecked(moduleWithReducers(R"(p = s8[4,333] parameter(0)
    ROOT t = (s8[4,16], s32[4,16]) topk(p), k=16, largest=true)"));
  (void)expectChecked(moduleWithReducers(R"(p = f32[6] constant({1, nan, -0, 0, inf, -nan})
    ROOT t = (f32[6], s32[6]) topk(p), k=6, largest=true)"));
  (void)expectChecked(moduleWithReducers(R"(p = f32[6] constant({1, nan, -0, 0, inf, -nan})
    ROOT t = (f32[6], s32[6]) topk(p), k=6, largest=false)"));
}

class GpuTopKTypes : public testing::TestWithParam<const char*> {};

TEST_P(GpuTopKTypes, AreTheEvaluators) {
  const std::string type = GetParam();
  for (const char* largest : {"true", "false"}) {
    const auto done =
        expectChecked(moduleWithReducers("p = " + type + "[2,3,70] parameter(0)\n ROOT t = (" + type +
                                         "[2,3,3], s32[2,3,3]) topk(p), k=3, largest=" + largest));
    EXPECT_EQ(done.ptx.size(), 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, GpuTopKTypes,
                         testing::Values("pred", "s4", "u4", "s16", "u32", "s64", "u64", "f8e4m3fn", "f16",
                                         "f64"),
                         [](const auto& info) { return std::string(info.param); });

TEST(GpuTopK, DoesLessThanASort) {
  const auto kept = expectChecked(moduleWithReducers(R"(p = f32[8,2000] parameter(0)
    ROOT t = (f32[8,8], s32[8,8]) topk(p), k=8, largest=true)"));
  const auto sorted = expectChecked(moduleWithReducers(R"(above { a = f32[] parameter(0)
  b = f32[] parameter(1)
  i = s32[] parameter(2)
  j = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }
ENTRY e { p = f32[8,2000] parameter(0)
  n = s32[8,2000] iota(), iota_dimension=1
  ROOT s = (f32[8,2000], s32[8,2000]) sort(p, n), dimensions={1}, is_stable=true, to_apply=above })"));
  uint64_t instructions = 0, sectors = 0;
  for (const SimulatedCounters& counters : sorted.counters) {
    instructions += counters.instructions;
    sectors += counters.globalSectors;
  }
  if (getenv("SHOW_COUNTS"))
    printf("COUNTS topk instr %lu -> %lu sectors %lu -> %lu\n", instructions, kept.counters[0].instructions,
           sectors, kept.counters[0].globalSectors);
  EXPECT_LT(5 * kept.counters[0].instructions, instructions);
  EXPECT_LT(5 * kept.counters[0].globalSectors, sectors);
}

}  // namespace
}  // namespace hilo
