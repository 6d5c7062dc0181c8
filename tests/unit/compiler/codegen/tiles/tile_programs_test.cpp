// Tile programs of every operation: what a processor and the simulated GPU give is what the reference gives,
// with tiles that fit and tiles that reach past the end.
#include "tests/unit/compiler/codegen/tiles/tiled_runs.h"

namespace hilo {
namespace {

// Instructions of a fusion of up to two parameters, whose shapes are those of p and q.
std::string fusionOf(const std::string& result, const std::string& steps, const std::string& p,
                     const std::string& q = "") {
  const std::string second = q.empty() ? "" : "q = " + q + " parameter(1)\n";
  return "f { p = " + p + " parameter(0)\n" + second + steps + " }\nENTRY e { p = " + p + " parameter(0)\n" +
         second + "ROOT tiled = " + result + " fusion(p" + (q.empty() ? "" : ", q") +
         "), kind=kCustom, calls=f }";
}

TEST(TilePrograms, Elementwise) {
  const auto text = fusionOf("f32[37,50]", R"(e = f32[37,50] exponential(p)
    c = pred[37,50] compare(e, q), direction=GT
    s = f32[37,50] select(c, e, q)
    ROOT r = f32[37,50] subtract(s, p))",
                             "f32[37,50]", "f32[37,50]");
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{8, 16}, {1, 50}, {37, 50}, {5, 7}})
    expectTiled(text, sizes);
}

TEST(TilePrograms, NarrowAndUnsignedTypes) {
  expectTiled(fusionOf("bf16[20,33]", R"(n = bf16[20,33] convert(q)
    a = bf16[20,33] add(p, n)
    ROOT r = bf16[20,33] multiply(a, a))",
                       "bf16[20,33]", "s4[20,33]"),
              {8, 16});
  expectTiled(fusionOf("u8[100]", R"(d = u8[100] divide(p, q)
    m = u8[100] maximum(d, p)
    ROOT r = u8[100] shift-right-logical(m, q))",
                       "u8[100]", "u8[100]"),
              {32});
  expectTiled(fusionOf("c64[9,9]", "ROOT r = c64[9,9] multiply(p, q)", "c64[9,9]", "c64[9,9]"), {4, 4});
}

TEST(TilePrograms, WhatMovesElements) {
  expectTiled(fusionOf("f32[24,35]", R"(t = f32[24,35] transpose(p), dimensions={1,0}
    i = f32[24,35] iota(), iota_dimension=1
    ROOT r = f32[24,35] add(t, i))",
                       "f32[35,24]"),
              {8, 16});
  expectTiled(fusionOf("f32[6,40]", R"(s = f32[6,20] slice(p), slice={[1:7], [2:42:2]}
    v = f32[6,20] reverse(s), dimensions={1}
    z = f32[] constant(2)
    ROOT r = f32[6,40] pad(v, z), padding=0_0x15_5)",
                       "f32[9,50]"),
              {4, 16});
  expectTiled(fusionOf("f32[4,48]", R"(a = f32[4,32] abs(p)
    ROOT r = f32[4,48] concatenate(a, q), dimensions={1})",
                       "f32[4,32]", "f32[4,16]"),
              {2, 16});
  expectTiled(fusionOf("f32[8,8]", R"(z = s32[] constant(0)
    d = f32[8,8] dynamic-slice(p, q, z), dynamic_slice_sizes={8,8}
    ROOT r = f32[8,8] negate(d))",
                       "f32[20,30]", "s32[]"),
              {4, 8});
  expectTiled(fusionOf("f32[20,30]", R"(z = s32[] constant(3)
    b = f32[] constant(7)
    w = f32[4,5] broadcast(b), dimensions={}
    ROOT r = f32[20,30] dynamic-update-slice(p, w, q, z))",
                       "f32[20,30]", "s32[]"),
              {8, 8});
}

TEST(TilePrograms, Reshapes) {
  const auto split = fusionOf("f32[6,4,10]", R"(a = f32[24,10] abs(p)
    ROOT r = f32[6,4,10] reshape(a))",
                              "f32[24,10]");
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{1, 4, 5}, {2, 4, 10}, {1, 2, 3}})
    expectTiled(split, sizes);
  expectTiled(fusionOf("f32[240]", "ROOT r = f32[240] reshape(p)", "f32[24,10]"), {40});
  expectTiled(fusionOf("f32[10,24]{0,1}", "ROOT r = f32[10,24]{0,1} bitcast(p)", "f32[24,10]"), {5, 8});
}

TEST(TilePrograms, OfAReshapeThatIsPadded) {
  expectTiled(fusionOf("f32[2,6]", R"(a = f32[2,4] reshape(p)
    z = f32[] constant(3)
    ROOT r = f32[2,6] pad(a, z), padding=0_0x1_1)",
                       "f32[8]"),
              {1, 6});
}

// Each fold, along each dimension, whole and in steps that do not divide it.
TEST(TilePrograms, Reductions) {
  for (const char* over : {"0", "1"}) {
    const std::string kept = *over == '0' ? "70" : "45";
    for (const int64_t step : {8, 70}) {
      for (const char* combine : {"addf", "maxf"}) {
        const auto text =
            "maxf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b) }\n" +
            fusionOf("f32[" + kept + "]",
                     std::string("n = f32[45,70] negate(p)\n z = f32[] constant(0.5)\n ROOT r = f32[") +
                         kept + "] reduce(n, z), dimensions={" + over + "}, to_apply=" + combine,
                     "f32[45,70]");
        expectTiled(text, {16, step});
      }
    }
  }
  expectTiled(
      fusionOf("s32[]", "z = s32[] constant(3)\n ROOT r = s32[] reduce(p, z), dimensions={0,1}, to_apply=add",
               "s32[33,100]"),
      {8, 32});
}

TEST(TilePrograms, ReductionsOfSeveralArrays) {
  expectTiled(R"(larger { a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  g = pred[] compare(a, b), direction=GE
  m = f32[] select(g, a, b)
  n = s32[] select(g, i, j)
  ROOT t = (f32[], s32[]) tuple(m, n) }
f { p = f32[12,30] parameter(0)
  i = s32[12,30] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  z = s32[] constant(0)
  ROOT r = (f32[12], s32[12]) reduce(p, i, low, z), dimensions={1}, to_apply=larger }
ENTRY e { p = f32[12,30] parameter(0)
  ROOT tiled = (f32[12], s32[12]) fusion(p), kind=kCustom, calls=f })",
              {4, 8});
}

std::string softmax(const std::string& rows, const std::string& columns) {
  const std::string all = "f32[" + rows + "," + columns + "]", one = "f32[" + rows + "]";
  return "maxf { a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = f32[] maximum(a, b) }\n" +
         fusionOf(all,
                  "low = f32[] constant(-inf)\n z = f32[] constant(0)\n m = " + one +
                      " reduce(p, low), dimensions={1}, to_apply=maxf\n mb = " + all +
                      " broadcast(m), dimensions={0}\n d = " + all + " subtract(p, mb)\n e = " + all +
                      " exponential(d)\n s = " + one +
                      " reduce(e, z), dimensions={1}, to_apply=addf\n sb = " + all +
                      " broadcast(s), dimensions={0}\n ROOT r = " + all + " divide(e, sb)",
                  all);
}

TEST(TilePrograms, Softmax) {
  expectTiled(softmax("9", "200"), {1, 200, 200, 200});
  expectTiled(softmax("9", "200"), {4, 200, 200, 200});
  expectTiled(softmax("9", "200"), {4, 64, 64, 32});
  expectTiled(softmax("3", "1111"), {1, 1111, 1111, 1111});
}

// Rows that are folded side by side in memory: read where they lie, computed once and kept for what comes
// after, of types and lengths that vectors do not fit, past the end of the array.
TEST(TilePrograms, Rows) {
  for (const char* type : {"f32", "bf16", "f64", "s32", "s8"}) {
    for (const std::string length : {"64", "200", "601"}) {
      SCOPED_TRACE(type);
      const std::string rows = fmt::format("{}[7,{}]", type, length), row = fmt::format("{}[7]", type);
      const auto text = fmt::format(R"(plus {{ a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] add(a, b) }}
big {{ a = {0}[] parameter(0)
  b = {0}[] parameter(1)
  ROOT r = {0}[] maximum(a, b) }}
f {{ p = {1} parameter(0)
  z = {0}[] constant(1)
  m = {2} reduce(p, z), dimensions={{1}}, to_apply=big
  mb = {1} broadcast(m), dimensions={{0}}
  d = {1} subtract(p, mb)
  a = {1} abs(d)
  s = {2} reduce(a, z), dimensions={{1}}, to_apply=plus
  sb = {1} broadcast(s), dimensions={{0}}
  t = {1} add(a, sb)
  ROOT r = {1} maximum(t, d) }}
ENTRY e {{ p = {1} parameter(0)
  ROOT g = {1} fusion(p), kind=kCustom, calls=f }})",
                                    type, rows, row);
      const int64_t whole = std::stoll(length);
      expectTiled(text, {4, whole, whole, whole});
      expectTiled(text, {1, whole, whole, whole});
      expectTiled(text, {8, 16, whole, whole});
    }
  }
}

std::string dotOf(const std::string& type, const std::string& result, int64_t m, int64_t n, int64_t k) {
  const auto shape = [&](int64_t a, int64_t b) { return fmt::format("{}[{},{}]", type, a, b); };
  return fusionOf(
      fmt::format("{}[{},{}]", result, m, n),
      fmt::format(R"(d = {0}[{1},{2}] dot(p, q), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}
    two = {0}[] constant(2)
    b = {0}[{1},{2}] broadcast(two), dimensions={{}}
    ROOT r = {0}[{1},{2}] add(d, b))",
                  result, m, n),
      shape(m, k), shape(k, n));
}

TEST(TilePrograms, Dots) {
  for (const auto& [type, result] : {std::pair{"f32", "f32"},
                                     {"bf16", "f32"},
                                     {"f16", "f16"},
                                     {"f64", "f64"},
                                     {"s8", "s32"},
                                     {"f8e4m3fn", "f32"},
                                     {"s32", "s32"}}) {
    SCOPED_TRACE(type);
    expectTiled(dotOf(type, result, 64, 64, 64), {32, 32, 32});
    expectTiled(dotOf(type, result, 50, 70, 90), {16, 32, 32});
    expectTiled(dotOf(type, result, 20, 20, 20), {20, 20, 20});
  }
  expectTiled(dotOf("bf16", "bf16", 128, 128, 64), {128, 128, 64});
  expectTiled(dotOf("bf16", "f32", 100, 90, 130), {64, 64, 64});
  // Without tensor cores, steps of more than are brought at a time.
  expectTiled(dotOf("f32", "f32", 20, 20, 90), {16, 16, 45});
  expectTiled(dotOf("f64", "f64", 20, 20, 90), {20, 20, 90});
}

// A side's own place says which scale it has, not where it was cut out of.
TEST(TilePrograms, ScaledDots) {
  const std::string from = R"(p = f8e4m3fn[24,72] parameter(0)
    q = f8e4m3fn[64,16] parameter(1)
    x = f8e8m0fnu[20,2] parameter(2)
    y = f8e8m0fnu[2,16] parameter(3)
)";
  const auto text = "f { " + from + R"(cut = f8e4m3fn[20,64] slice(p), slice={[4:24], [5:69]}
    ROOT r = f32[20,16] scaled-dot(cut, q, x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
  ENTRY e { )" + from +
                    "ROOT tiled = f32[20,16] fusion(p, q, x, y), kind=kCustom, calls=f }";
  for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{4, 16, 64}, {8, 8, 32}, {20, 16, 16}})
    expectTiled(text, sizes);
}

TEST(TilePrograms, DotsOfManyDimensions) {
  expectTiled(fusionOf("f32[3,5,20,18]", R"(a = f32[3,5,20,7,6] exponential(p)
    d = f32[3,5,20,18] dot(a, q), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={3,4}, rhs_contracting_dims={2,3}
    ROOT r = f32[3,5,20,18] tanh(d))",
                       "f32[3,5,20,7,6]", "f32[18,3,7,6]"),
              {2, 2, 8, 16, 4, 6});
}

// The result of a dot goes into another, with a fold between: what has to lie where all threads see it.
TEST(TilePrograms, Attention) {
  expectTiled(fusionOf("f32[24,16]", R"(k = f32[32,16] negate(q)
    s = f32[24,32] dot(p, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
    e = f32[24,32] exponential(s)
    z = f32[] constant(0)
    n = f32[24] reduce(e, z), dimensions={1}, to_apply=addf
    nb = f32[24,32] broadcast(n), dimensions={0}
    w = f32[24,32] divide(e, nb)
    ROOT r = f32[24,16] dot(w, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
                       "f32[24,16]", "f32[32,16]"),
              {8, 16, 16, 16, 16});
}

// A right side that is the same for all tiles: turned or not, with and without a batch, of columns that do
// not fill vectors.
TEST(TilePrograms, RightSidesThatAllTilesHave) {
  const auto scores = [](const std::string& batch, const std::string& b) {
    return fusionOf("f32[" + b + "24,43]", "ROOT d = f32[" + b + "24,43] dot(p, q), " + batch,
                    "f32[" + b + "24,21]", "f32[" + b + "43,21]");
  };
  expectTiled(scores("lhs_contracting_dims={1}, rhs_contracting_dims={1}", ""), {8, 43, 21});
  const std::string batch =
      "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}";
  expectTiled(scores(batch, "3,"), {3, 8, 43, 21});
  expectTiled(scores(batch, "3,"), {1, 8, 43, 21});
  const std::string values =
      "ROOT d = f32[24,43] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
  expectTiled(fusionOf("f32[24,43]", values, "f32[24,520]", "f32[520,43]"), {8, 43, 520});
}

TEST(TilePrograms, SeveralResults) {
  expectTiled(fusionOf("(f32[40], f32[40,24])", R"(z = f32[] constant(0)
    a = f32[40,24] abs(p)
    m = f32[40] reduce(a, z), dimensions={1}, to_apply=addf
    ROOT t = (f32[40], f32[40,24]) tuple(m, a))",
                       "f32[40,24]"),
              {16, 24, 8, 8});
}

// A tuple inside of the fusion is no result of several arrays.
TEST(TilePrograms, ElementsOfTuples) {
  expectTiled(fusionOf("(f32[40,24], f32[40])", R"(z = f32[] constant(0)
    a = f32[40,24] abs(p)
    m = f32[40] reduce(a, z), dimensions={1}, to_apply=addf
    i = (f32[40,24], f32[40]) tuple(a, m)
    e = f32[40] get-tuple-element(i), index=1
    ROOT t = (f32[40,24], f32[40]) tuple(a, e))",
                       "f32[40,24]"),
              {8, 24, 16, 8});
}

TEST(TilePrograms, IllegalSizesAreRefusedWithTheReason) {
  const auto module = moduleWithReducers(fusionOf("f32[240]", "ROOT r = f32[240] reshape(p)", "f32[24,10]"));
  const auto tiled = tiledModule(*module->entry()->root(), std::vector<int64_t>{7});
  ASSERT_FALSE(tiled);
  EXPECT_EQ(tiled.error().kind, "illegal-tiling");
  EXPECT_NE(tiled.error().message.find("has to divide 10"), std::string::npos) << tiled.error().message;
}

// Whether sizes are legal is the emitter's question too.
TEST(TilePrograms, ReadsOneIndexForATile) {
  const auto text =
      fusionOf("f32[6,8]", R"(ROOT r = f32[6,8] gather(p, q), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,8})",
               "f32[20,8]", "s32[6]");
  expectTiled(text, {1, 4});
  const auto module = moduleWithReducers(text);
  const auto tiled = tiledModule(*module->entry()->root(), std::vector<int64_t>{2, 4});
  ASSERT_FALSE(tiled);
  EXPECT_NE(tiled.error().message.find("an index is read for each d0: its tile has to be 1"),
            std::string::npos)
      << tiled.error().message;
}

TEST(TilePrograms, FusionsInFusions) {
  expectTiled(R"(inner { a = f32[20,30] parameter(0)
  z = f32[] constant(0)
  s = f32[20] reduce(a, z), dimensions={1}, to_apply=addf
  n = f32[20,30] negate(a)
  ROOT t = (f32[20], f32[20,30]) tuple(s, n) }
f { p = f32[30,20] parameter(0)
  x = f32[20,30] transpose(p), dimensions={1,0}
  i = (f32[20], f32[20,30]) fusion(x), kind=kLoop, calls=inner
  s = f32[20] get-tuple-element(i), index=0
  n = f32[20,30] get-tuple-element(i), index=1
  b = f32[20,30] broadcast(s), dimensions={0}
  ROOT r = f32[20,30] multiply(b, n) }
ENTRY e { p = f32[30,20] parameter(0)
  ROOT tiled = f32[20,30] fusion(p), kind=kCustom, calls=f })",
              {8, 16, 30});
}

// A tile that no block has room for is an error that says how much there is.
TEST(TilePrograms, WhatIsTooLargeSaysSo) {
  const auto module = moduleWithReducers(dotOf("f32", "f32", 256, 256, 256));
  const auto tiled = tiledModule(*module->entry()->root(), std::vector<int64_t>{256, 256, 256});
  ASSERT_TRUE(tiled);
  const auto ptx = tiledPtx(*tiled, "sm_90");
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().kind, "too-much-shared-memory") << toString(ptx.error());
}

}  // namespace
}  // namespace hilo
