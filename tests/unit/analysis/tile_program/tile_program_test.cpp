// Tile programs as text, what the verifier refuses, and what may not stand in one.
#include <gtest/gtest.h>

#include "core/analysis/tile_program/build_tile_program.h"
#include "core/analysis/tile_program/configured_tiles.h"
#include "core/analysis/tile_program/print_tile_program.h"
#include "core/analysis/tile_program/verify_tile_program.h"
#include "core/hlo/ir/module.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

constexpr const char* kGemm = R"(f { p = f32[32,48] parameter(0)
  q = f32[48,40] parameter(1)
  d = f32[32,40] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT n = f32[32,40] negate(d) }
ENTRY e { p = f32[32,48] parameter(0)
  q = f32[48,40] parameter(1)
  ROOT g = f32[32,40] fusion(p, q), kind=kCustom, calls=f })";

constexpr const char* kSoftmax = R"(maxf { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b) }
f { p = f32[8,100] parameter(0)
  low = f32[] constant(-inf)
  z = f32[] constant(0)
  m = f32[8] reduce(p, low), dimensions={1}, to_apply=maxf
  mb = f32[8,100] broadcast(m), dimensions={0}
  d = f32[8,100] subtract(p, mb)
  e = f32[8,100] exponential(d)
  s = f32[8] reduce(e, z), dimensions={1}, to_apply=addf
  sb = f32[8,100] broadcast(s), dimensions={0}
  ROOT r = f32[8,100] divide(e, sb) }
ENTRY e { p = f32[8,100] parameter(0)
  ROOT g = f32[8,100] fusion(p), kind=kCustom, calls=f })";

Result<TiledFusion> tiled(const Module& module, std::vector<int64_t> sizes) {
  return tiledFusion(*module.entry()->root(), sizes);
}

TEST(TileProgram, OfADotStepsThroughTheSum) {
  const auto module = moduleWithReducers(kGemm);
  const auto fusion = tiled(*module, {16, 16, 16});
  ASSERT_TRUE(fusion) << toString(fusion.error());
  EXPECT_TRUE(verifyTilePrograms(*fusion));
  EXPECT_EQ(toString(*fusion), R"(program of 2 x 3 tiles: d0 in [0, 31] by 16, d1 in [0, 39] by 16
  %2 = for s0 in [0, 47] by 16: f32[16,16]
    %0 = load f32[16,16] %p at (d0, s0)
    %1 = load f32[16,16] %q at (s0, d1?)
    dot %0, %1
  %3 = negate f32[16,16] %2
  store %3 as result 0 at (d0, d1?)
)");
}

// What is asked for twice by the same tile is done once.
TEST(TileProgram, OfWholeRowsLoadsThemOnce) {
  const auto module = moduleWithReducers(kSoftmax);
  const auto fusion = tiled(*module, {2, 100, 100, 100});
  ASSERT_TRUE(fusion) << toString(fusion.error());
  EXPECT_TRUE(verifyTilePrograms(*fusion));
  EXPECT_EQ(toString(*fusion), R"(program of 4 x 1 tiles: d0 in [0, 7] by 2, d1 in [0, 99] by 100
  %0 = load f32[2,100] %p at (d0, 0)
  %1 = reduce maxf over 1 f32[2] %0
  %2 = broadcast {0} f32[2,100] %1
  %3 = subtract f32[2,100] %0, %2
  %4 = exponential f32[2,100] %3
  %5 = reduce addf over 1 f32[2] %4
  %6 = broadcast {0} f32[2,100] %5
  %7 = divide f32[2,100] %4, %6
  store %7 as result 0 at (d0, 0)
)");
}

// In steps each of the two folds has a loop, and the largest is not looked for again in the second.
TEST(TileProgram, OfRowsInStepsKeepsWhatStandsStillOutside) {
  const auto module = moduleWithReducers(kSoftmax);
  const auto fusion = tiled(*module, {2, 50, 25, 25});
  ASSERT_TRUE(fusion) << toString(fusion.error());
  EXPECT_TRUE(verifyTilePrograms(*fusion));
  const TileProgram& program = fusion->programs.at(0);
  EXPECT_EQ(program.blocks.size(), 3U);
  const auto folds = std::ranges::count_if(program.operations, &TileOperation::isFold);
  EXPECT_EQ(folds, 2);
  for (const TileOperation& operation : program.operations) {
    if (operation.isFold()) EXPECT_EQ(operation.block, 0U);
  }
}

TEST(TileProgram, ResultsWithoutCommonTilesAreProgramsOfTheirOwn) {
  const auto module = moduleWithReducers(R"(f { p = f32[40,24] parameter(0)
  z = f32[] constant(0)
  a = f32[40,24] abs(p)
  m = f32[40] reduce(a, z), dimensions={1}, to_apply=addf
  ROOT t = (f32[40], f32[40,24]) tuple(m, a) }
ENTRY e { p = f32[40,24] parameter(0)
  ROOT g = (f32[40], f32[40,24]) fusion(p), kind=kCustom, calls=f })");
  const auto fusion = tiled(*module, {8, 24, 8, 8});
  ASSERT_TRUE(fusion) << toString(fusion.error());
  EXPECT_TRUE(verifyTilePrograms(*fusion));
  ASSERT_EQ(fusion->programs.size(), 2U);
  EXPECT_EQ(fusion->count(fusion->programs[0]), 5);
  EXPECT_EQ(fusion->count(fusion->programs[1]), 15);
}

TEST(TileProgram, VerifierNamesTheRule) {
  const auto module = moduleWithReducers(kGemm);
  const auto broken = [&](auto change) {
    auto fusion = tiled(*module, {16, 16, 16});
    change(fusion->programs[0]);
    const Status status = verifyTilePrograms(*fusion);
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(broken([](TileProgram& p) { p.operations[3].operands[0].operation = 0; }),
            "%0 is used outside of its block");
  EXPECT_EQ(broken([](TileProgram& p) { p.operations[2].operands[0].operation = 3; }),
            "%3 is used before it is made");
  EXPECT_EQ(broken([](TileProgram& p) { p.operations[3].tile.dimensions[0].size = 8; }),
            "%3 (elementwise) does not fit its operands");
  EXPECT_EQ(broken([](TileProgram& p) {
              p.operations[3].tile.dimensions[0].offset = AffineExpression::variable(2);
            }),
            "%3 lies where s0 has no value");
  EXPECT_EQ(broken([](TileProgram& p) { p.stores.clear(); }), "result 0 is not stored exactly once");
  EXPECT_EQ(broken([](TileProgram& p) { p.stores.push_back(p.stores[0]); }),
            "result 1 is not stored exactly once");
  EXPECT_EQ(broken([](TileProgram& p) { p.operations[2].loop.reset(); }),
            "block 1 is gone through by 0 folds");
}

TEST(TileProgram, WhatIsNotOnTheListIsRefusedByName) {
  const auto windows = moduleWithReducers(R"(f { p = f32[40] parameter(0)
  z = f32[] constant(0)
  w = f32[40] reduce-window(p, z), window={size=3 pad=1_1}, to_apply=addf
  ROOT n = f32[40] negate(w) }
ENTRY e { p = f32[40] parameter(0)
  ROOT g = f32[40] fusion(p), kind=kCustom, calls=f })");
  const auto window = tiled(*windows, {8, 3});
  ASSERT_FALSE(window);
  EXPECT_EQ(window.error().message, "%w (reduce-window): no operation on tiles does this");
  const auto complex = moduleWithReducers(R"(f { p = c64[8,8] parameter(0)
  ROOT d = c64[8,8] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
ENTRY e { p = c64[8,8] parameter(0)
  ROOT g = c64[8,8] fusion(p), kind=kCustom, calls=f })");
  const auto refused = tiled(*complex, {8, 8, 8});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "not-a-tile-program");
  EXPECT_EQ(refused.error().message, "%d (dot): its elements are complex");
}

TEST(TileProgram, AlgorithmsOfOtherTypesHaveToBeWrittenOut) {
  const auto with = [](const std::string& algorithm) {
    std::string text = kGemm;
    text.insert(text.find("rhs_contracting_dims={0}") + 24, ", algorithm=" + algorithm);
    const auto module = moduleWithReducers(text);
    const auto fusion = tiled(*module, {16, 16, 16});
    return fusion ? "taken" : fusion.error().message;
  };
  EXPECT_EQ(with("dot_f32_f32_f32"), "taken");
  EXPECT_EQ(with("dot_bf16_bf16_f32_x3"),
            "%d (dot): algorithm dot_bf16_bf16_f32_x3 has to be written as plain dots before "
            "(expand-dot-algorithms)");
}

TEST(TileProgram, SizesThatAreNoneAreNamed) {
  const std::string with = std::string(kGemm).substr(0, std::string(kGemm).size() - 2);
  const auto good = moduleWithReducers(with + R"(, frontend_attributes={hilo_tiles="16,8,48"} })");
  const auto stated = statedTiles(*good->entry()->root());
  ASSERT_TRUE(stated && *stated);
  EXPECT_EQ((*stated)->count((*stated)->programs[0]), 10);
  const auto bad = moduleWithReducers(with + R"(, frontend_attributes={hilo_tiles="16,x"} })");
  const auto refused = statedTiles(*bad->entry()->root());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, "bad-tiles");
}

std::string reducedText(const std::string& size) {
  return "f { p = f32[" + size + "] parameter(0)\n  ROOT a = f32[" + size +
         "] all-reduce(p), replica_groups={{0,1}}, to_apply=addf }\nENTRY e { p = f32[" + size +
         "] parameter(0)\n  ROOT g = f32[" + size + "] fusion(p), kind=kCustom, calls=f }";
}

TEST(TileProgram, OfAnAllReduceMeetsOnceInOneShot) {
  const auto module = moduleWithReducers(reducedText("65536"));
  const auto fusion = tiled(*module, {4096});
  ASSERT_TRUE(fusion) << toString(fusion.error());
  EXPECT_TRUE(verifyTilePrograms(*fusion));
  EXPECT_EQ(toString(*fusion), R"(program of 16 tiles: d0 in [0, 65535] by 4096
  %0 = load f32[4096] %p at (d0)
  share %0 at (d0)
2 ranks meet
program of 16 tiles: d0 in [0, 65535] by 4096
  %0 = all-reduce addf of 2 ranks f32[4096] %a at (d0)
  store %0 as result 0 at (d0)
)");
}

TEST(TileProgram, OfALargeAllReduceMeetsTwice) {
  const auto module = moduleWithReducers(reducedText("65537"));
  const auto fusion = tiled(*module, {4096});
  ASSERT_TRUE(fusion) << toString(fusion.error());
  EXPECT_TRUE(verifyTilePrograms(*fusion));
  EXPECT_EQ(toString(*fusion), R"(program of 17 tiles: d0 in [0, 65536] by 4096
  %0 = load f32[4096] %p at (d0?)
  share %0 at (d0?)
2 ranks meet
program of 17 tiles: d0 in [0, 65536] by 4096
  %0 = all-reduce addf of 2 ranks f32[4096] %a at (d0?)
  share this rank's part of %0 at (d0?)
2 ranks meet
program of 17 tiles: d0 in [0, 65536] by 4096
  %0 = collect f32[4096] %a at (d0?)
  store %0 as result 0 at (d0?)
)");
}

}  // namespace
}  // namespace hilo
