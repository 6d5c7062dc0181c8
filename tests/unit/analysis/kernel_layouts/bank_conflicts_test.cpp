#include "core/analysis/kernel_layouts/bank_conflicts.h"

#include <gtest/gtest.h>

#include <set>

#include "core/analysis/kernel_layouts/layout_families.h"
#include "core/analysis/kernel_layouts/layout_text.h"

namespace hilo {
namespace {

SharedMap sharedOf(const SharedLayout& layout, const Sizes& shape, int64_t bits) {
  auto map = SharedMap::of(layout, shape, bits);
  EXPECT_TRUE(map) << toString(map.error());
  return *std::move(map);
}

SharedTransfer transferOf(std::string_view registers, const SharedLayout& shared, const Sizes& shape,
                          int64_t bits) {
  const auto layout = parseRegisterLayout(registers);
  EXPECT_TRUE(layout);
  const auto map = RegisterMap::of(*layout, shape);
  EXPECT_TRUE(map);
  auto transfer = planTransfer(*map, sharedOf(shared, shape, bits));
  EXPECT_TRUE(transfer) << toString(transfer.error());
  return *std::move(transfer);
}

TEST(SharedMap, EveryElementHasItsOwnPlace) {
  const std::vector<std::pair<SharedLayout, Sizes>> cases{
      {{}, {5, 7}},
      {{.transforms = {TileTransform{{8, 64}}}, .swizzleBytes = 128}, {24, 128}},
      {{.transforms = {TileTransform{{8, 32}}, TransposeTransform{{1, 0, 2, 3}}}, .swizzleBytes = 64},
       {32, 96}},
      {{.transforms = {TileTransform{{8, 16}}}, .swizzleBytes = 32}, {3, 4, 32}},
  };
  for (const auto& [layout, shape] : cases) {
    const SharedMap map = sharedOf(layout, shape, 16);
    std::set<int64_t> bits;
    for (int64_t position = 0; position < elementCount(shape); ++position) {
      const Sizes index = indexAt(position, shape);
      const int64_t bit = map.bitOf(index);
      EXPECT_TRUE(bits.insert(bit).second);
      EXPECT_EQ(map.elementAt(bit), index);
    }
    EXPECT_EQ(*bits.rbegin(), elementCount(shape) * 16 - 16);
  }
}

// Tiles of 8x64 halves are 1024 bytes; within one, row r's chunk c of 16 bytes lies at chunk c XOR r.
TEST(SharedMap, TilesAndSwizzlesGiveTheBytesOfTheTensorMap) {
  const SharedMap map = sharedOf({{TileTransform{{8, 64}}}, 128}, {16, 128}, 16);
  EXPECT_EQ(map.sizesInMemory(), (Sizes{2, 2, 8, 64}));
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 128; ++column) {
      const int64_t tile = row / 8 * 2 + column / 64, chunk = column % 64 / 8;
      EXPECT_EQ(map.byteOf({row, column}),
                tile * 1024 + row % 8 * 128 + (chunk ^ (row % 8)) * 16 + column % 8 * 2);
    }
}

// Rows of 64 halves are 128 bytes: the eight rows that a warp stores at once begin in the same bank.
TEST(BankConflicts, SwizzleFreesTheAccumulatorsOfConflicts) {
  const SharedTransfer plain = transferOf("WGMMA", {}, {64, 64}, 16);
  EXPECT_EQ(plain.accesses.size(), 4u * 16);
  EXPECT_EQ(plain.least(), 64);
  EXPECT_EQ(plain.wavefronts(), 64 * 8);
  EXPECT_EQ(plain.accesses[0].bytes, 4);
  EXPECT_EQ(transferOf("WGMMA", {{TileTransform{{8, 64}}}, 128}, {64, 64}, 16).conflicts(), 0);
  // Chunks are exchanged among 4 places only: pairs of rows share their banks.
  EXPECT_EQ(transferOf("WGMMA", {{TileTransform{{8, 32}}}, 64}, {64, 64}, 16).conflicts(), 0);
  EXPECT_EQ(transferOf("WGMMA", {{TileTransform{{8, 64}}}, 64}, {64, 64}, 16).wavefronts(), 64 * 2);
}

TEST(BankConflicts, WideVectorsTakeSeveralWavefrontsAndCopiesNone) {
  // 8 floats a lane side by side: two accesses of 16 bytes, each of four wavefronts; lanes lie 32 bytes
  // apart, so eight of them want each bank for two words.
  const SharedTransfer wide = transferOf("WGStridedFragLayout(shape=(1024,), vec_size=8)", {}, {1024}, 32);
  EXPECT_EQ(wide.accesses.size(), 4u * 2);
  EXPECT_EQ(wide.least(), 8 * 4);
  EXPECT_EQ(wide.wavefronts(), 8 * 8);
  // Four lanes want the same word.
  EXPECT_EQ(transferOf("WGMMA_ROW", {}, {64}, 32).conflicts(), 0);
  // Columns of a matrix whose rows are 128 bytes: elements lie apart, 32 lanes in one bank.
  const SharedTransfer columns = transferOf("TMEM_DEFAULT(packing=1)", {}, {128, 32}, 32);
  EXPECT_EQ(columns.wavefronts(), columns.least() * 32);
}

TEST(BankConflicts, WhatCannotBePlannedIsSaid) {
  const auto splat = RegisterMap::of(SplatLayout{{64, 64}}, {64, 64});
  const auto half = RegisterMap::of(namedLayouts()[0].layout, {64, 64});
  ASSERT_TRUE(splat && half);
  EXPECT_EQ(planTransfer(*splat, sharedOf({}, {64, 64}, 8)).error().kind, "kernel-transfer");
  EXPECT_EQ(planTransfer(*half, sharedOf({}, {32, 128}, 8)).error().kind, "kernel-transfer");
  // Transposed: two elements of four bits are no neighbours.
  EXPECT_EQ(planTransfer(*half, sharedOf({{TransposeTransform{{1, 0}}}, 16}, {64, 64}, 4)).error().kind,
            "kernel-transfer");
  EXPECT_EQ(planTransfer(*half, sharedOf({}, {64, 64}, 4))->accesses[0].bytes, 1);
  EXPECT_EQ(SharedMap::of({{TileTransform{{8, 48}}}, 16}, {64, 64}, 16).error().kind, "shared-layout");
  EXPECT_EQ(SharedMap::of({{}, 48}, {64, 64}, 16).error().kind, "shared-layout");
  EXPECT_EQ(SharedMap::of({{TransposeTransform{{0, 0}}}, 16}, {64, 64}, 16).error().kind, "shared-layout");
  EXPECT_EQ(SharedMap::of({}, {64, 64}, 6).error().kind, "shared-layout");
}

}  // namespace
}  // namespace hilo
