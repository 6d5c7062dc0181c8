#include "core/analysis/unstable_reduction.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"

namespace hilo {
namespace {

struct Case {
  const char* what;
  const char* type;
  const char* reducer;  // of x and y
  const char* operand;  // its dimensions
  const char* folded;
  bool unstable;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.what; }

class UnstableReduction : public testing::TestWithParam<Case> {};

TEST_P(UnstableReduction, IsToldByTypeReducerAndCount) {
  const Case& c = GetParam();
  const std::string text = fmt::format(R"(HloModule m

fold {{
  x = {0}[] parameter(0)
  y = {0}[] parameter(1)
  ROOT r = {0}[] {1}
}}

ENTRY main {{
  a = {0}[{2}] parameter(0)
  init = {0}[] parameter(1)
  ROOT red = {0}[8] reduce(a, init), dimensions={{{3}}}, to_apply=fold
}}
)",
                                       c.type, c.reducer, c.operand, c.folded);
  const auto module = parseModuleStrictly(text);
  ASSERT_TRUE(module) << toString(module.error());
  const auto found = unstableReductions(**module);
  ASSERT_EQ(found.size(), c.unstable ? 1u : 0u);
  if (c.unstable) EXPECT_EQ(found[0]->name(), "red");
}

INSTANTIATE_TEST_SUITE_P(
    Rules, UnstableReduction,
    testing::Values(Case{"sum of bf16", "bf16", "add(x, y)", "8,64", "1", true},
                    Case{"product of f16", "f16", "multiply(x, y)", "8,64", "1", true},
                    Case{"sum of f8", "f8e4m3fn", "add(x, y)", "8,64", "1", true},
                    Case{"maximum, either order", "bf16", "maximum(y, x)", "8,64", "1", false},
                    Case{"minimum", "f16", "minimum(x, y)", "8,64", "1", false},
                    Case{"one element each", "bf16", "add(x, y)", "8,1", "1", false},
                    Case{"one of the folded is longer", "bf16", "add(x, y)", "1,8,2", "0,2", true},
                    Case{"nothing folded", "bf16", "add(x, y)", "8", "", false},
                    Case{"sum of f32", "f32", "add(x, y)", "8,64", "1", false},
                    Case{"sum of s8", "s8", "add(x, y)", "8,64", "1", false}));

// What XLA leaves alone: several arrays at once, and other operations that fold.
TEST(UnstableReductions, OnlyAReduceOfOneArrayIsNamed) {
  const auto module = parseModuleStrictly(R"(HloModule m

add {
  x = bf16[] parameter(0)
  y = bf16[] parameter(1)
  ROOT r = bf16[] add(x, y)
}

both {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  c = bf16[] parameter(2)
  d = bf16[] parameter(3)
  s = bf16[] add(a, c)
  t = bf16[] add(b, d)
  ROOT r = (bf16[], bf16[]) tuple(s, t)
}

ENTRY main {
  p = bf16[8,64] parameter(0)
  zero = bf16[] constant(0)
  two = (bf16[8], bf16[8]) reduce(p, p, zero, zero), dimensions={1}, to_apply=both
  w = bf16[8,63] reduce-window(p, zero), window={size=1x2}, to_apply=add
  ROOT t = ((bf16[8], bf16[8]), bf16[8,63]) tuple(two, w)
}
)");
  ASSERT_TRUE(module) << toString(module.error());
  EXPECT_TRUE(unstableReductions(**module).empty());
}

}  // namespace
}  // namespace hilo
