#include "core/analysis/kernel_layouts/inference/memory_moves.h"

#include "core/analysis/kernel_layouts/inference/nested_dimensions.h"
#include "tests/unit/analysis/kernel_layouts/inference/constraint_makers.h"

namespace hilo::inference {
namespace {

bool moves(const LayoutConstant& registers, const SharedTransforms& transforms, const Sizes& strides,
           MoveKind kind, int64_t bits = 32, Sizes shape = {128, 128}, int64_t smMajor = 9) {
  return canMoveShared({std::move(shape), strides, bits}, transforms, std::get<RegisterLayout>(registers),
                       kind, smMajor);
}

const Sizes kRowMajor{128, 1}, kColumnMajor{1, 128};
const LayoutConstant kSplat = splat({128, 128}), kStrided = strided({128, 128}, 4);

TEST(MemoryMoves, TiledMemoryIsCopiedToTiledRegisters) {
  const SharedTransforms tiled{{64, 64}, 0};
  for (const auto name : {"WGMMA", "TCGEN05", "WGMMA_ROW", "WGMMA_COL", "TCGEN05_ROW"})
    EXPECT_TRUE(moves(family(name), tiled, kRowMajor, MoveKind::Unoptimized)) << name;
  EXPECT_FALSE(moves(kSplat, tiled, kRowMajor, MoveKind::Unoptimized));
  EXPECT_FALSE(moves(kStrided, tiled, kRowMajor, MoveKind::Unoptimized));
}

TEST(MemoryMoves, OfTransposedMemoryVectorsAreThoseOfTransposedLayouts) {
  const SharedTransforms tiled{{64, 64}, 0};
  EXPECT_FALSE(moves(family("WGMMA"), tiled, kColumnMajor, MoveKind::Unoptimized));
  EXPECT_FALSE(moves(family("TCGEN05"), tiled, kColumnMajor, MoveKind::Unoptimized));
  EXPECT_TRUE(moves(family("WGMMA_TRANSPOSED"), tiled, kColumnMajor, MoveKind::Unoptimized));
  EXPECT_TRUE(moves(family("TCGEN05_TRANSPOSED"), tiled, kColumnMajor, MoveKind::Unoptimized));
  EXPECT_FALSE(moves(kSplat, tiled, kColumnMajor, MoveKind::Unoptimized));
  EXPECT_FALSE(moves(kStrided, tiled, kColumnMajor, MoveKind::Unoptimized));
}

TEST(MemoryMoves, DowngradableCopiesOfUntiledMemoryMayConflict) {
  for (const auto name : {"WGMMA", "TCGEN05", "WGMMA_ROW", "WGMMA_COL", "TCGEN05_ROW"})
    EXPECT_TRUE(moves(family(name), {}, kRowMajor, MoveKind::Downgradable)) << name;
  EXPECT_TRUE(moves(kSplat, {}, kRowMajor, MoveKind::Downgradable));
  EXPECT_TRUE(moves(kStrided, {}, kRowMajor, MoveKind::Downgradable));
}

TEST(MemoryMoves, OptimizedCopiesOfUntiledMemoryAreThoseWithoutConflicts) {
  for (const auto name : {"WGMMA", "TCGEN05", "WGMMA_TRANSPOSED", "TCGEN05_TRANSPOSED"})
    EXPECT_FALSE(moves(family(name), {}, kRowMajor, MoveKind::Optimized)) << name;
  for (const auto name : {"WGMMA_ROW", "WGMMA_COL", "TCGEN05_ROW"})
    EXPECT_TRUE(moves(family(name), {}, kRowMajor, MoveKind::Optimized)) << name;
  EXPECT_TRUE(moves(kSplat, {}, kRowMajor, MoveKind::Optimized));
  EXPECT_TRUE(moves(kStrided, {}, kRowMajor, MoveKind::Optimized));
}

TEST(MemoryMoves, StridedLayoutsDoNotReadASwizzle) {
  EXPECT_FALSE(moves(kStrided, {{}, 128}, kRowMajor, MoveKind::Unoptimized));
}

TEST(MemoryMoves, UntiledSwizzledMemoryIsCopiedToTransposedLayouts) {
  for (const auto name : {"WGMMA_TRANSPOSED", "TCGEN05_TRANSPOSED"}) {
    EXPECT_TRUE(moves(family(name), {{}, 128}, kColumnMajor, MoveKind::Optimized, 16)) << name;
    EXPECT_FALSE(
        moves(family(name), {{}, 128}, {1, 128, 128 * 128}, MoveKind::Optimized, 16, {128, 128, 128}))
        << name;
  }
}

// Halves are transposed by ldmatrix on the way; bytes from sm_100 on.
TEST(MemoryMoves, MatricesAreTransposedOnTheWay) {
  EXPECT_TRUE(moves(family("WGMMA"), {{64, 8}, 128}, {1, 64}, MoveKind::Optimized, 16, {64, 64}));
  EXPECT_FALSE(moves(family("WGMMA"), {{32, 8}, 128}, {1, 64}, MoveKind::Optimized, 32, {64, 64}));
  EXPECT_FALSE(
      moves(family("WGMMA_8BIT"), {{128, 8}, 128}, kColumnMajor, MoveKind::Optimized, 8, {128, 128}, 9));
}

TEST(MemoryMoves, StridesOfTilesFollowTheMemory) {
  using Nested = std::vector<NestedDimension>;
  EXPECT_EQ(tiledMemory({4, 64, 32}, {2048, 32, 1}, {8, 4}),
            (Nested{{{4, 2048}}, {{8, 256}, {8, 4}}, {{8, 32}, {4, 1}}}));
  EXPECT_EQ(tiledMemory({64, 128}, {1, 64}, {8, 16}), (Nested{{{8, 128}, {8, 1}}, {{8, 1024}, {16, 8}}}));
  EXPECT_FALSE(tiledMemory({4, 4, 4}, {1, 16, 4}, {2, 2}));
  EXPECT_EQ(tiled({{{64, 8}, {16, 8}}}, {{{2, 4096}, {64, 64}}, {{2, 64 * 64}, {64, 1}}}),
            (Nested{{{2, 4096}}, {{2, 4096}, {8, 8}}, {{4, 1024}}, {{1, 1}}, {{16, 64}}, {{8, 1}}}));
}

TEST(MemoryMoves, TensorMemoryHasItsLayoutsInRegisters) {
  const auto moved = [](const TiledLayout& tensor, const LayoutConstant& registers, int64_t bits,
                        int64_t columns) {
    return canMoveTensor({128, columns}, bits, tensor, std::get<RegisterLayout>(registers));
  };
  EXPECT_TRUE(moved(tmemDefaultLayout(1), family("TCGEN05"), 32, 24));
  EXPECT_TRUE(moved(tmemDefaultLayout(4), family("TCGEN05"), 8, 128));
  EXPECT_TRUE(moved(tmemDefaultLayout(1), family("TCGEN05_TMEM_NATIVE"), 16, 128));
  EXPECT_FALSE(moved(tmemDefaultLayout(1), family("TCGEN05_TMEM_NATIVE"), 8, 128));
  EXPECT_TRUE(moved(tmemHalfLaneLayout(64, 2), family("WGMMA"), 16, 64));
  EXPECT_FALSE(moved(tmemHalfLaneLayout(64, 2), family("TCGEN05"), 16, 64));
  EXPECT_TRUE(moved(tmemM64CollectiveLayout(64, 2), RegisterLayout(m64CollectiveLayout(64)), 16, 64));
  EXPECT_TRUE(moved(tmemScalesLayout(), RegisterLayout(tmemScalesLayout()), 8, 24));
  EXPECT_FALSE(moved(tmemDefaultLayout(1), splat({128, 128}), 32, 128));
}

}  // namespace
}  // namespace hilo::inference
