// Transposes through shared memory: coalesced on both sides, without conflicts of banks.
#include <gtest/gtest.h>

#include "tests/support/module_text.h"
#include "tests/unit/compiler/codegen/gpu/checked_kernels.h"

namespace hilo {
namespace {

class GpuTranspose : public testing::TestWithParam<const char*> {};

TEST_P(GpuTranspose, HasNoConflictOfBanks) {
  const std::string type = GetParam();
  const auto done = expectChecked(moduleWithReducers(fmt::format(R"(p = {0}[96,64] parameter(0)
    ROOT r = {0}[64,96] transpose(p), dimensions={{1,0}})",
                                                                 type)));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_TRUE(done.has(0, ".shared"));
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
}

INSTANTIATE_TEST_SUITE_P(Types, GpuTranspose, testing::Values("f32", "s32", "bf16", "s8", "pred", "c64"));

TEST(GpuTransposes, ReadAndWriteEachSectorOnce) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[128,160] parameter(0)
    ROOT r = f32[160,128] transpose(p), dimensions={1,0})"));
  EXPECT_EQ(done.counters[0].globalSectors, 2u * 128 * 160 * 4 / 32);
}

TEST(GpuTransposes, OfSizesThatAreNoSquares) {
  (void)expectChecked(moduleWithReducers(R"(p = f32[5,33,41] parameter(0)
    ROOT r = f32[41,5,33] transpose(p), dimensions={2,0,1})"));
  (void)expectChecked(moduleWithReducers(R"(p = f32[9,70,13]{0,1,2} parameter(0)
    ROOT r = f32[70,9,13] transpose(p), dimensions={1,0,2})"));
}

TEST(GpuTransposes, WithWhatIsBeforeAndAfter) {
  const auto done = expectChecked(moduleWithReducers(R"(f { p = bf16[40,70] parameter(0)
  q = f32[70,40] parameter(1)
  c = f32[40,70] convert(p)
  n = f32[40,70] negate(c)
  t = f32[70,40] transpose(c), dimensions={1,0}
  u = f32[70,40] transpose(n), dimensions={1,0}
  a = f32[70,40] add(t, q)
  ROOT r = (f32[70,40], f32[70,40]) tuple(a, u) }
ENTRY e { p = bf16[40,70] parameter(0)
  q = f32[70,40] parameter(1)
  ROOT r = (f32[70,40], f32[70,40]) fusion(p, q), kind=kInput, calls=f })"));
  ASSERT_EQ(done.ptx.size(), 1u);
  EXPECT_EQ(done.counters[0].bankConflicts, 0u);
}

TEST(GpuTransposes, LinesThatStayLinesNeedNoSquares) {
  const auto done = expectChecked(moduleWithReducers(R"(p = f32[8,9,64] parameter(0)
    ROOT r = f32[9,8,64] transpose(p), dimensions={1,0,2})"));
  EXPECT_FALSE(done.has(0, ".shared"));
  EXPECT_TRUE(done.has(0, "v4"));
}

}  // namespace
}  // namespace hilo
