// Products by cuBLAS: [[1,2],[3,4]] [[5,6],[7,8]] = [[19,22],[43,50]].
#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

const std::string kA = "f32[2,2] {{1,2},{3,4}}", kB = "f32[2,2] {{5,6},{7,8}}";
const std::string kNumbers =
    R"("dot_dimension_numbers":{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["0"]})";

// A call on the operands a, b, and then `more`, each with its shape.
std::string gemm(const std::string& results, const std::vector<std::string>& more, const std::string& config,
                 const std::string& target = "__cublas$gemm") {
  std::string text = "a = f32[2,2] parameter(0)\nb = f32[2,2] parameter(1)\n", operands = "a, b";
  for (size_t i = 0; i < more.size(); ++i) {
    text += fmt::format("x{} = {} parameter({})\n", i, more[i], i + 2);
    operands += fmt::format(", x{}", i);
  }
  return text + fmt::format(
                    "ROOT c = {} custom-call({}), custom_call_target=\"{}\", backend_config={{"
                    "\"gemm_backend_config\":{{{},{}}}}}",
                    results, operands, target, kNumbers, config);
}

TEST(Gemm, MultipliesAndGivesWorkspaceOfZeros) {
  expectEval(gemm("(f32[2,2], s8[3])", {}, R"("alpha_real":1,"beta":0,"epilogue":"DEFAULT")"), {kA, kB},
             {"f32[2,2] {{19,22},{43,50}}", "s8[3] {0,0,0}"});
  expectEval(gemm("f32[2,2]{0,1}", {}, R"("alpha_real":1)"), {kA, kB}, {"f32[2,2] {{19,22},{43,50}}"});
  expectEval(
      "a = f32[2,2] parameter(0)\nb = f32[2,2] parameter(1)\nROOT c = (f32[2,2], s8[0]) "
      "custom-call(a, b), custom_call_target=\"__cublas$gemm\"",
      {kA, kB}, {"f32[2,2] {{19,22},{43,50}}", "s8[0] {}"});
}

TEST(Gemm, ScalesAndAddsAMatrix) {
  const std::string c = "f32[2,2] {{10,20},{30,40}}";
  // AB / 2 + 3 C.
  expectEval(gemm("f32[2,2]", {"f32[2,2]"}, R"("alpha_real":0.5,"beta":3)"), {kA, kB, c},
             {"f32[2,2] {{39.5,71},{111.5,145}}"});
}

TEST(Gemm, ScalesByAComplexNumber) {
  // (1+i) * 2 times i: 2i * i = -2 added up over one term is (1+i) * (2 * i) = -2 + 2i.
  expectEval(
      "a = c64[1,1] parameter(0)\nb = c64[1,1] parameter(1)\nROOT c = c64[1,1] custom-call(a, b), "
      "custom_call_target=\"__cublas$gemm\", backend_config={\"gemm_backend_config\":{" +
          kNumbers + ",\"alpha_real\":1,\"alpha_imag\":1}}",
      {"c64[1,1] {{(2,0)}}", "c64[1,1] {{(0,1)}}"}, {"c64[1,1] {{(-2,2)}}"});
}

TEST(Gemm, BatchesInAnyDimension) {
  // Batch n is column n of A, summed over the one element, times row n of B.
  expectEval(
      "a = f32[1,2,2] parameter(0)\nb = f32[2,2,1] parameter(1)\nROOT c = f32[2,1,1] custom-call(a, b), "
      "custom_call_target=\"__cublas$gemm\", backend_config={\"gemm_backend_config\":{\"alpha_real\":1,"
      "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],\"rhs_contracting_dimensions\":"
      "[\"1\"],\"lhs_batch_dimensions\":[\"1\"],\"rhs_batch_dimensions\":[\"0\"]}}}",
      {"f32[1,2,2] {{{1,2},{3,4}}}", "f32[2,2,1] {{{5},{6}},{{7},{8}}}"}, {"f32[2,1,1] {{{17}},{{53}}}"});
}

TEST(Gemm, Epilogues) {
  const std::string lt = "__cublas$lt$matmul", bias = "f32[2] {-20,1}";
  expectEval(gemm("f32[2,2]", {"f32[2]"}, R"("alpha_real":1,"epilogue":"BIAS")", lt), {kA, kB, bias},
             {"f32[2,2] {{-1,23},{23,51}}"});
  // The bias is along the densest dimension.
  expectEval(gemm("f32[2,2]{0,1}", {"f32[2]"}, R"("alpha_real":1,"epilogue":"BIAS")", lt), {kA, kB, bias},
             {"f32[2,2] {{-1,2},{44,51}}"});
  expectEval(gemm("f32[2,2]", {"f32[2]"}, R"("alpha_real":1,"epilogue":"BIAS_RELU")", lt), {kA, kB, bias},
             {"f32[2,2] {{0,23},{23,51}}"});
  expectEval(gemm("f32[2,2]", {}, R"("alpha_real":-1,"epilogue":"RELU")", lt), {kA, kB},
             {"f32[2,2] {{0,0},{0,0}}"});
  // gelu(0.19) by tanh, of which the sum is kept too; x * logistic(x).
  expectNear(gemm("(f32[2,2], f32[2,2], s8[1])", {}, R"("alpha_real":0.01,"epilogue":"GELU_AUX")", lt),
             {kA, kB}, {0.10931521, 0.12915343, 0.28654306, 0.34571401}, 1e-5);
  expectNear(gemm("(f32[2,2], f32[2,2], s8[1])", {}, R"("alpha_real":0.01,"epilogue":"GELU_AUX")", lt),
             {kA, kB}, {0.19, 0.22, 0.43, 0.5}, 1e-6, 1);
  expectNear(gemm("f32[2,2]", {}, R"("alpha_real":0.01,"epilogue":"SILU")", lt), {kA, kB},
             {0.10399795, 0.12205143, 0.26052568, 0.31122967}, 1e-5);
}

TEST(Gemm, RefusesByName) {
  const auto kindOf = [](const std::string& config, const std::vector<std::string>& more = {}) {
    return errorKind(gemm("f32[2,2]", more, config),
                     more.empty() ? std::vector{kA, kB} : std::vector{kA, kB, kA});
  };
  EXPECT_EQ(kindOf(R"("alpha_real":1,"epilogue":"DRELU")"), "unsupported-opcode");
  EXPECT_EQ(kindOf(R"("alpha_real":1,"epilogue":3)"), "unsupported-opcode");
  EXPECT_EQ(kindOf(R"("alpha_real":1,"beta":1)"), "malformed-instruction");
  EXPECT_EQ(kindOf(R"("alpha_real":1,"epilogue":"BIAS")", {"f32[2,2]"}), "unsupported-opcode");
  EXPECT_EQ(
      errorKind(
          "a = f32[2] parameter(0)\nROOT c = f32[2] custom-call(a), custom_call_target=\"__cublas$gemm\"",
          {"f32[2] {1,2}"}),
      "malformed-instruction");
}

}  // namespace
}  // namespace hilo
