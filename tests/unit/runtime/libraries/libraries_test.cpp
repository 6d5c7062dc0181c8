// Each library by what it is asked for on the host's memory, and what is said where one is missing, or is
// one that lacks functions.
#include <gtest/gtest.h>

#include "core/runtime/libraries/gpu_libraries.h"
#include "tests/unit/runtime/libraries/host_stream.h"

namespace hilo {
namespace {

TEST(Libraries, AProductHasBiasAndFunctionBehindIt) {
  auto library = CublasLt::open(kFakes);
  ASSERT_TRUE(library) << toString(library.error());
  // Columns one after the other: [[1, 3], [2, 4]] * [[1, 0], [0, -1]] = [[1, -3], [2, -4]].
  const std::vector<float> a = {1, 2, 3, 4}, b = {1, 0, 0, -1}, bias = {10, 3.5F};
  std::vector<float> d(4);
  const MatrixProductCall call{.rows = 2,
                               .columns = 2,
                               .depth = 2,
                               .bias = 2,
                               .leadingA = 2,
                               .leadingB = 2,
                               .leadingD = 2,
                               .activation = Activation::Relu};
  HostStream stream;
  const LibraryArrays arrays{addresses(a, b, bias), addresses(d)};
  const Status done = (*library)->multiply(call, arrays, stream);
  ASSERT_TRUE(done) << toString(done.error());
  EXPECT_EQ(d, (std::vector<float>{11, 5.5F, 7, 0}));
  EXPECT_EQ(stream.living, 0) << "the workspace was given back";
}

TEST(Libraries, AProductAddsAMatrixAndAppliesGelu) {
  auto library = CublasLt::open(kFakes);
  ASSERT_TRUE(library);
  const std::vector<float> a = {2}, b = {3}, c = {1};
  std::vector<float> d(1);
  HostStream stream;
  MatrixProductCall call{.c = 2, .alpha = 0.5, .beta = -2};
  ASSERT_TRUE((*library)->multiply(call, {addresses(a, b, c), addresses(d)}, stream));
  EXPECT_EQ(d[0], 1);  // 0.5 * 6 - 2
  MatrixProductCall gelu = call;
  gelu.activation = Activation::Gelu;
  ASSERT_TRUE((*library)->multiply(gelu, {addresses(a, b, c), addresses(d)}, stream));
  EXPECT_NEAR(d[0], 0.841192, 1e-5);
}

TEST(Libraries, AProductWithoutAnAlgorithmSaysSo) {
  auto library = CublasLt::open(kFakes);
  ASSERT_TRUE(library);
  const std::vector<float> a(16), b(13);
  std::vector<float> d(13);
  HostStream stream;
  const MatrixProductCall call{.columns = 13};
  EXPECT_EQ((*library)->multiply(call, {addresses(a, b), addresses(d)}, stream).error().kind, "no-algorithm");
}

TEST(Libraries, AnInverseTransformIsScaledAndItsOperandKept) {
  auto library = Cufft::open(kFakes);
  auto scaler = Cublas::open(kFakes);
  ASSERT_TRUE(library && scaler);
  const std::vector<float> line = {1, 2, 3, 4};
  std::vector<float> spectrum(6), back(4);
  HostStream stream;
  const FourierCall there{.kind = FftType::Rfft, .lengths = {4}},
      inverse{.kind = FftType::Irfft, .lengths = {4}};
  ASSERT_TRUE((*library)->transform(there, {addresses(line), addresses(spectrum)}, stream, **scaler));
  EXPECT_NEAR(spectrum[0], 10, 1e-5);
  EXPECT_NEAR(spectrum[2], -2, 1e-5);
  EXPECT_NEAR(spectrum[3], 2, 1e-5);
  EXPECT_NEAR(spectrum[4], -2, 1e-5);
  const std::vector<float> before = spectrum;
  ASSERT_TRUE((*library)->transform(inverse, {addresses(spectrum), addresses(back)}, stream, **scaler));
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(back[i], line[i], 1e-5);
  EXPECT_EQ(spectrum, before);
  EXPECT_EQ(stream.living, 0);
}

// Row-major: [[4, .], [2, 5]] has the factor [[2, .], [1, 2]]; the second matrix has none.
TEST(Libraries, FactorsAreOfRowMajorHalves) {
  auto library = Cusolver::open(kFakes);
  ASSERT_TRUE(library);
  const std::vector<float> a = {4, 99, 2, 5, -1, 0, 0, 1};
  std::vector<float> factor(8);
  std::vector<int32_t> info(2, 7);
  HostStream stream;
  const CholeskyCall call{.size = 2, .batch = 2};
  ASSERT_TRUE((*library)->factor(call, {addresses(a), addresses(factor, info)}, stream));
  EXPECT_EQ(factor[0], 2);
  EXPECT_EQ(factor[2], 1);
  EXPECT_EQ(factor[3], 2);
  EXPECT_EQ(info[0], 0);
  EXPECT_NE(info[1], 0);
}

// Row-major A = [[2, 0], [1, 4]].
TEST(Libraries, TriangularSystemsAreSolvedOnBothSides) {
  auto library = Cublas::open(kFakes);
  ASSERT_TRUE(library);
  const std::vector<float> a = {2, 77, 1, 4}, b = {2, 4, 9, 6};
  std::vector<float> x(4);
  HostStream stream;
  const auto solved = [&](TriangularSolveCall call) {
    call.rows = call.columns = 2;
    EXPECT_TRUE((*library)->solve(call, {addresses(a, b), addresses(x)}, stream));
    return x;
  };
  EXPECT_EQ(solved({}), (std::vector<float>{1, 2, 2, 1}));
  EXPECT_EQ(solved({.transpose = TransposeA::Transpose}), (std::vector<float>{-0.125F, 1.25F, 2.25F, 1.5F}));
  EXPECT_EQ(solved({.isLeft = false}), (std::vector<float>{0.5F, 1, 3.75F, 1.5F}));
  EXPECT_EQ(solved({.isUnit = true}), (std::vector<float>{2, 4, 7, 2}));
}

TEST(Libraries, WhatIsMissingIsSaidByNameWithWhatBringsIt) {
  const auto none = Cufft::open(kNowhere);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, "missing-library");
  EXPECT_NE(none.error().message.find("cuFFT"), std::string::npos);
  EXPECT_NE(none.error().notes[0].find("nvidia-cufft"), std::string::npos);
  const auto old = CublasLt::open(kOld);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, "old-library");
  EXPECT_NE(old.error().message.find("cublasLtMatmulDescCreate"), std::string::npos);
  EXPECT_EQ(libraryCallsHere(kFakes), std::vector<bool>(kLibraryCallCount, true));
  EXPECT_EQ(libraryCallsHere(kNowhere), std::vector<bool>(kLibraryCallCount, false));
}

TEST(Libraries, ACallThatReachesOutsideItsArraysIsMalformed) {
  const MatrixProductCall call{
      .rows = 4, .columns = 4, .depth = 4, .leadingA = 4, .leadingB = 4, .leadingD = 4};
  const std::vector<int64_t> enough = {64, 64}, little = {64, 60}, result = {64};
  EXPECT_TRUE(checkLibraryCall(call, enough, result, "dot"));
  EXPECT_EQ(checkLibraryCall(call, little, result, "dot").error().kind, "malformed-program");
  MatrixProductCall wild = call;
  wild.bias = 9;
  EXPECT_FALSE(checkLibraryCall(wild, enough, result, "dot"));
  EXPECT_FALSE(checkLibraryCall(CholeskyCall{.size = INT64_MAX}, enough, result, "cholesky"));
}

}  // namespace
}  // namespace hilo
