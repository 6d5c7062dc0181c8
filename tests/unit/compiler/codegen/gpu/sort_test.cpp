// Sorts by keys: of lines that one block sorts, and of longer ones.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

std::string sort(const std::string& sizes, int dimension) {
  return fmt::format(R"(before {{ a = s32[] parameter(0)
  b = s32[] parameter(1)
  x = f32[] parameter(2)
  y = f32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT }}
ENTRY e {{ p = s32[{0}] parameter(0)
  ten = s32[] constant(10)
  tens = s32[{0}] broadcast(ten), dimensions={{}}
  k = s32[{0}] remainder(p, tens)
  q = f32[{0}] parameter(1)
  ROOT r = (s32[{0}], f32[{0}]) sort(k, q), dimensions={{{1}}}, is_stable=true, to_apply=before }})",
                     sizes, dimension);
}

// Keys that are equal stay in their order.
TEST(GpuSort, ABlockSortsALine) {
  const auto done = expectChecked(moduleWithReducers(sort("3,300", 1)));
  ASSERT_EQ(done.ptx.size(), 4u);  // the keys are made by two
  EXPECT_TRUE(done.has(2, ".shared"));
}

TEST(GpuSort, OfADimensionThatIsNotTheFastest) { (void)expectChecked(moduleWithReducers(sort("40,6", 0))); }

TEST(GpuSort, LongLinesAreMergedInGlobalMemory) {
  const auto done = expectChecked(moduleWithReducers(sort("3000", 0)));
  // Tiles of 512 of 4096, then runs of 1024 (1 step and tiles), 2048 (2 and tiles), 4096 (3 and tiles).
  ASSERT_EQ(done.ptx.size(), 2u + 1 + 2 + 3 + 4 + 1);
  // Steps of a kind are one kernel.
  EXPECT_EQ(done.ptx[3], done.ptx[5]);
  EXPECT_EQ(done.ptx[4], done.ptx[7]);
}

}  // namespace
}  // namespace hilo
