#include "tests/unit/hlo/eval/eval_text.h"

namespace hilo {
namespace {

TEST(EvalLinearAlgebra, Cholesky) {
  // [[4,2],[2,5]] = [[2,0],[1,2]] [[2,1],[0,2]].
  expectEval("a = f32[2,2] parameter(0)\nROOT c = f32[2,2] cholesky(a), lower=true",
             {"f32[2,2] {{4,2},{2,5}}"}, {"f32[2,2] {{2,0},{1,2}}"});
  expectEval("a = f32[2,2] parameter(0)\nROOT c = f32[2,2] cholesky(a)", {"f32[2,2] {{4,2},{2,5}}"},
             {"f32[2,2] {{2,1},{0,2}}"});
  // [[1,-i],[i,5]]: the factor is [[1,0],[i,2]].
  expectEval("a = c64[2,2] parameter(0)\nROOT c = c64[2,2] cholesky(a), lower=true",
             {"c64[2,2] {{(1,0),(0,-1)},{(0,1),(5,0)}}"}, {"c64[2,2] {{(1,0),(0,0)},{(0,1),(2,0)}}"});
}

TEST(EvalLinearAlgebra, TriangularSolveOnBothSides) {
  const std::string p =
      "a = f64[2,2] parameter(0)\nb = f64[2,2] parameter(1)\nROOT x = f64[2,2] triangular-solve(a, b), ";
  const std::string a = "f64[2,2] {{2,0},{1,4}}";
  // A [[1,2],[3,4]] = [[2,4],[13,18]].
  expectEval(p + "left_side=true, lower=true, transpose_a=NO_TRANSPOSE", {a, "f64[2,2] {{2,4},{13,18}}"},
             {"f64[2,2] {{1,2},{3,4}}"});
  // A^T [[1,2],[3,4]] = [[5,8],[12,16]].
  expectEval(p + "left_side=true, lower=true, transpose_a=TRANSPOSE", {a, "f64[2,2] {{5,8},{12,16}}"},
             {"f64[2,2] {{1,2},{3,4}}"});
  // [[1,2],[3,4]] A = [[4,8],[10,16]].
  expectEval(p + "left_side=false, lower=true, transpose_a=NO_TRANSPOSE", {a, "f64[2,2] {{4,8},{10,16}}"},
             {"f64[2,2] {{1,2},{3,4}}"});
  // [[1,2],[3,4]] A^T = [[2,9],[6,19]].
  expectEval(p + "left_side=false, lower=true, transpose_a=TRANSPOSE", {a, "f64[2,2] {{2,9},{6,19}}"},
             {"f64[2,2] {{1,2},{3,4}}"});
  // With a unit diagonal the matrix is [[1,0],[1,1]].
  expectEval(p + "left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE",
             {a, "f64[2,2] {{1,2},{4,6}}"}, {"f64[2,2] {{1,2},{3,4}}"});
}

TEST(EvalFft, KnownTransforms) {
  // The transform of (1,2,3,4): sums with 1, -i, -1, i.
  expectNear(
      "p = c128[4] parameter(0)\nf = c128[4] fft(p), fft_type=FFT, fft_length={4}\nROOT r = f64[4] real(f)",
      {"c128[4] {(1,0),(2,0),(3,0),(4,0)}"}, {10, -2, -2, -2}, 1e-14);
  expectNear(
      "p = c128[4] parameter(0)\nf = c128[4] fft(p), fft_type=FFT, fft_length={4}\nROOT r = f64[4] imag(f)",
      {"c128[4] {(1,0),(2,0),(3,0),(4,0)}"}, {0, 2, 0, -2}, 1e-14);
  expectNear(
      "p = f64[4] parameter(0)\nf = c128[3] fft(p), fft_type=RFFT, fft_length={4}\nROOT r = f64[3] imag(f)",
      {"f64[4] {1,2,3,4}"}, {0, 2, 0}, 1e-14);
  expectNear("p = c128[3] parameter(0)\nROOT f = f64[4] fft(p), fft_type=IRFFT, fft_length={4}",
             {"c128[3] {(10,0),(-2,2),(-2,0)}"}, {1, 2, 3, 4}, 1e-14);
}

// There and back for a length that is no power of two, over two dimensions, against the identity.
TEST(EvalFft, AnyLengthAndTwoDimensions) {
  expectNear(
      R"(
    p = c128[3,5] parameter(0)
    f = c128[3,5] fft(p), fft_type=FFT, fft_length={3,5}
    b = c128[3,5] fft(f), fft_type=IFFT, fft_length={3,5}
    ROOT r = f64[3,5] real(b))",
      {"c128[3,5] "
       "{{(1,2),(2,1),(3,0),(4,1),(5,2)},{(6,0),(7,0),(8,0),(9,0),(1,1)},{(2,0),(3,0),(4,0),(5,0),(6,0)}}"},
      {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6}, 1e-13);
  expectNear(
      "p = c128[3] parameter(0)\nf = c128[3] fft(p), fft_type=FFT, fft_length={3}\nROOT r = f64[3] imag(f)",
      {"c128[3] {(1,0),(2,0),(4,0)}"}, {0, 1.7320508075688772, -1.7320508075688772}, 1e-14);
  expectNear(
      "p = f64[2,5] parameter(0)\nf = c128[2,3] fft(p), fft_type=RFFT, fft_length={2,5}\n"
      "ROOT r = f64[2,5] fft(f), fft_type=IRFFT, fft_length={2,5}",
      {"f64[2,5] {{1,2,3,4,5},{5,4,3,2,9}}"}, {1, 2, 3, 4, 5, 5, 4, 3, 2, 9}, 1e-13);
}

TEST(EvalBatchNorm, Training) {
  const std::string body =
      "x = f32[4,1] parameter(0)\ns = f32[1] constant({2})\no = f32[1] constant({10})\n"
      "ROOT b = (f32[4,1], f32[1], f32[1]) batch-norm-training(x, s, o), epsilon=0, feature_index=1";
  // Mean 2, variance 1.
  const std::vector<std::string> in = {"f32[4,1] {{1},{3},{1},{3}}"};
  expectEval(body, in, {"f32[4,1] {{8},{12},{8},{12}}", "f32[1] {2}", "f32[1] {1}"});
}

TEST(EvalBatchNorm, InferenceAndGradient) {
  expectEval(
      "x = f32[2] parameter(0)\ns = f32[2] constant({2,1})\no = f32[2] constant({1,0})\nm = f32[2] "
      "constant({1,0})\n"
      "v = f32[2] constant({4,1})\nROOT b = f32[2] batch-norm-inference(x, s, o, m, v), epsilon=0, "
      "feature_index=0",
      {"f32[2] {5,7}"}, {"f32[2] {5,7}"});
  // x = (0,2), mean 1, variance 1: dOffset = 3, dScale = 1*(-1) + 2*1 = 1, dx = g - 3/2 - (x-1)*1/2.
  expectEval(
      "x = f32[2,1] parameter(0)\ns = f32[1] constant({1})\nm = f32[1] constant({1})\nv = f32[1] "
      "constant({1})\ng = f32[2,1] parameter(1)\n"
      "ROOT b = (f32[2,1], f32[1], f32[1]) batch-norm-grad(x, s, m, v, g), epsilon=0, feature_index=1",
      {"f32[2,1] {{0},{2}}", "f32[2,1] {{1},{2}}"}, {"f32[2,1] {{0},{0}}", "f32[1] {1}", "f32[1] {3}"});
}

}  // namespace
}  // namespace hilo
