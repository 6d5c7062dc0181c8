// Modules with open sizes, as the StableHLO plug-in makes them of shape-polymorphic programs.
#include "core/compiler/passes/canonicalize/refine_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/hlo/text/parse.h"
#include "core/hlo/verify/infer_shape.h"

namespace hilo {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Module> parsed(const std::string& text) {
  ParseOptions options;
  options.inferShape = [](const Instruction& instruction) { return inferShape(instruction); };
  ParseResult result = parseModule(std::make_shared<const std::string>("HloModule m\n\n" + text), options);
  EXPECT_TRUE(result.diagnostics.empty()) << toString(result.diagnostics.front());
  return std::move(result.module);
}

Result<std::unique_ptr<Module>> refined(const std::string& text, const std::string& arguments) {
  const auto module = parsed(text);
  const auto specs = parseArgumentSpecs(arguments, *module);
  if (!specs) return std::unexpected(specs.error());
  return refineShapes(*module, *specs);
}

std::string resultShape(const std::string& text, const std::string& arguments) {
  const auto module = refined(text, arguments);
  if (!module) return toString(module.error());
  return toString((*module)->entry()->root()->shape().withoutLayout());
}

std::string problem(const std::string& text, const std::string& arguments) {
  const auto module = refined(text, arguments);
  return module ? "no problem" : toString(module.error());
}

// x: f32[n,2] spread to f32[n,3,2], the sizes computed from x's own.
const std::string kSizes =
    "  n = s32[] get-dimension-size(x), dimensions={0}\n  n1 = s32[1] reshape(n)\n"
    "  rest = s32[2] constant({3, 2})\n  sizes = s32[3] concatenate(n1, rest), dimensions={0}\n";
const std::string kSpread =
    "  spread = f32[?,3,2] custom-call(x, sizes), custom_call_target=\"stablehlo.dynamic_broadcast_in_dim\", "
    "backend_config={\"broadcast_dimensions\":[0,2]}\n";
const std::string kBroadcast = "ENTRY e {\n  x = f32[?,2] parameter(0)\n" + kSizes + kSpread +
                               "  ROOT r = f32[?,3,2] negate(spread)\n}\n";

TEST(RefineShapes, FollowsSizesThroughTheirArithmetic) {
  EXPECT_TRUE(hasOpenShapes(*parsed(kBroadcast)));
  EXPECT_EQ(resultShape(kBroadcast, "f32[5,2]"), "f32[5,3,2]");
  const auto module = refined(kBroadcast, "f32[1,2]");
  ASSERT_TRUE(module.has_value()) << toString(module.error());
  EXPECT_FALSE(hasOpenShapes(**module));
  // What only said the size is gone: parameter, broadcast, negate.
  EXPECT_EQ((*module)->entry()->instructionCount(), 3u);
}

TEST(RefineShapes, TakesASizeThatIsAnArgument) {
  const std::string text =
      "ENTRY e {\n  n = s64[] parameter(0)\n  n1 = s64[1] reshape(n)\n"
      "  ROOT i = s32[?] custom-call(n1), custom_call_target=\"stablehlo.dynamic_iota\", "
      "backend_config={\"iota_dimension\":0}\n}\n";
  EXPECT_EQ(resultShape(text, "7"), "s32[7]");
  EXPECT_EQ(resultShape(text, "s64[]=7"), "s32[7]");
  EXPECT_THAT(problem(text, "_"), HasSubstr("shape-not-known: stablehlo.dynamic_iota takes sizes from n1"));
  EXPECT_THAT(problem(text, "-1"), HasSubstr("an impossible shape: -1"));
}

TEST(RefineShapes, RefusesArgumentsThatDoNotFit) {
  EXPECT_THAT(problem(kBroadcast, "f32[5,3]"), HasSubstr("argument 0 cannot be f32[5,3]"));
  EXPECT_THAT(problem(kBroadcast, "s32[5,2]"), HasSubstr("argument 0 cannot be s32[5,2]"));
  EXPECT_THAT(problem(kBroadcast, "f32[?,2]"), HasSubstr("argument 0 cannot be f32[?,2]"));
  EXPECT_THAT(problem(kBroadcast, "f32[5,2],_"),
              HasSubstr("2 argument shapes are given, the module takes 1"));
  EXPECT_THAT(problem(kBroadcast, "3"), HasSubstr("the value 3 is given for an argument of shape f32[?,2]"));
}

const std::string kTwice =
    "twice { p = f32[?] parameter(0)\n  ROOT s = f32[?] add(p, p)\n}\n\n"
    "ENTRY e {\n  a = f32[?] parameter(0)\n  b = f32[?] parameter(1)\n  ca = f32[?] call(a), to_apply=twice\n"
    "  cb = f32[?] call(b), to_apply=twice\n  ROOT r = (f32[?], f32[?]) tuple(ca, cb)\n}\n";

TEST(RefineShapes, CopiesAFunctionForEachShape) {
  EXPECT_EQ(resultShape(kTwice, "f32[2],f32[3]"), "(f32[2], f32[3])");
}

// A loop whose second value is a size that it hands on unchanged.
std::string loop(const std::string& next) {
  return "body { p = (f32[?], s32[]) parameter(0)\n  x = f32[?] get-tuple-element(p), index=0\n"
         "  n = s32[] get-tuple-element(p), index=1\n  n1 = s32[1] reshape(n)\n"
         "  i = f32[?] custom-call(n1), custom_call_target=\"stablehlo.dynamic_iota\", "
         "backend_config={\"iota_dimension\":0}\n  y = f32[?] add(x, i)\n" +
         next +
         "}\n\ncond { p = (f32[?], s32[]) parameter(0)\n  ROOT t = pred[] constant(false)\n}\n\n"
         "ENTRY e {\n  x = f32[?] parameter(0)\n  n = s32[] get-dimension-size(x), dimensions={0}\n"
         "  t = (f32[?], s32[]) tuple(x, n)\n  w = (f32[?], s32[]) while(t), condition=cond, body=body\n"
         "  ROOT r = f32[?] get-tuple-element(w), index=0\n}\n";
}

TEST(RefineShapes, KnowsWhatALoopHandsOn) {
  EXPECT_EQ(resultShape(loop("  ROOT r = (f32[?], s32[]) tuple(y, n)\n"), "f32[4]"), "f32[4]");
  EXPECT_THAT(problem(loop("  m = s32[] add(n, n)\n  ROOT r = (f32[?], s32[]) tuple(y, m)\n"), "f32[4]"),
              HasSubstr("shape-not-known"));
}

TEST(RefineShapes, SaysWhatTheProgramAsserts) {
  const std::string text =
      "ENTRY e {\n  x = f32[?] parameter(0)\n  n = s32[] get-dimension-size(x), dimensions={0}\n"
      "  two = s32[] constant(2)\n  rest = s32[] remainder(n, two)\n  zero = s32[] constant(0)\n"
      "  even = pred[] compare(rest, zero), direction=EQ\n"
      "  a = () custom-call(even, n), custom_call_target=\"shape_assertion\", "
      "custom_call_has_side_effect=true, backend_config=\"{0} is odd\"\n"
      "  ROOT r = f32[?] negate(x)\n}\n";
  EXPECT_EQ(resultShape(text, "f32[4]"), "f32[4]");
  EXPECT_THAT(problem(text, "f32[5]"), HasSubstr("shape-assertion: 5 is odd"));
}

TEST(RefineShapes, IsBoundedForCallsThatMultiply) {
  std::string text = "f0 { ROOT p = f32[?] parameter(0)\n}\n";
  for (int n = 1; n < 60; ++n) {
    const std::string before = "f" + std::to_string(n - 1);
    text += "f" + std::to_string(n) + " { p = f32[?] parameter(0)\n  a = f32[?] call(p), to_apply=" + before +
            "\n  ROOT b = f32[?] call(a), to_apply=" + before + "\n}\n";
  }
  text += "ENTRY e {\n  x = f32[?] parameter(0)\n  ROOT r = f32[?] call(x), to_apply=f59\n}\n";
  EXPECT_THAT(problem(text, "f32[2]"), HasSubstr("too-large"));
}

}  // namespace
}  // namespace hilo
