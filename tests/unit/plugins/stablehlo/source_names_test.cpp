// Messages about a module that was read from MLIR have the file's lines and names.
#include <gmock/gmock.h>

#include "core/workspace/open/verify_file.h"
#include "core/workspace/run/runs.h"
#include "tests/unit/plugins/stablehlo/open_text.h"

namespace hilo {
namespace {

using testing::HasSubstr;

// Of a file that opens: "FILE:LINE:COL: kind: message" of the first finding.
Diagnostic firstFinding(const std::string& mlir) {
  const auto file = openBytes(mlir, "t.mlir");
  if (!file) {
    ADD_FAILURE() << toString(file.error());
    return {};
  }
  const Diagnostics findings = verifyFile(**file);
  if (findings.empty()) {
    ADD_FAILURE() << "nothing is wrong";
    return {};
  }
  return findings[0];
}

TEST(StablehloSourceNames, AReturnOfAnotherTypeIsRefusedAtItsPlace) {
  EXPECT_EQ(
      errorOf("module {\n  func.func @main(%arg0: tensor<2xf32>) -> tensor<3xf32> {\n"
              "    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>\n    return %0 : tensor<2xf32>\n  }\n}\n"),
      "t.mlir:4:5: error: mlir-conversion: 'func.return' op returns 'tensor<2xf32>' as result 0, the "
      "function "
      "declares 'tensor<3xf32>'");
  EXPECT_THAT(
      errorOf("func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
              "  return %arg0 : tensor<2xf32>\n}\n"),
      HasSubstr(
          "t.mlir:2:3: error: mlir-conversion: 'func.return' op returns 1 values, the function declares 2"));
}

TEST(StablehloSourceNames, TheVerifierSpeaksOfTheFilesLinesAndNames) {
  const Diagnostic finding = firstFinding(
      "func.func @main(%arg0: tensor<4xf32>) -> tensor<5xf32> {\n"
      "  %253 = stablehlo.negate %arg0 : tensor<4xf32>\n"
      "  %254 = \"stablehlo.add\"(%253, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>\n"
      "  return %254 : tensor<5xf32>\n}\n");
  EXPECT_EQ(finding.place.line, 3u);
  EXPECT_EQ(finding.place.column, 10u);
  EXPECT_EQ(finding.place.instruction, "%254");
  EXPECT_EQ(finding.message.find("add."), std::string::npos) << finding.message;
}

TEST(StablehloSourceNames, LocationsOfAnotherFileDoNotHideThePlace) {
  const std::string text =
      "#loc = loc(\"model.py\":7:1)\n"
      "func.func @main(%arg0: tensor<4xf32> loc(#loc)) -> tensor<4xf32> {\n"
      "  %0 = \"mhlo.nonsense\"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc(#loc)\n"
      "  return %0 : tensor<4xf32> loc(#loc)\n} loc(#loc)\n";
  EXPECT_THAT(errorOf(text), HasSubstr("t.mlir:3:8: "));
}

TEST(StablehloSourceNames, LinesOfTheSecondModuleAreThoseOfTheFile) {
  const std::string one =
      "func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n  return %arg0 : tensor<4xf32>\n}\n";
  const std::string wrong =
      "func.func @main(%arg0: tensor<4xf32>) -> tensor<5xf32> {\n"
      "  %0 = \"stablehlo.negate\"(%arg0) : (tensor<4xf32>) -> tensor<5xf32>\n  return %0 : "
      "tensor<5xf32>\n}\n";
  EXPECT_EQ(firstFinding(one + "// -----\n" + wrong).place.line, 6u);
}

TEST(StablehloSourceNames, ParametersAreCalledAsTheArguments) {
  const auto file = openBytes(
      "func.func @main(%arg0: tensor<4xf32>, %weights: tensor<4xf32>, %0: tensor<4xf32>) -> tensor<4xf32> {\n"
      "  return %arg0 : tensor<4xf32>\n}\n",
      "t.mlir");
  ASSERT_TRUE(file) << toString(file.error());
  std::vector<std::string> names;
  for (const auto& [name, shape] : parametersOf(RunRequest{.module = (*file)->module})) names.push_back(name);
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0], "arg0");
  EXPECT_EQ(names[1], "weights");
  EXPECT_THAT(names[2], testing::StartsWith("parameter."));  // HLO's text has no name "0"
}

}  // namespace
}  // namespace hilo
