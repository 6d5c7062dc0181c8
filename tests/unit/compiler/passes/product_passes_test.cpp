// Passes that bring products, and sorts of a few elements, into the form that kernels of a GPU take: each
// changes its module, and the reference evaluator gives the same numbers before and after.
#include <gtest/gtest.h>

#include "core/compiler/pass/pass_runner.h"
#include "core/compiler/passes/table/pass_list.h"
#include "core/hlo/eval/arguments.h"
#include "core/hlo/eval/evaluate.h"
#include "core/hlo/text/print.h"
#include "tests/support/module_fuzzer/fuzz_devices.h"
#include "tests/support/module_text.h"

namespace hilo {
namespace {

struct ProductCase {
  const char *name, *passes, *body, *gains, *loses;
};

class ProductPasses : public testing::TestWithParam<ProductCase> {};

TEST_P(ProductPasses, ChangeTheModuleAndNoNumber) {
  const auto module = moduleWithReducers(GetParam().body);
  const auto passes = parsePassList(GetParam().passes);
  ASSERT_TRUE(passes.has_value()) << toString(passes.error());
  const PassRun run = runPasses(module, *passes, {});
  ASSERT_TRUE(run.completed()) << toString(run.steps.back().problems.at(0));
  const std::string after = printModule(*run.output());
  EXPECT_TRUE(after.contains(GetParam().gains)) << after;
  EXPECT_FALSE(after.contains(GetParam().loses)) << after;
  const auto arguments = makeArguments(*module, 7);
  ASSERT_TRUE(arguments.has_value());
  const auto expected = evaluate(*module, arguments->arguments),
             actual = evaluate(*run.output(), arguments->arguments);
  ASSERT_TRUE(expected.has_value() && actual.has_value())
      << after << (actual ? "" : toString(actual.error()));
  EXPECT_EQ(fuzz::difference(*actual, *expected, {}), "") << after;
}

constexpr const char* kConvolution = "convolution-as-dot,call-inliner,dce";
constexpr const char* kTopK = "topk-decomposer,call-inliner,dce";

constexpr ProductCase kCases[] = {
    {"ConvolutionWithTheFeatureLast", kConvolution, R"(x = f32[2,9,8,4] parameter(0)
      k = f32[3,2,4,16] parameter(1)
      ROOT c = f32[2,5,4,16] convolution(x, k), window={size=3x2 stride=2x2 pad=1_1x1_0}, dim_labels=b01f_01io->b01f)",
     " dot(", " convolution("},
    {"ConvolutionWithTheFeatureBeforePlaces", kConvolution, R"(x = f32[2,4,9,8] parameter(0)
      k = f32[16,4,3,2] parameter(1)
      ROOT c = f32[2,16,7,8] convolution(x, k), window={size=3x2 pad=0_0x1_0}, dim_labels=bf01_oi01->bf01)",
     " dot(", " convolution("},
    {"ConvolutionInGroups", kConvolution, R"(x = f32[2,7,8,6] parameter(0)
      k = f32[3,2,3,32] parameter(1)
      ROOT c = f32[2,5,8,32] convolution(x, k), window={size=3x2 pad=0_0x1_0}, dim_labels=b01f_01io->b01f,
        feature_group_count=2)",
     " dot(", " convolution("},
    {"ConvolutionInGroupsBeforePlaces", kConvolution, R"(x = s8[2,12,9,8] parameter(0)
      k = s8[48,4,3,2] parameter(1)
      ROOT c = s8[2,48,7,7] convolution(x, k), window={size=3x2}, dim_labels=bf01_oi01->bf01,
        feature_group_count=3)",
     " dot(", " convolution("},
    {"ConvolutionWithTheBatchLast", kConvolution, R"(x = f32[4,9,2] parameter(0)
      k = f32[5,4,16] parameter(1)
      ROOT c = f32[16,10,2] convolution(x, k), window={size=5 pad=3_2}, dim_labels=f0b_0io->f0b)",
     " dot(", " convolution("},
    {"ConvolutionTurnedAndSpread", kConvolution, R"(x = f32[2,6,5,4] parameter(0)
      k = f32[3,2,4,16] parameter(1)
      ROOT c = f32[2,9,9,16] convolution(x, k),
        window={size=3x2 pad=1_1x1_2 lhs_dilate=2x2 rhs_dilate=2x3 rhs_reversal=1x1}, dim_labels=b01f_01io->b01f)",
     " dot(", " convolution("},
    {"ConvolutionThatIsCutOff", kConvolution, R"(x = f32[2,9,4] parameter(0)
      k = f32[5,4,16] parameter(1)
      ROOT c = f32[2,8,16] convolution(x, k), window={size=5 pad=-1_4}, dim_labels=b0f_0io->b0f)",
     " dot(", " convolution("},
    {"ConvolutionOfBytesWhichSaturates", kConvolution, R"(x = s8[2,9,9,16] parameter(0)
      k = s8[3,3,16,16] parameter(1)
      ROOT c = s8[2,9,9,16] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f)",
     " clamp(", " convolution("},
    {"ConvolutionOfBytesWithoutSign", kConvolution, R"(x = u8[2,16,9,9] parameter(0)
      k = u8[16,16,3,3] parameter(1)
      ROOT c = u8[2,16,7,7] convolution(x, k), window={size=3x3}, dim_labels=bf01_oi01->bf01)",
     " clamp(", " convolution("},
    {"LongSum", "split-k", R"(p = s32[3,2048] parameter(0)
      q = s32[2048,5] parameter(1)
      ROOT d = s32[3,5] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "s32[4,3,5] dot(", "s32[3,5] dot("},
    {"LongSumOfABatch", "split-k", R"(p = f32[3,1024,2] parameter(0)
      q = f32[2,3,1024] parameter(1)
      ROOT d = f32[2,3,3] dot(p, q), lhs_batch_dims={2}, rhs_batch_dims={0}, lhs_contracting_dims={1},
        rhs_contracting_dims={2})",
     "f32[2,2,3,3] dot(", "f32[2,3,3] dot("},
    {"LongSumOfANarrowFloat", "split-k", R"(p = bf16[3,1024] parameter(0)
      q = bf16[1024,5] parameter(1)
      ROOT d = bf16[3,5] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
     "f32[2,3,5] dot(", "bf16[3,5] dot("},
    {"Largest", kTopK, R"(p = f32[3,40] parameter(0)
      ROOT t = (f32[3,5], s32[3,5]) topk(p), k=5, largest=true)",
     " sort(", " topk("},
    {"Smallest", kTopK, R"(p = s8[40] parameter(0)
      ROOT t = (s8[7], s32[7]) topk(p), k=7, largest=false)",
     " sort(", " topk("},
    {"AroundAMatrixByAVector", "dot-fusion,dce", R"(p = f32[1,32] parameter(0)
      q = s8[32,40] parameter(1)
      n = f32[1,32] negate(p)
      a = bf16[32,40] convert(q)
      b = f32[32,40] convert(a)
      d = f32[1,40] dot(n, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      ROOT r = f32[1,40] tanh(d))",
     "%n = f32", "%a = bf16"},
    {"AroundADot", "dot-fusion,dce", R"(p = bf16[20,16] parameter(0)
      q = bf16[16,24] parameter(1)
      c = f32[24] parameter(2)
      a = f32[20,16] convert(p)
      b = f32[16,24] convert(q)
      d = f32[20,24] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      cb = f32[20,24] broadcast(c), dimensions={1}
      s = f32[20,24] add(d, cb)
      ROOT r = f32[20,24] tanh(s))",
     "kind=kOutput", "%a = f32"},
};

INSTANTIATE_TEST_SUITE_P(EachPass, ProductPasses, testing::ValuesIn(kCases),
                         [](const auto& made) { return std::string(made.param.name); });

}  // namespace
}  // namespace hilo
