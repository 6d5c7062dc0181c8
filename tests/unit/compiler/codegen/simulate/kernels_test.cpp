// Kernels that nvcc compiled of tests/data/ptx/basic.cu, against what they should give.
#include <cmath>
#include <map>
#include <numeric>

#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

SimulatedRun& basic() {
  static SimulatedRun& run = *new SimulatedRun(SimulatedRun::ofFile("basic.ptx"));
  return run;
}

TEST(SimulatedKernels, SaxpyAddsEachElement) {
  auto x = countingValues<float>(1000), y = countingValues<float>(1000, 13);
  const auto before = y;
  float a = 2.5f;
  int n = 999;
  basic().good({.kernel = "saxpy", .grid = {8}, .block = {128}}, a, x, y, n);
  for (size_t i = 0; i < 999; ++i) EXPECT_EQ(y[i], std::fma(a, x[i], before[i]));
  EXPECT_EQ(y[999], before[999]);
}

TEST(SimulatedKernels, ABlockReducesThroughSharedMemory) {
  auto in = countingValues<float>(5000);
  std::vector<float> out(4);
  int n = 5000;
  basic().good({.kernel = "blockReduce", .grid = {4}, .block = {256}}, in, out, n);
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0.0f), std::accumulate(in.begin(), in.end(), 0.0f));
}

TEST(SimulatedKernels, AWarpScansByShuffles) {
  auto in = countingValues<int>(128);
  std::vector<int> out(128);
  basic().good({.kernel = "warpScan", .grid = {2}, .block = {64}}, in, out);
  for (size_t warp = 0; warp < 4; ++warp) {
    int sum = 0;
    for (size_t i = warp * 32; i < warp * 32 + 32; ++i) EXPECT_EQ(out[i], sum += in[i]);
  }
}

TEST(SimulatedKernels, MatricesAreMultipliedByTiles) {
  constexpr size_t kSize = 48;
  auto a = countingValues<float>(kSize * kSize), b = countingValues<float>(kSize * kSize, 11, -5);
  std::vector<float> c(kSize * kSize);
  int n = kSize;
  basic().good({.kernel = "matmul", .grid = {3, 3}, .block = {16, 16}}, a, b, c, n);
  for (size_t row = 0; row < kSize; ++row) {
    for (size_t column = 0; column < kSize; ++column) {
      float sum = 0;
      for (size_t k = 0; k < kSize; ++k) sum += a[row * kSize + k] * b[k * kSize + column];
      ASSERT_EQ(c[row * kSize + column], sum) << row << " " << column;
    }
  }
}

TEST(SimulatedKernels, ATransposeGoesThroughPaddedTiles) {
  auto in = countingValues<float>(64 * 64, 4093);
  std::vector<float> out(64 * 64);
  int n = 64;
  basic().good({.kernel = "transpose", .grid = {2, 2}, .block = {32, 8}}, in, out, n);
  for (size_t i = 0; i < 64 * 64; ++i) ASSERT_EQ(out[i % 64 * 64 + i / 64], in[i]);
}

TEST(SimulatedKernels, AtomicsCountAHistogram) {
  std::vector<unsigned char> in(3000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * i % 251);
  std::vector<unsigned> bins(256), expected(256);
  for (const unsigned char value : in) ++expected[value];
  int n = 3000;
  basic().good({.kernel = "histogram", .grid = {3}, .block = {256}}, in, bins, n);
  EXPECT_EQ(bins, expected);
}

TEST(SimulatedKernels, LanesVoteAndMatch) {
  auto in = countingValues<int>(32, 5, 1);
  std::vector<unsigned> out(96);
  basic().good({.kernel = "votes", .block = {32}}, in, out);
  unsigned odd = 0;
  std::map<int, unsigned> same;
  for (size_t i = 0; i < 32; ++i) {
    odd |= (in[i] & 1) != 0 ? 1u << i : 0;
    same[in[i]] |= 1u << i;
  }
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i * 3], odd);
    EXPECT_EQ(out[i * 3 + 1], same[in[i]]);
    EXPECT_EQ(out[i * 3 + 2], 2u);
  }
}

TEST(SimulatedKernels, AStencilReadsItsNeighbours) {
  constexpr size_t kSize = 40;
  auto in = countingValues<float>(kSize * kSize);
  std::vector<float> out(kSize * kSize, -1);
  int n = kSize;
  basic().good({.kernel = "stencil", .grid = {3, 5}, .block = {16, 8}}, in, out, n);
  EXPECT_EQ(out[0], -1);
  for (size_t y = 1; y < kSize - 1; ++y) {
    for (size_t x = 1; x < kSize - 1; ++x) {
      const size_t at = y * kSize + x;
      ASSERT_EQ(out[at], 0.25f * (in[at - 1] + in[at + 1] + in[at - kSize] + in[at + kSize]));
    }
  }
}

TEST(SimulatedKernels, ASoftmaxSumsToOne) {
  constexpr size_t kColumns = 300;
  auto in = countingValues<float>(3 * kColumns);
  std::vector<float> out(3 * kColumns);
  int columns = kColumns;
  basic().good({.kernel = "softmax", .grid = {3}, .block = {96}}, in, out, columns);
  for (size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (size_t i = 0; i < kColumns; ++i) sum += std::exp(double{in[row * kColumns + i]} - 8);
    for (size_t i = 0; i < kColumns; ++i)
      ASSERT_NEAR(out[row * kColumns + i], std::exp(double{in[row * kColumns + i]} - 8) / sum, 1e-6);
  }
}

TEST(SimulatedKernels, BlocksMayWaitForLaterOnes) {
  std::vector<unsigned> flags(9), order(9);
  basic().good({.kernel = "chain", .grid = {9}, .block = {32}}, flags, order);
  for (unsigned i = 0; i < 9; ++i) EXPECT_EQ(order[i], 8 - i);
}

}  // namespace
}  // namespace hilo
