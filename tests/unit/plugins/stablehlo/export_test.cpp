// HLO to StableHLO and back: the same results, and a fixed point of the text.
#include <gmock/gmock.h>

#include "core/workspace/open/convert.h"
#include "core/workspace/run/runs.h"
#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;

const char* const kModule = R"(HloModule t

cond { p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
body { p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[4] multiply(x, x)
  ROOT t = (s32[], f32[4]) tuple(j, y)
}
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
left { p = (f32[3]) parameter(0)
  ROOT x = f32[3] get-tuple-element(p), index=0
}
right { p = (f32[3]) parameter(0)
  x = f32[3] get-tuple-element(p), index=0
  ROOT n = f32[3] negate(x)
}
ENTRY main { a = f32[4] parameter(0)
  b = f32[4,3] parameter(1), sharding={devices=[2,1]<=[2]}
  z = s32[] constant(0)
  t = (s32[], f32[4]) tuple(z, a)
  w = (s32[], f32[4]) while(t), condition=cond, body=body
  x = f32[4] get-tuple-element(w), index=1
  d = f32[3] dot(x, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  k = f32[3] constant({1.5, -2.25, 0.1})
  e = f32[3] add(d, k), metadata={op_name="jit(f)/add" source_file="f.py" source_line=3}
  zero = f32[] constant(0)
  r = f32[] reduce(e, zero), dimensions={0}, to_apply=add
  p = pred[] compare(r, zero), direction=GT
  et = (f32[3]) tuple(e)
  g = f32[3] conditional(p, et, et), true_computation=left, false_computation=right
  c = c64[2] constant({(1, 2), (3, -4)})
  q = pred[3] constant({1, 0, 1})
  f = s4[3] constant({-8, 7, 1})
  ROOT o = (f32[3], f32[], c64[2], pred[3], s4[3]) tuple(g, r, c, q, f)
}
)";

Result<std::string> stablehloOf(const std::string& text) {
  TRY(const auto file, openBytes(text, "t"));
  return convertModule(*file, {.kind = OutputKind::StableHlo});
}

TEST(StablehloExport, ComputesTheSame) {
  const auto before = openBytes(kModule, "t.hlo");
  ASSERT_TRUE(before.has_value()) << toString(before.error());
  const auto text = stablehloOf(kModule);
  ASSERT_TRUE(text.has_value()) << toString(text.error());
  const auto after = openBytes(*text, "t.mlir");
  ASSERT_TRUE(after.has_value()) << toString(after.error());
  ArgumentSource arguments{.kind = ArgumentSource::Kind::Given};
  Literal a(Shape::array(ElementType::F32, {4})), b(Shape::array(ElementType::F32, {4, 3}));
  for (size_t n = 0; n < 4; ++n) a.mutableData<float>()[n] = 0.5f + 0.125f * static_cast<float>(n);
  for (size_t n = 0; n < 12; ++n) b.mutableData<float>()[n] = 0.25f * static_cast<float>(n) - 1;
  arguments.given = {a, b};
  const auto first = execute({.module = (*before)->module, .arguments = arguments}, JobContext());
  const auto second = execute({.module = (*after)->module, .arguments = arguments}, JobContext());
  ASSERT_TRUE(first.has_value()) << toString(first.error());
  ASSERT_TRUE(second.has_value()) << toString(second.error());
  EXPECT_EQ(first->outputDigest, second->outputDigest);
}

TEST(StablehloExport, ReachesAFixedPoint) {
  const auto once = stablehloOf(kModule);
  ASSERT_TRUE(once.has_value()) << toString(once.error());
  const auto twice = stablehloOf(*once);
  ASSERT_TRUE(twice.has_value()) << toString(twice.error());
  const auto thrice = stablehloOf(*twice);
  ASSERT_TRUE(thrice.has_value()) << toString(thrice.error());
  EXPECT_EQ(*twice, *thrice);
  EXPECT_THAT(*once, HasSubstr("mhlo.sharding = \"{devices=[2,1]<=[2]}\""));
  EXPECT_THAT(*once, HasSubstr("loc(\"jit(f)/add\"(\"f.py\":3:1))"));
}

TEST(StablehloExport, KeepsTheNumbersOfParameters) {
  const auto text = stablehloOf(
      "HloModule m\n\nENTRY main {\n  b = f32[3] parameter(1)\n  a = s32[2] parameter(0)\n"
      "  ROOT t = (s32[2], f32[3]) tuple(a, b)\n}\n");
  ASSERT_TRUE(text.has_value()) << toString(text.error());
  const auto after = openBytes(*text, "t.mlir");
  ASSERT_TRUE(after.has_value()) << toString(after.error());
  const auto parameters = (*after)->module->entry()->parameters();
  EXPECT_EQ(toString(parameters[0]->shape().withoutLayout()), "s32[2]");
  EXPECT_EQ(toString(parameters[1]->shape().withoutLayout()), "f32[3]");
}

TEST(StablehloExport, WritesGroupsAsLists) {
  const std::string before =
      "HloModule m, replica_count=4\n\nENTRY main {\n  a = f32[4] parameter(0)\n  ROOT g = ";
  const auto gather = stablehloOf(before +
                                  "f32[8] all-gather(a), replica_groups=[2,2]<=[2,2]T(1,0), "
                                  "dimensions={0}\n}\n");
  ASSERT_TRUE(gather.has_value()) << toString(gather.error());
  EXPECT_THAT(*gather, HasSubstr("replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>"));
  const auto exchange = stablehloOf(before +
                                    "f32[4] all-to-all(a), replica_groups={{0,1},{2,3}}, "
                                    "dimensions={0}\n}\n");
  ASSERT_TRUE(exchange.has_value()) << toString(exchange.error());
  EXPECT_THAT(*exchange,
              HasSubstr("split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64"));
  EXPECT_THAT(toString((*openBytes(*exchange, "t.mlir"))->module->entry()->root()->shape()),
              HasSubstr("f32[4]"));
}

TEST(StablehloExport, RefusesByName) {
  const auto refused = stablehloOf(
      "HloModule m\n\nf { p = f32[] parameter(0)\n  ROOT n = f32[] negate(p)\n}\n"
      "ENTRY main { p = f32[] parameter(0)\n  ROOT fusion.1 = f32[] fusion(p), kind=kLoop, calls=f\n}\n");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, "not-convertible");
  EXPECT_THAT(refused.error().message, HasSubstr("fusion.1: fusion has no counterpart in StableHLO"));
}

}  // namespace
}  // namespace hilo
