// What StableHLO becomes. Families have golden files; here are the points a golden file does not show.
#include <gmock/gmock.h>

#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(StablehloImport, SpellingsAgree) {
  const std::string pretty = hloOf(
      "func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [HIGH, DEFAULT]\n"
      "    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>\n"
      "  return %0 : tensor<2x4xf32>\n}");
  const std::string generic = hloOf(
      "func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {\n"
      "  %0 = \"mhlo.dot_general\"(%a, %b) <{dot_dimension_numbers = #mhlo.dot<lhs_contracting_dimensions = "
      "[1],\n"
      "    rhs_contracting_dimensions = [0]>, precision_config = [#mhlo<precision HIGH>, #mhlo<precision "
      "DEFAULT>]}>\n"
      "    : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>\n"
      "  return %0 : tensor<2x4xf32>\n}");
  EXPECT_EQ(pretty, generic);
  EXPECT_THAT(
      pretty,
      HasSubstr("lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,default}"));
}

TEST(StablehloImport, ConvolutionSpellingsAgree) {
  const std::string types = "(tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>";
  const std::string head =
      "func.func @main(%a: tensor<1x8x8x2xf32>, %b: tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32> {\n";
  const std::string tail = "\n  return %0 : tensor<1x4x4x4xf32>\n}";
  const std::string pretty =
      hloOf(head +
            "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],\n"
            "  window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, "
            "feature_group_count = 1 : i64}\n"
            "  : " +
            types + tail);
  const std::string older = hloOf(
      head +
      "%0 = \"stablehlo.convolution\"(%a, %b) {dimension_numbers = #stablehlo.conv<raw\n"
      "  input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2],\n"
      "  kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions "
      "= [0, 1],\n"
      "  output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,\n"
      "  window_strides = dense<2> : tensor<2xi64>, padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>,\n"
      "  batch_group_count = 1 : i64, feature_group_count = 1 : i64} : " +
      types + tail);
  EXPECT_EQ(pretty, older);
  EXPECT_THAT(pretty, HasSubstr("window={size=3x3 stride=2x2 pad=0_1x0_1}, dim_labels=b01f_01io->b01f"));
}

TEST(StablehloImport, CarriesWhatALoopCaptures) {
  const std::string hlo = hloOf(
      "func.func @main(%n: tensor<i32>, %step: tensor<i32>) -> tensor<i32> {\n"
      "  %c = stablehlo.constant dense<0> : tensor<i32>\n"
      "  %0 = stablehlo.while(%i = %c) : tensor<i32> cond {\n"
      "    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
      "    stablehlo.return %1 : tensor<i1>\n  } do {\n"
      "    %1 = stablehlo.add %i, %step : tensor<i32>\n    stablehlo.return %1 : tensor<i32>\n  }\n"
      "  return %0 : tensor<i32>\n}");
  EXPECT_THAT(hlo, HasSubstr("(s32[], s32[], s32[]) while("));
}

TEST(StablehloImport, OneModuleForEachPublicFunctionUnlessThereIsMain) {
  const auto several = openBytes(
      "func.func @a() { return }\nfunc.func private @p() { return }\nfunc.func @b() { return }", "t");
  ASSERT_TRUE(several.has_value());
  EXPECT_EQ((*several)->module->name(), "a");
  ASSERT_EQ((*several)->others.size(), 1u);
  EXPECT_EQ((*several)->others[0]->module->name(), "b");
  EXPECT_EQ((*several)->others[0]->firstLine, 3u);
  const auto main = openBytes("func.func @a() { return }\nfunc.func @main() { return }", "t");
  ASSERT_TRUE(main.has_value());
  EXPECT_TRUE((*main)->others.empty());
}

TEST(StablehloImport, LocationsBecomeStackFrames) {
  const auto file = openBytes(
      "#f = loc(\"model.py\":7:3)\n#g = loc(\"train.py\":20:1)\n"
      "#call = loc(callsite(\"layer\"(#f) at \"step\"(#g)))\n"
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.negate %a : tensor<f32> loc(\"jit(step)/neg\"(#call))\n  return %0 : tensor<f32>\n}",
      "t");
  ASSERT_TRUE(file.has_value()) << toString(file.error());
  const auto* metadata = (*file)->module->entry()->root()->get<Attr::Metadata>();
  ASSERT_NE(metadata, nullptr);
  EXPECT_EQ(metadata->opName, "jit(step)/neg");
  EXPECT_EQ(metadata->sourceFile, "model.py");
  EXPECT_EQ(metadata->sourceLine, 7);
  PrintOptions options = PrintOptions::longText();
  const std::string text = printModule(*(*file)->module, options);
  EXPECT_THAT(text, HasSubstr("\"layer\""));
  EXPECT_THAT(text, HasSubstr("\"step\""));
}

TEST(StablehloImport, KeepsWhatArgumentsAndModulesSay) {
  const std::string hlo = hloOf(
      "module @jit_f attributes {mhlo.num_partitions = 2 : i32} {\n  sdy.mesh @mesh = <[\"x\"=2]>\n"
      "  func.func public @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32, mhlo.layout_mode = "
      "\"default\",\n"
      "      sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %b: tensor<4xf32> {jax.buffer_donor = true,\n"
      "      mhlo.sharding = \"{devices=[2]<=[2]}\"}) -> (tensor<4xf32> {jax.result_info = \"out['w']\"}) {\n"
      "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n    return %0 : tensor<4xf32>\n  }\n}");
  EXPECT_THAT(hlo, HasSubstr("HloModule jit_f"));
  EXPECT_THAT(hlo, HasSubstr("input_output_alias={ {}: (0, {}, may-alias) }"));
  EXPECT_THAT(hlo, HasSubstr("buffer_donor={ (1, {}) }"));
  EXPECT_THAT(hlo, HasSubstr("num_partitions=2"));
  EXPECT_THAT(hlo, HasSubstr("sharding={devices=[2]<=[2]}"));
  EXPECT_THAT(hlo, HasSubstr("xla.sdy.meshes"));
  EXPECT_THAT(hlo, HasSubstr("#sdy.sharding<@mesh, [{"));
  EXPECT_THAT(hlo, HasSubstr("jax.result_info=\"out[\\'w\\']\""));
  EXPECT_THAT(hlo, HasSubstr("arg_layout_modes=\"default;default\""));
}

TEST(StablehloImport, DoesNotBlowUpSplats) {
  const auto file = openBytes(
      "func.func @main() -> tensor<100000x100000xf32> {\n"
      "  %0 = stablehlo.constant dense<1.0> : tensor<100000x100000xf32>\n  return %0 : "
      "tensor<100000x100000xf32>\n}",
      "t");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ((*file)->module->entry()->root()->opcode(), Opcode::Broadcast);
}

}  // namespace
}  // namespace hilo
