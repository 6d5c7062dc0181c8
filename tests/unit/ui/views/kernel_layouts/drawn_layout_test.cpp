// What the kernel layout view draws: which element is in each cell, what its colour and its text tell.
#include "ui/views/kernel_layouts/drawn_layout.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <set>

#include "core/analysis/kernel_layouts/layout_text.h"
#include "core/analysis/kernel_layouts/shared_layout_text.h"
#include "ui/views/kernel_layouts/layout_rows.h"

namespace hilo {
namespace {

DrawnLayout drawn(const char* registers, const char* shared, const Sizes& shape, int64_t bits = 16) {
  auto layout = drawnLayout(*parseRegisterLayout(registers), *parseSharedLayout(shared), shape, bits);
  EXPECT_TRUE(layout) << layout.error().message;
  return *std::move(layout);
}

// PTX ISA, wgmma: thread 5 of warp 2 has row 2 * 16 + 1 and columns 2 and 3, then 8 rows below.
TEST(DrawnLayout, AThreadHoldsWhatThePtxManualSays) {
  const DrawnLayout layout = drawn("WGMMA", "()", {64, 8});
  const std::vector<int64_t> held = layout.elementsOf(2, 5);
  EXPECT_EQ(std::set<int64_t>(held.begin(), held.end()),
            (std::set<int64_t>{33 * 8 + 2, 33 * 8 + 3, 41 * 8 + 2, 41 * 8 + 3}));
  EXPECT_EQ(facetText(layout, LayoutFacet::kThread, 33 * 8 + 2), "2.5");
  EXPECT_EQ(facetText(layout, LayoutFacet::kSlot, 33 * 8 + 3), "1");
  EXPECT_EQ(elementText(layout, 33 * 8 + 2),
            "[33, 2]: warp 2, lane 5, register 0, slot 0; shared memory byte 532, bank 5");
}

TEST(DrawnLayout, EveryElementHasOneCellOfEachGrid) {
  for (const auto& [registers, shared, shape] :
       {std::tuple<const char*, const char*, Sizes>{"WGMMA", "tile(8, 64) swizzle(128)", {64, 128}},
        {"WGMMA_ROW", "()", {192}},
        {"TCGEN05_TRANSPOSED", "tile(8, 32) transpose(1, 0, 2, 3) swizzle(64)", {128, 64}}}) {
    const DrawnLayout layout = drawn(registers, shared, shape);
    for (const ElementGrid& grid : {arrayGrid(layout), memoryGrid(layout)}) {
      std::multiset<int64_t> cells(grid.cells.begin(), grid.cells.end());
      for (int64_t i = 0; i < layout.elements(); ++i) EXPECT_EQ(cells.count(i), 1u) << registers << i;
    }
  }
}

TEST(DrawnLayout, MemoryIsDrawnByRowsOfAllBanks) {
  const DrawnLayout layout = drawn("WGMMA", "tile(8, 64) swizzle(128)", {64, 64});
  const ElementGrid grid = memoryGrid(layout);
  EXPECT_EQ(grid.columns, 64);
  for (int64_t cell = 0; cell < layout.elements(); ++cell) {
    const int64_t element = grid.cells[static_cast<size_t>(cell)];
    EXPECT_EQ(layout.shared->byteOf(layout.indexOf(element)), cell * 2);
  }
  // Of the second row of a tile the first chunk of 16 bytes lies second.
  EXPECT_EQ(grid.cells[64 + 8], 64);
}

// A row of tensor memory is a lane of a warp: element [r, c] of 32-bit numbers lies at row r, column c.
TEST(DrawnLayout, TensorMemoryIsDrawnByRowsAndColumns) {
  auto layout = drawnLayout(*parseRegisterLayout("TMEM_DEFAULT(packing=1)"), {}, {128, 64}, 32);
  ASSERT_TRUE(layout) << layout.error().message;
  layout->isTensor = true;
  const ElementGrid grid = tensorGrid(*layout);
  ASSERT_EQ(grid.columns, 64);
  ASSERT_EQ(grid.rows(), 128);
  for (int64_t cell = 0; cell < layout->elements(); ++cell)
    EXPECT_EQ(grid.cells[static_cast<size_t>(cell)], cell);
  EXPECT_EQ(elementText(*layout, 2 * 64 + 5), "[2, 5]: row 2, column 5");
}

// Halves of a 64x64 accumulator in rows of 128 bytes: all 8 rows of an access meet in the same 4 banks.
TEST(DrawnLayout, ConflictsAreThoseOfTheElementsAccess) {
  const DrawnLayout bad = drawn("WGMMA", "()", {64, 64}),
                    good = drawn("WGMMA", "tile(8, 64) swizzle(128)", {64, 64});
  for (int64_t element = 0; element < bad.elements(); ++element) {
    EXPECT_EQ(facetText(bad, LayoutFacet::kConflicts, element), "7") << element;
    EXPECT_EQ(facetText(good, LayoutFacet::kConflicts, element), "0") << element;
  }
  EXPECT_EQ(whyNoFacet(bad, LayoutFacet::kConflicts), "");
}

TEST(DrawnLayout, MemoryThatNoThreadHoldsIsDrawnByBanksAlone) {
  const auto layout = drawnLayout({}, *parseSharedLayout("tile(8, 64) swizzle(128)"), {64, 64}, 16);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_FALSE(layout->transfer);
  EXPECT_EQ(whyNoFacet(*layout, LayoutFacet::kBank), "");
  EXPECT_NE(whyNoFacet(*layout, LayoutFacet::kThread), "");
  EXPECT_NE(whyNoFacet(*layout, LayoutFacet::kConflicts), "");
  EXPECT_EQ(elementText(*layout, 64), "[1, 0]: shared memory byte 144, bank 4");
}

TEST(DrawnLayout, ColoursTellApartWhatTheFacetTellsApart) {
  const DrawnLayout layout = drawn("WGMMA", "tile(8, 64) swizzle(128)", {64, 64});
  for (const LayoutFacet facet : {LayoutFacet::kThread, LayoutFacet::kWarp, LayoutFacet::kLane,
                                  LayoutFacet::kSlot, LayoutFacet::kBank}) {
    for (const bool dark : {false, true}) {
      const auto colours = elementColours(layout, facet, dark);
      std::map<QString, QRgb> byText;
      for (int64_t i = 0; i < layout.elements(); ++i) {
        const auto [at, isNew] = byText.emplace(facetText(layout, facet, i), colours[static_cast<size_t>(i)]);
        EXPECT_EQ(at->second, colours[static_cast<size_t>(i)]);
      }
      std::set<QRgb> distinct;
      for (const auto& [text, colour] : byText) distinct.insert(colour);
      EXPECT_EQ(distinct.size(), byText.size()) << static_cast<int>(facet);
    }
  }
}

TEST(DrawnLayout, RowsAreOfTheThreadAndOfTheWorstAccesses) {
  const DrawnLayout layout = drawn("WGMMA", "()", {64, 64});
  TableModel<RegisterRow> registers(registerColumns());
  TableModel<AccessRow> accesses(accessColumns());
  const QAbstractItemModelTester first(&registers), second(&accesses);
  registers.setRows(registerRows(layout, 0));
  ASSERT_EQ(registers.rowCount(), 16);
  EXPECT_EQ(registers.rows()[0].text, "[0, 0] [0, 1]");
  accesses.setRows(accessRows(layout));
  ASSERT_EQ(accesses.rowCount(), 64);
  const WarpAccess& worst = accesses.rows()[0].access;
  EXPECT_EQ(worst.wavefronts - worst.least, 7);
  EXPECT_EQ(layout.elementsOf(worst).size(), 64u);
}

TEST(DrawnLayout, LargeArraysAreRefused) {
  const auto layout = drawnLayout(*parseRegisterLayout("WGMMA"), std::nullopt, {64, 8192}, 16);
  ASSERT_FALSE(layout);
  EXPECT_EQ(layout.error().kind, "kernel-shape");
}

}  // namespace
}  // namespace hilo
