// CUB's device reduce, scan and histogram, and the same by the host.
#include <numeric>

#include "tests/conformance/ptx/cub_kernels.h"

namespace hilo {
namespace {

class CubFolds : public CubKernels {};
INSTANTIATE_TEST_SUITE_P(Modes, CubFolds, testing::Bool());

std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 2654435761u % 4001) - 2000;
  return values;
}

TEST_P(CubFolds, ReduceInOneBlock) {
  auto in = numbers(3000);
  std::vector<int> out(1);
  launch({"DeviceReduceSingleTileKernel", "EPKiPij"}, 1, 0,
         {array(in), array(out, false), param(3000), nothing(), param(5), nothing()});
  EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 5));
}

// Seven blocks take tiles in turn, and one adds what they found.
TEST_P(CubFolds, ReduceInManyBlocks) {
  constexpr int kBlocks = 7;
  auto in = numbers(100'003);
  std::vector<int> ofBlocks(kBlocks), out(1);
  const auto count = static_cast<unsigned>(in.size());
  const CubShares shares{.count = count, .blocks = kBlocks, .begin = count, .end = count};
  launch({"18DeviceReduceKernel"}, kBlocks, 0,
         {array(in), array(ofBlocks, false), param(count), param(shares), nothing(), nothing()});
  launch({"DeviceReduceSingleTileKernel", "EPiSC_i"}, 1, 0,
         {array(ofBlocks), array(out, false), param(kBlocks), nothing(), param(5), nothing()});
  EXPECT_EQ(out[0], std::accumulate(in.begin(), in.end(), 5));
}

// Tiles look back at what those before them published. How large one is, the first by itself tells.
TEST_P(CubFolds, Scan) {
  constexpr int kUnset = 1 << 30;
  auto in = numbers(20000);
  std::vector<int> out(in.size(), kUnset), expected(in.size());
  std::vector<uint64_t> states(2 * (200 + 32));
  const auto scan = [&](uint32_t tiles) {
    launch({"DeviceScanInitKernel"}, 2, 128, {array(states), param(static_cast<int>(tiles))});
    launch({"DeviceScanKernel"}, tiles, 0,
           {array(in), array(out, true), array(states), param(0), nothing(), nothing(), param(20000)});
  };
  scan(1);
  const auto tile = static_cast<size_t>(std::ranges::find(out, kUnset) - out.begin());
  ASSERT_GE(tile, 128u);
  ASSERT_LT(tile, in.size());
  scan(static_cast<uint32_t>((in.size() + tile - 1) / tile));
  std::partial_sum(in.begin(), in.end(), expected.begin());
  EXPECT_EQ(out, expected);
}

// 10 bins of 0 .. 250, cleared by a kernel of their own.
TEST_P(CubFolds, Histogram) {
  std::vector<uint8_t> in(10000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i * 2654435761u % 251);
  std::vector<int> bins(10, -1), privatized(4 * 256), expected(10);
  std::vector<int> queue(4);
  const int scale[4] = {250, 0, 10, 250};  // most, least, bins over range
  launch({"DeviceHistogramInitKernel"}, 1, 256, {param(10), array(bins, false), array(queue)});
  launch({"DeviceHistogramSweepKernel"}, 3, 0,
         {array(in), param(10), param(256), array(bins), array(privatized), param(scale), nothing(),
          param(10000), param(1), param(10000), param(3), array(queue)});
  for (const uint8_t value : in) {
    if (value < 250) ++expected[value / 25u];
  }
  EXPECT_EQ(bins, expected);
}

}  // namespace
}  // namespace hilo
