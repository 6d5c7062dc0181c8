// Products of tensor cores and asynchronous copies, of tests/data/ptx/tensor.cu, against plain loops.
#include "core/base/float_formats.h"
#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

SimulatedRun& tensor() {
  static SimulatedRun& run = *new SimulatedRun(SimulatedRun::ofFile("tensor.ptx"));
  return run;
}

// a by rows, b by columns.
template <typename Sum, typename T>
std::vector<Sum> product(const std::vector<T>& a, const std::vector<T>& b, size_t depth) {
  std::vector<Sum> c(16 * 8);
  for (size_t i = 0; i < c.size(); ++i) {
    for (size_t k = 0; k < depth; ++k)
      c[i] += static_cast<Sum>(a[i / 8 * depth + k]) * static_cast<Sum>(b[i % 8 * depth + k]);
  }
  return c;
}

template <typename T>
std::vector<T> narrowed(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

template <typename T>
void expectProduct16(const char* kernel) {
  const auto a = countingValues<float>(256), b = countingValues<float>(128, 11, -5);
  auto narrowA = narrowed<T>(a), narrowB = narrowed<T>(b);
  std::vector<float> c(128), expected = product<float>(a, b, 16);
  tensor().good({.kernel = kernel, .block = {32}}, narrowA, narrowB, c);
  for (size_t i = 0; i < c.size(); ++i) {
    // The kernel's accumulator begins with 1 and 2 in the upper rows, with 3 and 4 in the lower ones.
    const float before = static_cast<float>(i / 64 * 2 + i % 2 + 1);
    ASSERT_EQ(c[i], expected[i] + before) << i;
  }
}

TEST(SimulatedTensorCores, HalvesAreMultiplied) { expectProduct16<F16>("productF16"); }
TEST(SimulatedTensorCores, BrainFloatsAreMultiplied) { expectProduct16<BF16>("productBf16"); }

TEST(SimulatedTensorCores, Tf32RoundsTo10Bits) {
  auto a = countingValues<float>(128), b = countingValues<float>(64, 11, -5);
  a[0] = 1 + 0x1p-11f + 0x1p-20f;  // rounds up to 1 + 2^-10
  std::vector<float> c(128);
  tensor().good({.kernel = "productTf32", .block = {32}}, a, b, c);
  a[0] = 1 + 0x1p-10f;
  EXPECT_EQ(c, product<float>(a, b, 8));
}

TEST(SimulatedTensorCores, BytesAreSummedAsIntegers) {
  auto a = countingValues<signed char>(512, 251, -128), b = countingValues<signed char>(256, 241, -120);
  std::vector<int> c(128);
  tensor().good({.kernel = "productS8", .block = {32}}, a, b, c);
  EXPECT_EQ(c, product<int>(a, b, 32));
}

TEST(SimulatedTensorCores, MatricesAreLoadedAsTheyLieAndTransposed) {
  auto in = countingValues<unsigned short>(256, 251, 0);
  std::vector<unsigned> plain(128), turned(128);
  tensor().good({.kernel = "matrices", .block = {32}}, in, plain, turned);
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t matrix = 0; matrix < 4; ++matrix) {
      const size_t row = lane / 4, column = lane % 4 * 2;
      const auto at = [&](size_t r, size_t c) { return unsigned{in[matrix * 64 + r * 8 + c]}; };
      EXPECT_EQ(plain[lane * 4 + matrix], at(row, column) | at(row, column + 1) << 16);
      EXPECT_EQ(turned[lane * 4 + matrix], at(column, row) | at(column + 1, row) << 16);
    }
  }
}

TEST(SimulatedTensorCores, CopiesAreThereWhenTheyWereWaitedFor) {
  auto in = countingValues<float>(128 * 5, 101);
  std::vector<float> out(128);
  int tiles = 5;
  tensor().good({.kernel = "pipeline", .block = {128}}, in, out, tiles);
  for (size_t i = 0; i < 128; ++i) {
    float sum = 0;
    for (size_t tile = 0; tile < 5; ++tile) sum += in[tile * 128 + 127 - i];
    EXPECT_EQ(out[i], sum);
  }
}

}  // namespace
}  // namespace hilo
