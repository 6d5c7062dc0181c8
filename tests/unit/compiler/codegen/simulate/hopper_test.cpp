// Products of warp groups, boxes of tensors and tiles of warps: tests/data/ptx/hopper.cu.
#include "core/base/float_formats.h"
#include "core/runtime/device/simulated/tensor_map.h"
#include "tests/unit/compiler/codegen/simulate/simulated_run.h"

namespace hilo {
namespace {

class SimulatedHopper : public testing::TestWithParam<bool> {
 protected:
  template <typename... Args>
  void run(const SimulatedLaunch& launch, Args&... args) {
    static SimulatedRun& plain = *new SimulatedRun(SimulatedRun::ofFile("hopper.ptx"));
    static SimulatedRun& checked = *new SimulatedRun(SimulatedRun::ofFile("hopper.ptx", true));
    const SimulatedReport report = (GetParam() ? checked : plain).good(launch, args...);
    for (const Diagnostic& finding : report.findings) ADD_FAILURE() << toString(finding);
  }

  // Small numbers, exact in each type, and base + sign * a b^T, b by columns.
  template <typename T, typename C>
  void product(const char* kernel, int m, int n, int k, uint32_t threads, C base, int sign = 1) {
    std::vector<T> a(static_cast<size_t>(m * k)), b(static_cast<size_t>(n * k));
    for (size_t i = 0; i < a.size(); ++i) a[i] = T(static_cast<float>(static_cast<int>(i * 7 % 11) - 5));
    for (size_t i = 0; i < b.size(); ++i) b[i] = T(static_cast<float>(static_cast<int>(i * 5 % 9) - 4));
    std::vector<C> c(static_cast<size_t>(m * n));
    run({.kernel = kernel, .block = {threads}}, a, b, c);
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        double sum = 0;
        for (int i = 0; i < k; ++i)
          sum += static_cast<double>(static_cast<float>(a[static_cast<size_t>(row * k + i)])) *
                 static_cast<double>(static_cast<float>(b[static_cast<size_t>(column * k + i)]));
        const int place = row / 8 % 2 * 2 + column % 2;  // of an accumulator's four
        const double begin = base < 0 ? place + 1 : static_cast<double>(base);
        ASSERT_EQ(static_cast<double>(c[static_cast<size_t>(row * n + column)]), begin + sign * sum)
            << kernel << " " << row << " " << column;
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, SimulatedHopper, testing::Bool());

TEST_P(SimulatedHopper, AWarpGroupMultipliesMatricesOfSharedMemory) {
  product<F16, float>("groupPlain", 64, 8, 16, 128, 0);
  product<F16, float>("groupSwizzled", 64, 8, 64, 128, 0);
  product<int8_t, int>("groupS8", 64, 8, 32, 128, 0);
}
TEST_P(SimulatedHopper, AWarpGroupTakesRowsFromRegistersAndSubtracts) {
  product<BF16, float>("groupRegisters", 64, 8, 16, 128, -1, -1);
}
TEST_P(SimulatedHopper, WarpsMultiplyTiles) {
  product<F16, float>("tileF16", 16, 16, 16, 32, 2);
  product<F16, float>("tileWide", 32, 8, 16, 32, 2);
  product<BF16, float>("tileBf16", 8, 32, 16, 32, 2);
  product<int8_t, int>("tileS8", 16, 16, 16, 32, 2);
  product<double, double>("tileF64", 8, 8, 4, 32, 2);
}

// A tensor of 10 rows of 20; boxes of 4 rows of 16 hang over each side.
struct Tensor {
  std::vector<int> values = countingValues<int>(200, 199, 1);
  TensorMap map{.address = reinterpret_cast<std::byte*>(values.data()),
                .elementBytes = 4,
                .rank = 2,
                .sizes = {20, 10},
                .strides = {0, 80},
                .box = {16, 4}};
  int at(int x, int y) const {
    return x < 0 || y < 0 || x >= 20 || y >= 10 ? 0 : values[static_cast<size_t>(y * 20 + x)];
  }
};

TEST_P(SimulatedHopper, ABoxComesWithZerosBeyondTheTensor) {
  for (const auto& [x, y] : {std::pair{2, 3}, {12, 8}, {-3, -1}}) {
    Tensor tensor;
    auto map = encodeTensorMap(tensor.map);
    std::vector<int> out(64, -1);
    int atX = x, atY = y;
    run({.kernel = "boxIn", .block = {64}}, map, atX, atY, out, tensor.values);
    for (int i = 0; i < 64; ++i)
      ASSERT_EQ(out[static_cast<size_t>(i)], tensor.at(x + i % 16, y + i / 16)) << x << " " << i;
  }
}
TEST_P(SimulatedHopper, ABoxOfSwizzledRowsChangesPlaces) {
  Tensor tensor;
  tensor.map.swizzle = TensorSwizzle::Bytes64;
  auto map = encodeTensorMap(tensor.map);
  std::vector<int> out(64, -1);
  int x = 1, y = 1;
  run({.kernel = "boxIn", .block = {64}}, map, x, y, out, tensor.values);
  // Two rows of 64 bytes are one of 128; its number says which of 4 pieces change places.
  for (int i = 0; i < 64; ++i) {
    const int piece = i / 4 ^ (i / 32 % 4), from = piece * 4 + i % 4;
    ASSERT_EQ(out[static_cast<size_t>(i)], tensor.at(1 + from % 16, 1 + from / 16)) << i;
  }
}
TEST_P(SimulatedHopper, ABoxGoesWhereTheTensorIs) {
  Tensor tensor, before;
  auto map = encodeTensorMap(tensor.map);
  int x = 10, y = 7;
  run({.kernel = "boxOut", .block = {64}}, map, x, y, tensor.values);
  for (int i = 0; i < 200; ++i) {
    const int column = i % 20 - x, row = i / 20 - y;
    const bool isIn = column >= 0 && column < 16 && row >= 0 && row < 4;
    ASSERT_EQ(tensor.values[static_cast<size_t>(i)],
              isIn ? row * 16 + column + 1 : before.values[static_cast<size_t>(i)]);
  }
}

TEST(SimulatedTensorMaps, OtherBytesAreRefused) {
  auto run = SimulatedRun::ofFile("hopper.ptx");
  std::array<std::byte, 128> map{};
  int x = 0, y = 0;
  std::vector<int> out(64);
  EXPECT_EQ(run.fault({.kernel = "boxIn", .block = {64}}, map, x, y, out).substr(0, 20),
            "malformed-tensor-map");
}

}  // namespace
}  // namespace hilo
