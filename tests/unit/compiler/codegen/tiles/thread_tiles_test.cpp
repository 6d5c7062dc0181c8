#include "core/compiler/codegen/cpu/thread_tiles.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/analysis/tile_program/build_tile_program.h"
#include "tests/unit/compiler/codegen/tiles/tiled_runs.h"

namespace hilo {
namespace {

constexpr int64_t kFirstCache = 32 << 10;

// The sizes that a thread takes in place of these.
std::string sizesFor(const std::string& text, const std::vector<int64_t>& sizes) {
  const auto module = moduleWithReducers(text);
  if (!module) return "not a module";
  const auto chosen = tiledFusion(*module->entry()->root(), sizes);
  if (!chosen) return toString(chosen.error());
  const TiledFusion taken = cpu::threadTiles(*chosen, kFirstCache);
  std::vector<int64_t> all;
  for (const size_t v : taken.space.tiled()) all.push_back(taken.tiling.variables[v].tile);
  return fmt::format("{}", fmt::join(all, ","));
}

std::string softmax(int64_t rows, int64_t columns) {
  return fmt::format(R"(larger {{ a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }}
f {{ p = f32[{0},{1}] parameter(0)
  z = f32[] constant(0)
  m = f32[{0}] reduce(p, z), dimensions={{1}}, to_apply=larger
  mb = f32[{0},{1}] broadcast(m), dimensions={{0}}
  d = f32[{0},{1}] subtract(p, mb)
  e = f32[{0},{1}] exponential(d)
  s = f32[{0}] reduce(e, z), dimensions={{1}}, to_apply=addf
  sb = f32[{0},{1}] broadcast(s), dimensions={{0}}
  ROOT r = f32[{0},{1}] divide(e, sb) }}
ENTRY e {{ p = f32[{0},{1}] parameter(0)
  ROOT tiled = f32[{0},{1}] fusion(p), kind=kCustom, calls=f }})",
                     rows, columns);
}

// 16 rows of 256, read and written, take the 32 KiB of the cache: half of them the half.
TEST(ThreadTiles, FoldOnceForAllColumns) {
  EXPECT_EQ(sizesFor(softmax(64, 256), {16, 64, 64, 64}), "8,256,256,256");
  EXPECT_EQ(sizesFor(softmax(64, 256), {4, 256, 256, 100}), "4,256,256,256");
  EXPECT_EQ(sizesFor(softmax(64, 4096), {6, 4096, 4096, 4096}), "3,4096,4096,4096");  // 3 are no two halves
  expectTiled(softmax(21, 200), {4, 64, 64, 64});
  expectTiled(softmax(21, 2000), {16, 512, 2000, 100});
}

constexpr const char* kOneDot = R"(f { p = f32[64,128] parameter(0)
  q = f32[128,64] parameter(1)
  ROOT d = f32[64,64] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
ENTRY e { p = f32[64,128] parameter(0)
  q = f32[128,64] parameter(1)
  ROOT tiled = f32[64,64] fusion(p, q), kind=kCustom, calls=f })";

TEST(ThreadTiles, LeaveDotsAsTheyWereChosen) { EXPECT_EQ(sizesFor(kOneDot, {16, 32, 64}), "16,32,64"); }

// Steps in which another fold is done bound how much of it there is at a time.
TEST(ThreadTiles, LeaveStepsOverFolds) {
  EXPECT_EQ(sizesFor(R"(f { p = f32[64,128] parameter(0)
  q = f32[128,256] parameter(1)
  z = f32[] constant(0)
  d = f32[64,256] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[64] reduce(d, z), dimensions={1}, to_apply=addf }
ENTRY e { p = f32[64,128] parameter(0)
  q = f32[128,256] parameter(1)
  ROOT tiled = f32[64] fusion(p, q), kind=kCustom, calls=f })",
                     {16, 128, 32}),
            "16,128,32");
}

// A concatenate allows no tile that lies in both of its operands.
TEST(ThreadTiles, StayWhereOthersAreNotLegal) {
  const std::string text = R"(f { p = f32[64,32] parameter(0)
  q = f32[64,32] parameter(1)
  z = f32[] constant(0)
  c = f32[64,64] concatenate(p, q), dimensions={1}
  ROOT s = f32[64] reduce(c, z), dimensions={1}, to_apply=addf }
ENTRY e { p = f32[64,32] parameter(0)
  q = f32[64,32] parameter(1)
  ROOT tiled = f32[64] fusion(p, q), kind=kCustom, calls=f })";
  EXPECT_EQ(sizesFor(text, {16, 32}), "16,32");
}

}  // namespace
}  // namespace hilo
