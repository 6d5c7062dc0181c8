// Every element of an array has its places, every place its element; the places themselves are compared with
// the formulas of PTX's chapters, written out here.
#include "core/analysis/kernel_layouts/register_map.h"

#include <gtest/gtest.h>

#include <map>

#include "core/analysis/kernel_layouts/layout_families.h"

namespace hilo {
namespace {

TiledLayout named(std::string_view name) {
  for (const NamedLayout& layout : namedLayouts())
    if (layout.name == name) return layout.layout;
  ADD_FAILURE() << "no layout " << name;
  return {};
}

RegisterMap mapOf(const RegisterLayout& layout, const Sizes& shape) {
  auto map = RegisterMap::of(layout, shape);
  EXPECT_TRUE(map) << toString(map.error());
  return *std::move(map);
}

// Every place holds the element that says it has that place, and there is no place more.
void expectInverse(const RegisterMap& map) {
  std::map<RegisterPlace, Sizes> held;
  for (int64_t position = 0; position < elementCount(map.shape()); ++position) {
    const Sizes index = indexAt(position, map.shape());
    const auto places = map.placesOf(index);
    EXPECT_EQ(static_cast<int64_t>(places.size()), map.copies());
    for (const RegisterPlace& place : places) {
      EXPECT_TRUE(held.emplace(place, index).second) << "two elements at one place";
      EXPECT_EQ(map.elementAt(place), index);
    }
  }
  EXPECT_EQ(static_cast<int64_t>(held.size()),
            kThreadsOfWarpgroup * map.registersPerThread() * map.vectorLength());
}

TEST(RegisterMap, EveryFamilyIsABijectionWithItsCopies) {
  for (const NamedLayout& family : namedLayouts()) {
    SCOPED_TRACE(family.name);
    ASSERT_TRUE(checkLayout(family.layout));
    EXPECT_EQ(canonical(family.layout), family.layout);
    Sizes shape = family.layout.tiling.tiles.front();
    for (int64_t& size : shape) size *= 2;
    expectInverse(mapOf(family.layout, shape));
    shape.insert(shape.begin(), 3);  // a leading dimension that is not tiled
    expectInverse(mapOf(family.layout, shape));
  }
  expectInverse(mapOf(tmemHalfLaneLayout(48, 2), {64, 48}));
  expectInverse(mapOf(tmemM64CollectiveLayout(32, 4), {128, 64}));
  expectInverse(mapOf(StridedLayout{{6, 128}, 2}, {6, 128}));
}

// The accumulator of wgmma.mma_async: element i of a thread lies at row 16 w + lane / 4 + 8 (i / 2 mod 2) and
// column 8 (i / 4) + 2 (lane mod 4) + i mod 2.
TEST(RegisterMap, WgmmaIsTheAccumulatorFragmentOfPtx) {
  const RegisterMap map = mapOf(named("WGMMA"), {64, 24});
  EXPECT_EQ(map.registersPerThread(), 6);
  EXPECT_EQ(map.vectorLength(), 2);
  for (int64_t thread = 0; thread < 128; ++thread) {
    const int64_t warp = thread / 32, lane = thread % 32;
    for (int64_t i = 0; i < 12; ++i) {
      const Sizes element{16 * warp + lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2};
      EXPECT_EQ(map.elementAt({warp, lane, i / 2, i % 2}), element);
    }
  }
}

TEST(RegisterMap, OtherFamiliesFollowTheirFormulas) {
  const RegisterMap rows = mapOf(named("WGMMA_ROW"), {64});
  EXPECT_EQ(rows.copies(), 4);
  const RegisterMap transposed = mapOf(named("WGMMA_TRANSPOSED"), {64, 8});
  const RegisterMap bytes = mapOf(named("WGMMA_8BIT"), {64, 16});
  for (int64_t row = 0; row < 64; ++row) {
    EXPECT_EQ(rows.placesOf({row}).front(), (RegisterPlace{row / 16, row % 8 * 4, row / 8 % 2, 0}));
    for (int64_t column = 0; column < 8; ++column)
      EXPECT_EQ(
          transposed.placesOf({row, column}).front(),
          (RegisterPlace{row / 16, row % 8 / 2 * 8 + column % 2 * 4 + column / 2, row / 8 % 2, row % 2}));
    for (int64_t column = 0; column < 16; ++column)
      EXPECT_EQ(bytes.placesOf({row, column}).front(),
                (RegisterPlace{row / 16, row % 8 * 4 + column / 4, row / 8 % 2, column % 4}));
  }
  const RegisterMap columns = mapOf(named("WGMMA_COL"), {16});
  EXPECT_EQ(columns.copies(), 32);
  EXPECT_EQ(columns.placesOf({13}).front(), (RegisterPlace{0, 2, 1, 1}));
}

// Tensor memory: the row is warp * 32 + lane, the column the register.
TEST(RegisterMap, TensorMemoryHasRowsAndColumns) {
  const RegisterMap plain = mapOf(tmemDefaultLayout(1), {128, 96}),
                    packed = mapOf(tmemDefaultLayout(2), {128, 96});
  const RegisterMap half = mapOf(tmemHalfLaneLayout(32, 1), {64, 32}),
                    two = mapOf(tmemM64CollectiveLayout(32, 1), {64, 32});
  EXPECT_EQ(plain.registersPerThread(), 96);
  EXPECT_EQ(packed.registersPerThread(), 48);
  for (int64_t row = 0; row < 64; ++row)
    for (int64_t column = 0; column < 32; ++column) {
      EXPECT_EQ(plain.placesOf({row, column}).front(), (RegisterPlace{row / 32, row % 32, column, 0}));
      EXPECT_EQ(packed.placesOf({row, column}).front(),
                (RegisterPlace{row / 32, row % 32, column / 2, column % 2}));
      EXPECT_EQ(half.placesOf({row, column}).front(),
                (RegisterPlace{row / 16, column / 16 * 16 + row % 16, column % 16, 0}));
      EXPECT_EQ(two.placesOf({row, column}).front(),
                (RegisterPlace{column / 16 * 2 + row / 32, row % 32, column % 16, 0}));
    }
}

TEST(RegisterMap, StridedDealsVectorsAndASplatIsEverywhere) {
  const RegisterMap strided = mapOf(StridedLayout{{4, 128}, 2}, {4, 128});
  // Element 300 is the second of vector 150: thread 22 in the second round.
  EXPECT_EQ(strided.placesOf({2, 44}).front(), (RegisterPlace{0, 22, 1, 0}));
  EXPECT_EQ(strided.copies(), 1);
  const RegisterMap splat = mapOf(SplatLayout{{5, 7}}, {5, 7});
  EXPECT_EQ(splat.placesOf({4, 6}).size(), 128u);
  EXPECT_FALSE(splat.elementAt({3, 31, 0, 0}));
}

TEST(RegisterMap, WhatDoesNotFitIsSaid) {
  const auto kindOf = [](const RegisterLayout& layout, const Sizes& shape) {
    const auto map = RegisterMap::of(layout, shape);
    return map ? "" : map.error().kind;
  };
  EXPECT_EQ(kindOf(named("WGMMA"), {60, 8}), "kernel-tiling");
  EXPECT_EQ(kindOf(named("WGMMA"), {64}), "kernel-tiling");
  EXPECT_EQ(kindOf(StridedLayout{{4, 32}, 2}, {4, 32}), "kernel-layout");
  EXPECT_EQ(kindOf(StridedLayout{{4, 32}, 1}, {32, 4}), "kernel-layout");
  EXPECT_EQ(kindOf(SplatLayout{{0}}, {0}), "kernel-shape");
  TiledLayout twice = named("WGMMA");
  twice.vectorDim = -2;
  EXPECT_EQ(kindOf(twice, {64, 8}), "kernel-layout");
  TiledLayout fewer = named("WGMMA");
  fewer.laneDims.pop_back();
  EXPECT_EQ(kindOf(fewer, {64, 8}), "kernel-layout");
}

}  // namespace
}  // namespace hilo
