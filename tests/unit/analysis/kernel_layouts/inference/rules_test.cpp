// Rules, and copies planned against counted conflicts.
#include <fmt/format.h>

#include "core/analysis/kernel_layouts/inference/kernel_layouts.h"
#include "core/analysis/kernel_layouts/inference/kernel_text.h"
#include "core/analysis/kernel_layouts/inference/planned_moves.h"
#include "tests/unit/analysis/kernel_layouts/inference/constraint_makers.h"

namespace hilo::inference {
namespace {

TEST(LayoutRules, OperationsOnEachElementHaveOneLayout) {
  size_t seen = 0;
  for (const NamedLayoutRule& rule : layoutRules()) {
    if ((!rule.opcode.starts_with("arith.") && !rule.opcode.starts_with("math.")) ||
        rule.opcode == "arith.constant")
      continue;
    ++seen;
    const auto kernel =
        parseKernel(fmt::format("%x = llvm.mlir.undef : vector<64x64xf32>\n"
                                "%y = {} %x, %x : vector<64x64xf32>\n"
                                "%c = mosaic_gpu.layout_cast %y {{new_layout = WGMMA}} : vector<64x64xf32>\n",
                                rule.opcode));
    ASSERT_TRUE(kernel);
    const auto layouts = inferLayouts(*kernel);
    ASSERT_TRUE(layouts && layouts->isFound()) << rule.opcode;
    for (const auto& [site, layout] : layouts->layoutsOf(1, ValueSite::Kind::Operand))
      EXPECT_EQ(layout, family("WGMMA"));
    EXPECT_EQ(layouts->layoutsOf(1, ValueSite::Kind::Result).at(0).second, family("WGMMA"));
  }
  EXPECT_GT(seen, 50u);
}

TEST(LayoutRules, OpcodesAreNamedOnce) {
  const auto rules = layoutRules();
  for (size_t i = 1; i < rules.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(rules[i].opcode, rules[j].opcode);
}

// A copy that no conflict slows down when every lane moves the same register is one that the plan allows: of
// vectors of 4 to 16 bytes, where both count the same banks.
TEST(MemoryMoves, WhatHasNoConflictsIsPlanned) {
  const Sizes shape{128, 64};
  size_t free = 0;
  for (const auto name : {"WGMMA", "TCGEN05", "WGMMA_8BIT", "WGMMA_UPCAST_4X", "WGMMA_ROW"}) {
    for (const int64_t bits : {16, 32}) {
      for (const SharedTransforms& transforms :
           {SharedTransforms{}, {{8, 32}, 0}, {{8, 16}, 32}, {{8, 32}, 64}, {{8, 64}, 128}}) {
        const SharedArray array{shape, {64, 1}, bits};
        const RegisterLayout layout = tiledFamily(name);
        const int64_t vectorBits = tiledFamily(name).vectorLength() * bits;
        if (vectorBits < 32 || vectorBits > 128) continue;
        const auto registers = RegisterMap::of(layout, shape);
        const auto shared = SharedMap::of(inMemory(array, transforms), shape, bits);
        ASSERT_TRUE(registers && shared);
        const auto transfer = planTransfer(*registers, *shared);
        ASSERT_TRUE(transfer);
        if (transfer->conflicts() != 0) continue;
        ++free;
        EXPECT_TRUE(canMoveShared(array, transforms, layout, MoveKind::Optimized, 9))
            << name << bits << toString(LayoutConstant(transforms));
      }
    }
  }
  EXPECT_GT(free, 5u);
}

}  // namespace
}  // namespace hilo::inference
