#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

// [[2,0],[1,4]] [[1,2],[3,4]] = [[2,4],[13,18]].
TEST(Solves, TriangularSystem) {
  expectEval(
      "a = f64[2,2] parameter(0)\nb = f64[2,2] parameter(1)\nROOT c = (f64[2,2], s8[2]) custom-call(a, b), "
      "custom_call_target=\"__cublas$triangularSolve\", backend_config={\"left_side\":true,\"lower\":true,"
      "\"unit_diagonal\":false,\"transpose_a\":\"NO_TRANSPOSE\"}",
      {"f64[2,2] {{2,0},{1,4}}", "f64[2,2] {{2,4},{13,18}}"}, {"f64[2,2] {{1,2},{3,4}}", "s8[2] {0,0}"});
}

// The first of the two is [[2,0],[1,2]] times its transpose; the second has none.
TEST(Solves, CholeskySaysWhichMatricesHaveAFactor) {
  const std::string call =
      "a = f32[2,2,2] parameter(0)\nROOT c = (f32[2,2,2], f32[3], s32[2]) custom-call(a), "
      "custom_call_target=\"__cusolver$cholesky\", backend_config={\"lower\":true}";
  const auto result = evalText(call, {"f32[2,2,2] {{{4,2},{2,5}},{{1,2},{2,1}}}"});
  ASSERT_TRUE(result.has_value()) << toString(result.error());
  const auto factor = valuesOf(result->elements()[0]);
  EXPECT_EQ(std::vector(factor.begin(), factor.begin() + 4), (std::vector<double>{2, 0, 1, 2}));
  EXPECT_TRUE(result->elements()[2] == literalOf("s32[2] {0,1}")) << literalText(*result);
}

}  // namespace
}  // namespace hilo
