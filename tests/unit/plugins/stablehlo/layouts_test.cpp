// Layouts that MLIR states: of a bitcast, and of the entry computation.
#include <gmock/gmock.h>

#include "core/workspace/run/runs.h"
#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;

std::string bitcast(const std::string& operation) {
  return "func.func @main(%arg0: tensor<2x4xf32>) -> tensor<2x3x10x4xf32> {\n"
         "  %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 3] : (tensor<2x4xf32>) -> "
         "tensor<10x2x3x4xf32>\n"
         "  %1 = " +
         operation +
         " : (tensor<10x2x3x4xf32>) -> tensor<2x3x10x4xf32>\n  return %1 : tensor<2x3x10x4xf32>\n}\n";
}
const std::string kLayouts =
    "{result_layout = dense<[3, 1, 0, 2]> : tensor<4xindex>, source_layout = dense<[3, 2, 1, 0]> : "
    "tensor<4xindex>}";

// The bytes of [10,2,3,4] as an array whose dimensions lie, from the outermost, in the order 2, 0, 1, 3:
// element [p,q,s,t] of the result is [s,p,q,t] of the operand, which is [p,t] of the argument.
TEST(StablehloLayouts, ABitcastReadsTheBytesInItsLayouts) {
  Literal argument(Shape::array(ElementType::F32, {2, 4}));
  for (size_t i = 0; i < 8; ++i) argument.mutableData<float>()[i] = static_cast<float>(i);
  for (const std::string& operation :
       {"\"mhlo.bitcast\"(%0) " + kLayouts,
        "stablehlo.custom_call @mhlo.bitcast(%0) {mhlo.attributes = " + kLayouts + "}"}) {
    const auto file = openBytes(bitcast(operation), "t.mlir");
    ASSERT_TRUE(file) << toString(file.error());
    for (const char* engine : {"reference", "cpu:no-cache"}) {
      const auto run = execute({.module = (*file)->module,
                                .engine = engine,
                                .arguments = {.kind = ArgumentSource::Kind::Given, .given = {argument}}},
                               JobContext());
      ASSERT_TRUE(run) << toString(run.error());
      for (size_t i = 0; i < 240; ++i)
        ASSERT_EQ(run->output->data<float>()[i], static_cast<float>(i / 120 * 4 + i % 4))
            << engine << " " << i;
    }
  }
}

TEST(StablehloLayouts, ABitcastKeepsItsLayoutInHlo) {
  const std::string hlo = hloOf(bitcast("\"mhlo.bitcast\"(%0) " + kLayouts));
  EXPECT_THAT(hlo, HasSubstr("f32[2,3,10,4]{3,1,0,2} bitcast("));
  EXPECT_THAT(hlo, HasSubstr("ROOT copy."));
}

TEST(StablehloLayouts, OneThatIsNoOrderIsRefused) {
  for (const char* layout : {"dense<[3, 1, 0, 0]> : tensor<4xindex>", "dense<[1, 0]> : tensor<2xindex>"}) {
    EXPECT_THAT(
        errorOf(bitcast("\"mhlo.bitcast\"(%0) {result_layout = " + std::string(layout) + "}")),
        HasSubstr(
            "t.mlir:3:8: error: mlir-conversion: 'mhlo.bitcast' op has layouts that do not fit its shapes"));
  }
}

std::string entry(const std::string& attributes) {
  return "module attributes {" + attributes +
         "} {\n  func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) -> (tensor<2x3xf32>, tensor<4xf32>) "
         "{\n"
         "    return %a, %b : tensor<2x3xf32>, tensor<4xf32>\n  }\n}\n";
}

TEST(StablehloLayouts, TheEntryHasThoseOfTheModule) {
  EXPECT_THAT(
      hloOf(entry("mhlo.xla_entry_computation_parameter_layouts = [dense<[0, 1]> : tensor<2xindex>, "
                  "dense<0> : tensor<1xindex>], mhlo.xla_entry_computation_parameter_tiles = "
                  "[[dense<[2, 128]> : tensor<2xindex>], []], mhlo.xla_entry_computation_result_layout = "
                  "[dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]")),
      HasSubstr(
          "entry_computation_layout={(f32[2,3]{0,1:T(2,128)}, f32[4]{0})->(f32[2,3]{0,1}, f32[4]{0})}"));
}

TEST(StablehloLayouts, OnesThatDoNotFitTheEntryAreRefused) {
  EXPECT_THAT(errorOf(entry("mhlo.xla_entry_computation_result_layout = [dense<[0, 1]> : tensor<2xindex>, "
                            "dense<[1, 0]> : tensor<2xindex>]")),
              HasSubstr("mhlo.xla_entry_computation_result_layout does not fit the entry function"));
}

}  // namespace
}  // namespace hilo
