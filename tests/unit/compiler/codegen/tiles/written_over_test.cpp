// Values that a processor writes over those which they are made of: only where nothing asks for these again.
#include "core/analysis/tiling/tiling_space.h"
#include "tests/unit/compiler/codegen/tiles/tiled_runs.h"

namespace hilo {
namespace {

// Scores of `rows` by `keys`, their exponentials, what is made of these; ALL and ROWS stand for the sizes.
std::string scores(int64_t rows, int64_t keys, const std::string& result, const std::string& rest) {
  const std::string parameters =
      fmt::format("p = f32[{},16] parameter(0)\nq = f32[{},16] parameter(1)\n", rows, keys);
  std::string text = "f { " + parameters + R"(z = f32[] constant(0)
    s = f32[ALL] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={1}
    d = f32[ALL] negate(s)
    e = f32[ALL] exponential(d)
    n = f32[ROWS] reduce(e, z), dimensions={1}, to_apply=addf
    nb = f32[ALL] broadcast(n), dimensions={0}
    w = f32[ALL] divide(e, nb)
    )" + rest + " }\nENTRY e { " +
                     parameters + "ROOT tiled = " + result + " fusion(p, q), kind=kCustom, calls=f }";
  const auto put = [&](const std::string& word, const std::string& by) {
    for (size_t at; (at = text.find(word)) != text.npos;) text.replace(at, word.size(), by);
  };
  put("ALL", fmt::format("{},{}", rows, keys));
  put("ROWS", std::to_string(rows));
  return text;
}

std::string valuesOf(const std::string& left) {
  return "f32[ROWS,16] dot(" + left + ", q), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
}

std::string values(const std::string& steps, const std::string& left) {
  return scores(24, 40, "f32[ROWS,16]", steps + "ROOT r = " + valuesOf(left));
}

TEST(WrittenOver, ExponentialsAndWeights) {
  const auto text = values("", "w");
  expectTiled(text, {8, 16, 40, 16, 40});
  expectTiled(text, {7, 16, 40, 16, 40});
  expectTiled(text, {24, 16, 40, 4, 40});
  expectTiled(text, {8, 16, 16, 16, 40});
}

TEST(WrittenOver, NotWhatIsAskedForLater) {
  const std::vector<int64_t> sizes = {8, 16, 40, 16, 40};
  expectTiled(values("v = f32[ALL] add(w, s)\n", "v"), sizes);
  expectTiled(values("v = f32[ALL] add(w, d)\n", "v"), sizes);
  expectTiled(values(R"(m = f32[ROWS] reduce(s, z), dimensions={1}, to_apply=addf
    mb = f32[ALL] broadcast(m), dimensions={0}
    v = f32[ALL] add(w, mb)
    )",
                     "v"),
              {8, 16, 40, 16, 40, 40});
}

TEST(WrittenOver, NotResults) {
  for (const std::string other : {"s", "e", "w"}) {
    const auto module = moduleWithReducers(
        scores(24, 40, "(f32[ALL], f32[ROWS,16])",
               "r = " + valuesOf("w") + "\nROOT t = (f32[ALL], f32[ROWS,16]) tuple(" + other + ", r)"));
    ASSERT_TRUE(module);
    const auto space = tilingSpace(*module->entry()->root());
    ASSERT_TRUE(space);
    std::vector<int64_t> whole;
    for (const size_t v : space->tiled()) whole.push_back(space->variables[v].index.range.upper + 1);
    expectTiled(*module, whole);
  }
}

// Half a mebibyte of scores: of a stack's one there is no room for weights beside them.
TEST(WrittenOver, TakesNoRoomOfItsOwn) {
  const auto module = moduleWithReducers(scores(64, 2048, "f32[ROWS,16]", "ROOT r = " + valuesOf("w")));
  ASSERT_TRUE(module);
  const auto tiled = tiledModule(*module->entry()->root(), std::vector<int64_t>{64, 16, 2048, 16, 2048});
  ASSERT_TRUE(tiled) << toString(tiled.error());
  const std::string engines[] = {"cpu"};
  const auto runs = runTiled(*tiled, engines, {});
  ASSERT_TRUE(runs);
  ASSERT_TRUE(runs->at(0).comparison) << toString(runs->at(0).comparison.error());
  EXPECT_NE(runs->at(0).comparison->verdict, Verdict::Differs);
}

}  // namespace
}  // namespace hilo
