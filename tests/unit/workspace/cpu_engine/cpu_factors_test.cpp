// Factors and solutions of matrices of several tiles, and of sizes that fill none, against the evaluator.
#include "tests/unit/workspace/cpu_engine/expect_evaluated.h"

namespace hilo {
namespace {

// Two matrices `a` whose diagonals are large, of type TYPE, N by N.
constexpr std::string_view kMatrix = R"(x = TYPE[2,N,N] parameter(0)
  rows = s32[2,N,N] iota(), iota_dimension=1
  columns = s32[2,N,N] iota(), iota_dimension=2
  isThere = pred[2,N,N] compare(rows, columns), direction=EQ
  large = TYPE[] constant(LARGE)
  larges = TYPE[2,N,N] broadcast(large), dimensions={}
  a = TYPE[2,N,N] select(isThere, larges, x)
)";

std::string filledIn(std::string text, const std::string& type, int64_t n, int64_t sides) {
  const auto replace = [&](std::string_view from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  replace("MATRIX", std::string(kMatrix));
  replace("LARGE", type[0] == 'c' ? "(300, 0)" : "300");
  replace("TYPE", type);
  replace("N,", fmt::format("{},", n));
  replace("N]", fmt::format("{}]", n));
  replace("M,", fmt::format("{},", sides));
  replace("M]", fmt::format("{}]", sides));
  return text;
}

TEST(CpuFactors, CholeskyOfAnySize) {
  for (const char* type : {"f32", "f64", "c64"}) {
    for (const int64_t n : {1, 16, 65, 150}) {
      for (const char* lower : {"true", "false"})
        expectEvaluated(
            filledIn(fmt::format("ENTRY e {{ MATRIX  ROOT r = TYPE[2,N,N] cholesky(a), lower={} }}\n", lower),
                     type, n, 0));
    }
  }
}

TEST(CpuFactors, TriangularSolvesFromEitherSide) {
  const auto solve = [](const char* form, const char* shape) {
    return fmt::format(
        "ENTRY e {{ MATRIX  b = TYPE[2,{1}] parameter(1)\n"
        "  ROOT r = TYPE[2,{1}] triangular-solve(a, b), {0} }}\n",
        form, shape);
  };
  for (const char* type : {"f32", "c64"}) {
    for (const auto& [n, sides] : {std::pair(20, 1), {67, 130}}) {
      for (const char* lower : {"lower=true", "lower=false"}) {
        for (const char* rest : {"transpose_a=NO_TRANSPOSE", "transpose_a=TRANSPOSE",
                                 "transpose_a=ADJOINT, unit_diagonal=true"}) {
          const std::string form = fmt::format("{}, {}", lower, rest);
          expectEvaluated(filledIn(solve(("left_side=true, " + form).c_str(), "N,M"), type, n, sides));
          expectEvaluated(filledIn(solve(form.c_str(), "M,N"), type, n, sides));
        }
      }
    }
  }
}

}  // namespace
}  // namespace hilo
