// Who gives and who wants which order, of copies and transposes put between known ends.
#include "core/analysis/layouts/layout_moves.h"

#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

class LayoutMovesTest : public testing::Test {
 protected:
  std::vector<LayoutMove> movesOf(const std::string& text) {
    auto module = parseModuleStrictly("HloModule m\n" + text);
    EXPECT_TRUE(module) << (module ? "" : toString(module.error()));
    if (!module) return {};
    module_ = *std::move(module);
    return layoutMoves(*module_);
  }
  std::unique_ptr<Module> module_;
};

TEST_F(LayoutMovesTest, FromAnEntryParameterToALibrary) {
  const auto moves = movesOf(R"(ENTRY e {
  p = f32[8,16]{1,0} parameter(0)
  n = f32[8,16]{1,0} negate(p)
  c = f32[8,16]{0,1} copy(n)
  ROOT f = f32[8,16]{0,1} custom-call(c), custom_call_target="__cublas$gemm"
})");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].kind, LayoutMoveKind::Order);
  EXPECT_EQ(moves[0].given.kind, LayoutWishKind::EntryParameter);
  EXPECT_EQ(moves[0].given.name, "p");
  EXPECT_EQ(moves[0].wanted.kind, LayoutWishKind::Library);
  EXPECT_EQ(moves[0].bytes, 2 * 512);
  ASSERT_EQ(moves[0].chain.size(), 4u);
  EXPECT_EQ(moves[0].chain[0].name, "p");
  EXPECT_EQ(moves[0].movePlace, 2u);
  EXPECT_EQ(moves[0].chain[3].name, "f");
  EXPECT_EQ(piecesInMemory(moves[0].to, moves[0].chain[2].axes),
            (std::vector<AxisPiece>{{1, 16, 1}, {0, 8, 1}}));
}

// The body of a loop reads its state in another order than it was put in.
TEST_F(LayoutMovesTest, ThroughLoopsFusionsAndTuples) {
  const auto moves = movesOf(R"(fused {
  q = f32[8,16]{1,0} parameter(0)
  t = f32[16,8]{1,0} transpose(q), dimensions={1,0}
  ROOT a = f32[16,8]{1,0} abs(t)
}
body {
  s = (s32[], f32[8,16]{1,0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[8,16]{1,0} get-tuple-element(s), index=1
  k = f32[16,8]{1,0} fusion(v), kind=kLoop, calls=fused
  x = (f32[8,16]{1,0}) custom-call(k), custom_call_target="lib"
  w = f32[8,16]{1,0} get-tuple-element(x), index=0
  ROOT r = (s32[], f32[8,16]{1,0}) tuple(i, w)
}
condition {
  s = (s32[], f32[8,16]{1,0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  ten = s32[] constant(10)
  ROOT l = pred[] compare(i, ten), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  p = f32[8,16]{1,0} parameter(0)
  init = (s32[], f32[8,16]{1,0}) tuple(zero, p)
  loop = (s32[], f32[8,16]{1,0}) while(init), condition=condition, body=body
  ROOT out = f32[8,16]{1,0} get-tuple-element(loop), index=1
})");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_TRUE(moves[0].given.isFirm());
  EXPECT_TRUE(moves[0].given.name == "p" || moves[0].given.name == "x") << moves[0].given.name;
  EXPECT_EQ(moves[0].wanted.kind, LayoutWishKind::Library);
  EXPECT_EQ(moves[0].wanted.name, "x");
  EXPECT_EQ(moves[0].kernelName, "k");
  EXPECT_FALSE(moves[0].isAlone);
}

TEST_F(LayoutMovesTest, AMatrixBesideItsTransposeIsWantedByItself) {
  const auto moves = movesOf(R"(ENTRY e {
  p = f32[8,8]{1,0} parameter(0)
  t = f32[8,8]{1,0} transpose(p), dimensions={1,0}, metadata={op_name="jit(f)/transpose"}
  ROOT s = f32[8,8]{1,0} add(p, t)
})");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].wanted.kind, LayoutWishKind::Itself);
  EXPECT_EQ(moves[0].origin, LayoutMoveOrigin::Program);
}

TEST_F(LayoutMovesTest, ReductionsCollectivesAndFfts) {
  const auto moves = movesOf(R"(add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  p = f32[8,16]{1,0} parameter(0)
  q = c64[8,16]{1,0} parameter(1)
  zero = f32[] constant(0)
  c = f32[8,16]{0,1} copy(p)
  r = f32[16]{0} reduce(c, zero), dimensions={0}, to_apply=add
  d = f32[8,16]{0,1} copy(p)
  g = f32[8,64]{0,1} all-gather(d), dimensions={1}
  u = c64[8,16]{0,1} fft(q), fft_type=FFT, fft_length={16}
  w = c64[8,16]{1,0} copy(u)
  ROOT out = (f32[16]{0}, f32[8,64]{0,1}, c64[8,16]{1,0}) tuple(r, g, w)
})");
  ASSERT_EQ(moves.size(), 3u);
  EXPECT_EQ(moves[0].wanted.kind, LayoutWishKind::Reduction);
  EXPECT_EQ(moves[1].wanted.kind, LayoutWishKind::Collective);
  EXPECT_TRUE(moves[1].wanted.text.contains("dimension 1, along which it joins")) << moves[1].wanted.text;
  EXPECT_EQ(moves[2].given.kind, LayoutWishKind::Fft);
  EXPECT_EQ(moves[2].wanted.kind, LayoutWishKind::EntryResult);
  EXPECT_EQ(moves[2].wanted.operand, 2);
}

TEST_F(LayoutMovesTest, ConstantsAndBroadcastsGiveWayToWhatIsFixed) {
  const auto moves = movesOf(R"(ENTRY e {
  p = f32[8,16]{1,0} parameter(0)
  v = f32[16]{0} parameter(1)
  b = f32[8,16]{1,0} broadcast(v), dimensions={1}
  m = f32[8,16]{1,0} multiply(b, p)
  c = f32[8,16]{0,1} copy(m)
  only = f32[8,16]{0,1} copy(b)
  ROOT out = (f32[8,16]{0,1}, f32[8,16]{0,1}) tuple(c, only)
})");
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_EQ(moves[0].given.kind, LayoutWishKind::EntryParameter);
  EXPECT_EQ(moves[1].given.kind, LayoutWishKind::Made);
}

TEST_F(LayoutMovesTest, CopiesThatKeepTheOrderAreNoneOfLayouts) {
  const auto moves = movesOf(R"(ENTRY e {
  p = f32[8,16]{1,0} parameter(0)
  c = f32[8,16]{1,0} copy(p)
  h = f32[8,16]{1,0:S(5)} copy(p)
  t = f32[16,8]{0,1} transpose(p), dimensions={1,0}
  ROOT out = (f32[8,16]{1,0}, f32[8,16]{1,0:S(5)}, f32[16,8]{0,1}) tuple(c, h, t)
})");
  ASSERT_EQ(moves.size(), 3u);
  EXPECT_EQ(moves[0].kind, LayoutMoveKind::Ownership);
  EXPECT_EQ(moves[0].text, "the result needs a buffer of its own: it would be the parameter %p");
  EXPECT_EQ(moves[1].kind, LayoutMoveKind::MemorySpace);
  EXPECT_EQ(moves[2].kind, LayoutMoveKind::SameBytes);
  EXPECT_FALSE(moves[2].costs());
  EXPECT_EQ(moves[2].bytes, 0);
}

}  // namespace
}  // namespace hilo
