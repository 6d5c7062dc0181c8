// Forms of the newest StableHLO, of VHLO as text and of newer MLIR: what each becomes.
#include <gmock/gmock.h>

#include "core/workspace/check/check_programs.h"
#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;

std::string function(const std::string& body, const std::string& type = "tensor<4xf32>") {
  return "func.func @main(%a: tensor<4xf32>) -> " + type + " {\n" + body + "  return %r : " + type + "\n}\n";
}
std::string started(const std::string& operation, const std::string& result) {
  return "  %s = \"stablehlo.async_start\"(%a) ({\n  ^b(%x: tensor<4xf32>):\n    %y = " + operation +
         " : (tensor<4xf32>) -> " + result + "\n    stablehlo.return %y : " + result +
         "\n  }) : (tensor<4xf32>) -> !stablehlo.future<" + result +
         ">\n  %r = \"stablehlo.async_done\"(%s) : (!stablehlo.future<" + result + ">) -> " + result + "\n";
}

TEST(StablehloNewerForms, CollectivesThatHaveAStartOfTheirOwn) {
  const std::string hlo = hloOf(function(
      started("\"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : "
              "tensor<1x2xi64>}",
              "tensor<8xf32>"),
      "tensor<8xf32>"));
  EXPECT_THAT(hlo, HasSubstr("(f32[4]{0}, f32[8]{0}) all-gather-start("));
  EXPECT_THAT(hlo, HasSubstr("ROOT all-gather-done"));
}

TEST(StablehloNewerForms, OtherOperationsAreWrapped) {
  const std::string hlo = hloOf(function(
      started(
          "\"stablehlo.slice\"(%x) {start_indices = array<i64: 1>, limit_indices = array<i64: 3>, strides = "
          "array<i64: 1>}",
          "tensor<2xf32>"),
      "tensor<2xf32>"));
  // An async-start around a slice, as HLO text abbreviates it.
  EXPECT_THAT(hlo, HasSubstr("((f32[4]{0}), f32[2]{0}) slice-start("));
  EXPECT_THAT(hlo, HasSubstr("f32[2]{0} slice-done("));
}

TEST(StablehloNewerForms, FuturesStayInTheirFunction) {
  EXPECT_THAT(errorOf("func.func @main(%a: !stablehlo.future<tensor<f32>>) {\n  return\n}\n"),
              HasSubstr("has no counterpart in HLO"));
}

// A mesh of 2 x 4 devices; groups along "y", along the finer half of "y", along both in turned order.
std::string overAxes(const std::string& axes) {
  return "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n" +
         function(
             "  %r = \"stablehlo.all_reduce\"(%a) ({\n  ^b(%x: tensor<f32>, %y: tensor<f32>):\n    %z = "
             "stablehlo.add %x, %y : tensor<f32>\n    stablehlo.return %z : tensor<f32>\n  }) "
             "{replica_groups = "
             "#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [" +
             axes + "]>} : (tensor<4xf32>) -> tensor<4xf32>\n");
}
std::string meshGroups(const std::string& axes) {
  const std::string hlo = hloOf(overAxes(axes));
  const size_t at = hlo.find("replica_groups=");
  return at == std::string::npos ? hlo : hlo.substr(at, hlo.find("}}", at) + 2 - at);
}

TEST(StablehloNewerForms, GroupsAlongTheAxesOfAMesh) {
  const auto axis = [](const std::string& fields) { return "#stablehlo.axis_ref<" + fields + ">"; };
  EXPECT_EQ(meshGroups(axis("name = \"y\"")), "replica_groups={{0,1,2,3},{4,5,6,7}}");
  EXPECT_EQ(meshGroups(axis("name = \"x\"")), "replica_groups={{0,4},{1,5},{2,6},{3,7}}");
  EXPECT_EQ(meshGroups(axis("name = \"y\", sub_axis_info = (2)2")),
            "replica_groups={{0,1},{2,3},{4,5},{6,7}}");
  EXPECT_EQ(meshGroups(axis("name = \"y\", sub_axis_info = (1)2")),
            "replica_groups={{0,2},{1,3},{4,6},{5,7}}");
  EXPECT_EQ(meshGroups(axis("name = \"y\"") + ", " + axis("name = \"x\"")),
            "replica_groups={{0,4,1,5,2,6,3,7}}");
  EXPECT_EQ(meshGroups("\"x\", \"y\":(2)2"), "replica_groups={{0,1,4,5},{2,3,6,7}}");
  EXPECT_THAT(errorOf(overAxes(axis("name = \"z\""))), HasSubstr("axes its mesh does not have"));
}

TEST(StablehloNewerForms, BooleansOfAByteEach) {
  const std::string text =
      "func.func @main() -> tensor<10xi1> {\n  %c = stablehlo.constant dense<\"0x01000100000000000101\"> : "
      "tensor<10xi1>\n  return %c : tensor<10xi1>\n}\n";
  EXPECT_THAT(hloOf(text), HasSubstr("constant({1, 0, 1, 0, 0, 0, 0, 0, 1, 1})"));
}

TEST(StablehloNewerForms, VhloAsText) {
  const std::string text = R"("builtin.module"() ({
  vhlo.func_v1 @main(%arg0: !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> (!vhlo.tensor_v1<4x!vhlo.bool_v1>) {
    %0 = "vhlo.constant_v1"() <{value = #vhlo.tensor_v1<dense<1.5> : tensor<f32>>}> : () -> !vhlo.tensor_v1<!vhlo.f32_v1>
    %1 = "vhlo.broadcast_in_dim_v1"(%0) <{broadcast_dimensions = #vhlo.tensor_v1<dense<> : tensor<0xi64>>}> : (!vhlo.tensor_v1<!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.f32_v1>
    %2 = "vhlo.compare_v1"(%arg0, %1) <{compare_type = #vhlo<comparison_type_v1 FLOAT>, comparison_direction = #vhlo<comparison_direction_v1 LT>}> : (!vhlo.tensor_v1<4x!vhlo.f32_v1>, !vhlo.tensor_v1<4x!vhlo.f32_v1>) -> !vhlo.tensor_v1<4x!vhlo.bool_v1>
    "vhlo.return_v1"(%2) : (!vhlo.tensor_v1<4x!vhlo.bool_v1>) -> ()
  } {arg_attrs = #vhlo.array_v1<[]>, res_attrs = #vhlo.array_v1<[]>, sym_visibility = #vhlo.string_v1<"public">}
}) : () -> ()
)";
  const std::string hlo = hloOf(text);
  EXPECT_THAT(hlo, HasSubstr("constant(1.5)"));
  EXPECT_THAT(hlo, HasSubstr("pred[4]{0} compare("));
  EXPECT_THAT(hlo, HasSubstr("direction=LT"));
}

TEST(StablehloNewerForms, MemrefsAreBuffers) {
  const std::string hlo = hloOf(
      "func.func @main() -> memref<2xf32> {\n  %r = \"mhlo.custom_call\"() {call_target_name = "
      "\"CreateBuffer\", "
      "api_version = 4 : i32} : () -> memref<2xf32>\n  return %r : memref<2xf32>\n}\n");
  EXPECT_THAT(hlo, HasSubstr("b(f32[2]"));
}

// HLO's cbrt is of real numbers.
TEST(StablehloNewerForms, CubeRootsOfComplexNumbers) {
  const std::string hlo = hloOf(
      "func.func @main(%a: tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>> {\n  %r = stablehlo.cbrt %a : "
      "tensor<4xcomplex<f64>>\n  return %r : tensor<4xcomplex<f64>>\n}\n");
  EXPECT_THAT(hlo, HasSubstr("c128[4]{0} power("));
}

// Two devices, the second the root, told at run time.
TEST(StablehloNewerForms, ReducesToARoot) {
  const auto file = openBytes(R"(func.func @sum(%x: tensor<2xi64>, %root: tensor<1xi32>) -> tensor<2xi64> {
  %r = "stablehlo.collective_reduce"(%x, %root) ({
  ^b(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<2xi64>, tensor<1xi32>) -> tensor<2xi64>
  return %r : tensor<2xi64>
}
func.func @main() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %y = stablehlo.constant dense<[5, 6]> : tensor<2xi64>
  %root = stablehlo.constant dense<1> : tensor<1xi32>
  %r:2 = "interpreter.run_parallel"(%x, %root, %y, %root) {programs = [[@sum], [@sum]]} : (tensor<2xi64>, tensor<1xi32>, tensor<2xi64>, tensor<1xi32>) -> (tensor<2xi64>, tensor<2xi64>)
  check.expect_eq_const %r#0, dense<0> : tensor<2xi64>
  check.expect_eq_const %r#1, dense<[6, 8]> : tensor<2xi64>
  return
}
)",
                              "t.mlir");
  ASSERT_TRUE(file.has_value()) << toString(file.error());
  const ProgramResult result = checkProgram((*file)->module, "reference");
  EXPECT_EQ(result.outcome, CheckOutcome::Pass) << result.reason;
}

}  // namespace
}  // namespace hilo
