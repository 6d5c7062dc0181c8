#include <absl/strings/str_replace.h>

#include "core/hlo/expand/library_calls.h"
#include "core/hlo/verify/verify.h"
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

TEST(LibraryCalls, KnowsItsTargets) {
  EXPECT_TRUE(isLibraryCall("__cublas$gemm"));
  EXPECT_FALSE(isIdentityTarget("__cublas$gemm"));
  EXPECT_TRUE(isIdentityTarget("MoveToHost"));
  EXPECT_FALSE(isLibraryCall("mystery"));
}

TEST(LibraryCalls, AnnotationsGiveTheirOperandBack) {
  expectEval(
      "a = f32[2,2]{1,0} parameter(0)\nROOT c = f32[2,2]{0,1} custom-call(a), "
      "custom_call_target=\"LayoutConstraint\"",
      {"f32[2,2] {{1,2},{3,4}}"}, {"f32[2,2] {{1,2},{3,4}}"});
  EXPECT_EQ(errorKind("a = f32[4] parameter(0)\nROOT c = f32[2] custom-call(a), "
                      "custom_call_target=\"SPMDFullToShardShape\"",
                      {"f32[4] {1,2,3,4}"}),
            "unsupported-opcode");
}

TEST(LibraryCalls, BuffersStartAsZeros) {
  expectEval("ROOT c = f32[2] custom-call(), custom_call_target=\"AllocateBuffer\"", {}, {"f32[2] {0,0}"});
}

// Three of five rows are real; behind them stands what was there.
TEST(LibraryCalls, BetweenSizesAndBounds) {
  const std::string sliced =
      "a = s32[5] parameter(0)\nn = s32[] parameter(1)\nd = s32[<=5] custom-call(a, n), "
      "custom_call_target=\"SliceToDynamic\"\n";
  expectEval("f { x = s32[] parameter(0)\n y = s32[] parameter(1)\n ROOT r = s32[] add(x, y) }\nENTRY e {\n" +
                 sliced +
                 "zero = s32[] constant(0)\nROOT r = s32[] reduce(d, zero), dimensions={0}, to_apply=f }",
             {"s32[5] {1,2,4,8,16}", "s32[] 3"}, {"s32[] 7"});
  expectEval(sliced + "ROOT p = (s32[5], s32[]) custom-call(d), custom_call_target=\"PadToStatic\"",
             {"s32[5] {1,2,4,8,16}", "s32[] 3"}, {"s32[5] {1,2,4,8,16}", "s32[] 3"});
}

TEST(LibraryCalls, RefusesUnknownTargetsByName) {
  const auto result = evalText(
      "a = f32[] parameter(0)\nROOT c = f32[] custom-call(a), custom_call_target=\"mystery\"", {"f32[] 1"});
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, "unsupported-opcode");
  EXPECT_EQ(result.error().message, "custom-call target \"mystery\" has no meaning known here");
  EXPECT_EQ(result.error().place.instruction, "c");
}

// A hostile configuration is an error, not an exception.
TEST(LibraryCalls, RefusesMalformedConfigurations) {
  for (const char* config :
       {"{\"gemm_backend_config\":3}", "{\"gemm_backend_config\":{\"dot_dimension_numbers\":[]}}",
        "{\"gemm_backend_config\":{\"alpha_real\":\"x\",\"dot_dimension_numbers\":"
        "{\"lhs_contracting_dimensions\":[\"9\"],\"rhs_contracting_dimensions\":[{}]}}}",
        "{nonsense"}) {
    const std::string text = fmt::format(
        "a = f32[2,2] parameter(0)\nROOT c = f32[2,2] custom-call(a, a), "
        "custom_call_target=\"__cublas$gemm\", "
        "backend_config=\"{}\"",
        absl::StrReplaceAll(config, {{"\"", "\\\""}}));
    EXPECT_EQ(errorKind(text, {"f32[2,2] {{1,2},{3,4}}"}), "malformed-instruction") << config;
  }
}

}  // namespace
}  // namespace hilo
