// Tiles of whole fusions: spaces, constraints, legal choices; and for every legal choice, each instruction's
// tile is exactly what its place takes over the tile.
#include <gtest/gtest.h>

#include "core/analysis/tiling/tile.h"
#include "core/hlo/ir/module.h"
#include "tests/support/module_text.h"
#include "tests/unit/analysis/tiling/tile_sets.h"

namespace hilo {
namespace {

std::string fused(const std::string& parameters, const std::string& inside, const std::string& type,
                  const std::string& names) {
  return "f { " + inside + " }\nENTRY e { " + parameters + "\nROOT r = " + type + " fusion(" + names +
         "), kind=kLoop, calls=f }";
}

const std::string kSoftmax = fused("p = f32[6,16] parameter(0)", R"(p = f32[6,16] parameter(0)
  z = f32[] constant(0)
  m = f32[6] reduce(p, z), dimensions={1}, to_apply=addf
  b = f32[6,16] broadcast(m), dimensions={0}
  s = f32[6,16] subtract(p, b)
  x = f32[6,16] exponential(s)
  t = f32[6] reduce(x, z), dimensions={1}, to_apply=addf
  c = f32[6,16] broadcast(t), dimensions={0}
  ROOT d = f32[6,16] divide(x, c))",
                                   "f32[6,16]", "p");

const std::string kReshapes = fused("p = f32[6,16] parameter(0)", R"(p = f32[6,16] parameter(0)
  a = f32[3,2,16] reshape(p)
  t = f32[16,3,2] transpose(a), dimensions={2,0,1}
  b = f32[4,4,6] reshape(t)
  ROOT n = f32[4,4,6] negate(b))",
                                    "f32[4,4,6]", "p");

const std::string kTwoResults = fused("p = f32[8,4] parameter(0)", R"(p = f32[8,4] parameter(0)
  n = f32[8,4] negate(p)
  z = f32[] constant(0)
  s = f32[8] reduce(n, z), dimensions={1}, to_apply=addf
  ROOT t = (f32[8,4], f32[8]) tuple(n, s))",
                                      "(f32[8,4], f32[8])", "p");

const std::string kDot = fused("a = f32[8,12] parameter(0)\nb = f32[12,10] parameter(1)",
                               R"(a = f32[8,12] parameter(0)
  b = f32[12,10] parameter(1)
  n = f32[8,12] negate(a)
  d = f32[8,10] dot(n, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[10,8] transpose(d), dimensions={1,0})",
                               "f32[10,8]", "a, b");

void expectExact(const std::string& body, size_t leastLegal) {
  const auto module = moduleWithReducers(body);
  ASSERT_TRUE(module);
  const auto space = tilingSpace(*module->entry()->root());
  ASSERT_TRUE(space) << space.error().message;
  const auto choices = legalTilings(*space, 300);
  EXPECT_GE(choices.size(), leastLegal);
  for (const auto& sizes : choices) {
    const auto tiling = tilingWith(*space, sizes);
    ASSERT_TRUE(tiling);
    std::vector<int64_t> first, at;
    forEachTile(*tiling, first, [&] {
      for (size_t i = 0; i < space->instructions.size(); ++i)
        ASSERT_EQ(ofTile(tiling->tiles[i], first),
                  enumerated(*tiling, space->instructions[i].place, first, at))
            << space->instructions[i].instruction->name();
    });
  }
}

TEST(FusionTiles, AreExactlyWhatIsRead) {
  expectExact(kSoftmax, 20);
  expectExact(kReshapes, 10);
  expectExact(kTwoResults, 10);
  expectExact(kDot, 50);
}

TEST(FusionTiles, ShareDimensionsOfResultsOfOneSize) {
  const auto module = moduleWithReducers(kTwoResults);
  const auto space = tilingSpace(*module->entry()->root());
  ASSERT_TRUE(space);
  EXPECT_EQ(space->names(), (std::vector<std::string>{"d0", "s0", "d1", "d2"}));
  EXPECT_EQ(space->roots.size(), 2U);
}

TEST(FusionTiles, TellTheirConstraints) {
  const auto module = moduleWithReducers(kReshapes);
  const auto space = tilingSpace(*module->entry()->root());
  ASSERT_TRUE(space);
  const auto constraints = tilingConstraints(*space);
  EXPECT_EQ(constraints,
            (std::vector<std::string>{"%p: the values of d0 * 4 + d1 have to be evenly apart",
                                      "%a: the tile of d2 has to divide 2 or to be a multiple of it",
                                      "%a: the values of d0 * 4 + d1 have to be evenly apart",
                                      "%t: the values of d0 * 4 + d1 have to be evenly apart",
                                      "%t: the tile of d2 has to divide 2 or to be a multiple of it"}));
}

// A tile past the end of the rows of a reshape: its elements there are no places of the operand, where the
// next row follows. In a row alone the pad leaves them out.
TEST(FusionTiles, OfAReshapeKeepTheOrderOfElements) {
  const auto fusion = moduleWithReducers(fused("p = f32[8] parameter(0)", R"(p = f32[8] parameter(0)
  a = f32[2,4] reshape(p)
  z = f32[] constant(0)
  ROOT r = f32[2,6] pad(a, z), padding=0_0x1_1)",
                                               "f32[2,6]", "p"));
  const auto space = tilingSpace(*fusion->entry()->root());
  ASSERT_TRUE(space);
  const auto both = tilingWith(*space, std::vector<int64_t>{2, 6});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind, "illegal-tiling");
  EXPECT_EQ(both.error().message,
            "%a (reshape): a tile of 12 elements is made of 10 of its operand: it reaches past the end of a "
            "dimension that is not the outermost");
  EXPECT_TRUE(tilingWith(*space, std::vector<int64_t>{1, 6}));
}

TEST(FusionTiles, CountWhatIsWasted) {
  const auto module = moduleWithReducers("p = f32[12,10] parameter(0)\nROOT n = f32[12,10] negate(p)");
  const auto space = tilingSpace(*module->entry()->root());
  ASSERT_TRUE(space);
  const std::vector<int64_t> sizes = {8, 10};
  const auto tiling = tilingWith(*space, sizes);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->independentTiles(*space), 2);
  EXPECT_DOUBLE_EQ(tiling->wasted(*space), 0.25);
}

}  // namespace
}  // namespace hilo
