#include "core/hlo/eval/arguments.h"

#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

GeneratedArguments made(const std::string& body, uint64_t seed = 1) {
  auto module =
      parseModuleStrictly("HloModule m\n" + (body.contains("ENTRY") ? body : "ENTRY e {\n" + body + "\n}\n"));
  if (!module) {
    ADD_FAILURE() << toString(module.error());
    return {};
  }
  auto arguments = makeArguments(**module, seed);
  if (!arguments) ADD_FAILURE() << toString(arguments.error());
  return arguments.value_or(GeneratedArguments{});
}

void expectWithin(const Literal& literal, double low, double high) {
  for (const double value : valuesOf(literal)) EXPECT_TRUE(value >= low && value <= high) << value;
}

TEST(Arguments, SameSeedSameValues) {
  const std::string body = "p = f32[100] parameter(0)\nROOT r = f32[100] negate(p)";
  EXPECT_TRUE(made(body).arguments[0] == made(body).arguments[0]);
  EXPECT_FALSE(made(body).arguments[0] == made(body, 2).arguments[0]);
  expectWithin(made(body).arguments[0], -6, 6);
}

// Indices stay in range through a conversion, a tuple and a fusion.
TEST(Arguments, IndicesAreInRangeWhereTheyAreUsed) {
  const auto arguments = made(R"(
f { x = (u8[50,1], f32[10,4]) parameter(0)
  i = u8[50,1] get-tuple-element(x), index=0
  t = f32[10,4] get-tuple-element(x), index=1
  c = s32[50,1] convert(i)
  ROOT g = f32[50,4] gather(t, c), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4} }
ENTRY e {
  i = u8[50,1] parameter(0)
  t = f32[10,4] parameter(1)
  x = (u8[50,1], f32[10,4]) tuple(i, t)
  ROOT r = f32[50,4] fusion(x), kind=kLoop, calls=f
})")
                             .arguments;
  expectWithin(arguments[0], 0, 9);
  const auto values = valuesOf(arguments[0]);
  EXPECT_GT(*std::ranges::max_element(values), 5);  // and the range is used
}

TEST(Arguments, StartsShiftsAndBranches) {
  const auto arguments = made(R"(
    p = f32[10] parameter(0)
    i = s32[] parameter(1)
    d = f32[9] dynamic-slice(p, i), dynamic_slice_sizes={9}
    s = s8[40] parameter(2)
    a = s8[40] parameter(3)
    h = s8[40] shift-left(a, s)
    ROOT r = (f32[9], s8[40]) tuple(d, h))")
                             .arguments;
  expectWithin(arguments[1], 0, 1);
  expectWithin(arguments[2], 0, 7);
}

TEST(Arguments, PositiveUnderALogarithm) {
  expectWithin(made("p = f32[2,100] parameter(0)\nt = f32[100,2] transpose(p), dimensions={1,0}\nROOT r = "
                    "f32[100,2] log(t)")
                   .arguments[0],
               0.5, 1.5);
}

TEST(Arguments, VariancesArePositive) {
  const auto arguments = made(R"(
    x = f32[8,64] parameter(0)
    variance = f32[64] parameter(1)
    epsilon = f32[] constant(1e-5)
    epsilons = f32[64] broadcast(epsilon), dimensions={}
    safe = f32[64] add(variance, epsilons)
    inverse = f32[64] rsqrt(safe)
    inverses = f32[8,64] broadcast(inverse), dimensions={1}
    ROOT y = f32[8,64] multiply(x, inverses))")
                             .arguments;
  expectWithin(arguments[1], 0.5, 1.5);
  EXPECT_LT(std::ranges::min(valuesOf(arguments[0])), 0);
}

// The mean of squares that Adam keeps is a mean of squares; gradients have both signs.
TEST(Arguments, MeansOfSquaresArePositive) {
  const auto arguments = made(R"(
    squares = f32[64] parameter(0)
    gradient = f32[64] parameter(1)
    correction = f32[64] parameter(2)
    b = f32[] constant(0.999)
    bs = f32[64] broadcast(b), dimensions={}
    c = f32[] constant(0.001)
    cs = f32[64] broadcast(c), dimensions={}
    kept = f32[64] multiply(bs, squares)
    square = f32[64] multiply(gradient, gradient)
    new = f32[64] multiply(square, cs)
    next = f32[64] add(kept, new)
    corrected = f32[64] divide(next, correction)
    ROOT r = f32[64] sqrt(corrected))")
                             .arguments;
  expectWithin(arguments[0], 0.5, 1.5);
  EXPECT_LT(std::ranges::min(valuesOf(arguments[1])), 0);
}

// A difference may be of numbers of both signs.
TEST(Arguments, DifferencesAskForNoSign) {
  const auto arguments = made(R"(
    p = f32[64] parameter(0)
    q = f32[64] parameter(1)
    d = f32[64] subtract(p, q)
    ROOT r = f32[64] sqrt(d))")
                             .arguments;
  EXPECT_LT(std::ranges::min(valuesOf(arguments[0])), 0);
}

TEST(Arguments, TuplesAndTypesOfEveryKind) {
  const auto arguments = made(
                             "p = (pred[9], (c64[2], u4[8]), token[]) parameter(0)\nROOT r = pred[9] "
                             "get-tuple-element(p), index=0")
                             .arguments;
  ASSERT_EQ(arguments.size(), 1u);
  ASSERT_EQ(arguments[0].elements().size(), 3u);
  expectWithin(arguments[0].elements()[0], 0, 1);
  expectWithin(arguments[0].elements()[1].elements()[1], 0, 7);
}

// What is known of an elided constant's sign is nothing, also where it has one element.
TEST(Arguments, AnElidedElementTellsNothing) {
  const auto arguments =
      made(
          "p = f32[1] parameter(0)\nc = f32[1] constant({...})\nd = f32[1] multiply(p, c)\n"
          "s = f32[1] add(p, c)\ne = f32[1] divide(d, s)\nROOT r = f32[1] sqrt(e)")
          .arguments;
  ASSERT_EQ(arguments.size(), 1u);
}

TEST(Arguments, ElidedConstantsAreFilledAndNamed) {
  auto module =
      parseModuleStrictly("HloModule m\nENTRY e {\nc = f32[3] constant({...})\nROOT r = f32[3] sqrt(c)\n}\n");
  ASSERT_TRUE(module.has_value());
  const auto arguments = makeArguments(**module, 7);
  ASSERT_TRUE(arguments.has_value());
  EXPECT_EQ(arguments->notes, (std::vector<std::string>{"c was elided: filled from seed 7"}));
  EvalOptions options;
  options.constants = &arguments->constants;
  const auto result = evaluate(**module, arguments->arguments, options);
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  expectWithin(*result, 0.7, 1.3);
}

// What passes do to a constant between two stages: another name and place, sizes of 1, a conversion.
TEST(Arguments, AnElidedConstantHasTheSameValuesInEveryStage) {
  const auto stage = [](std::string_view constant) {
    auto module = parseModuleStrictly(
        fmt::format("HloModule m\nENTRY e {{\np = f32[] parameter(0)\n{}\n}}\n", constant));
    EXPECT_TRUE(module.has_value());
    auto filled = fillElidedConstants(**module, 7);
    EXPECT_TRUE(filled.has_value());
    const Literal& literal = filled->constants.begin()->second;
    EXPECT_EQ(literal.shape(), (*module)->entry()->root()->shape().withoutLayout());
    return valuesOf(literal);
  };
  const auto before = stage("ROOT c.1 = s32[1,12,1] constant({...})");
  EXPECT_EQ(stage("ROOT constant_9_0 = s32[12]{0} constant({...})"), before);
  EXPECT_EQ(stage("q = f32[] negate(p)\nROOT c = s64[12,1]{0,1} constant({...})"), before);
  EXPECT_NE(stage("ROOT c = s32[4,3] constant({...})"), before);
  EXPECT_EQ(stage("ROOT c = f64[4,3] constant({...})"), stage("ROOT c = f64[4,1,3] constant({...})"));
}

TEST(Arguments, ProgressIsToldAndCancellingEndsIt) {
  auto module = parseModuleStrictly(
      "HloModule m\nENTRY e {\np = f32[500000] parameter(0)\nq = f32[500000] parameter(1)\n"
      "ROOT r = f32[500000] add(p, q)\n}\n");
  ASSERT_TRUE(module.has_value());
  std::vector<double> told;
  MakingOptions options{.progress = [&](double fraction) { told.push_back(fraction); }};
  ASSERT_TRUE(makeArguments(**module, 1, options).has_value());
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GE(told.back(), 0.5);
  EXPECT_LE(told.back(), 1);
  options.progress = [&](double) { options.cancel.cancel(); };
  EXPECT_EQ(makeArguments(**module, 1, options).error().kind, "cancelled");
}

TEST(Arguments, AHostileShapeIsRefused) {
  auto module =
      parseModuleStrictly("HloModule m\nENTRY e {\nROOT p = f32[9223372036854775807,2] parameter(0)\n}\n");
  ASSERT_TRUE(module.has_value());
  EXPECT_EQ(makeArguments(**module, 1).error().kind, "literal-too-large");
}

}  // namespace
}  // namespace hilo
