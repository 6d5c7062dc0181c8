// Depthwise convolutions, which are kernels of our own: strides, dilations and padding about the edges of
// groups of columns, channels that fill no vector. Elements are small integers, so that every sum is exact.
#include <random>

#include "tests/unit/workspace/cpu_engine/same_bits.h"

namespace hilo {
namespace {

using Sizes = std::vector<int64_t>;

// A random convolution of `rank` dimensions of space, as text.
std::string depthwise(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int64_t from, int64_t to) {
    return from + static_cast<int64_t>(random() % static_cast<uint64_t>(to - from + 1));
  };
  const int64_t rank = pick(1, 3), channels = pick(16, 50), batch = pick(1, 3);
  Sizes input, output, filter, strides, dilations;
  std::vector<std::string> paddings;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = pick(1, 5), dilation = pick(1, 3), stride = pick(1, 3),
                  extent = (size - 1) * dilation + 1;
    const int64_t low = pick(0, extent), high = pick(0, extent), in = pick(extent, rank == 3 ? 14 : 40);
    input.push_back(in);
    filter.push_back(size);
    strides.push_back(stride);
    dilations.push_back(dilation);
    paddings.push_back(fmt::format("{}_{}", low, high));
    output.push_back((in + low + high - extent) / stride + 1);
  }
  const std::string space = std::string("012").substr(0, static_cast<size_t>(rank));
  const bool isFeatureFirst = pick(0, 2) == 0;
  const std::string kernel = isFeatureFirst ? fmt::format("{},1,{}", channels, fmt::join(filter, ","))
                                            : fmt::format("{},1,{}", fmt::join(filter, ","), channels);
  return fmt::format(
      "HloModule m\nENTRY e {{\n x = f32[{0},{1},{2}] parameter(0)\n k = f32[{3}] parameter(1)\n"
      " ROOT y = f32[{0},{4},{2}] convolution(x, k), window={{size={5} stride={6} pad={7} rhs_dilate={8}}}, "
      "dim_labels=b{9}f_{10}->b{9}f, feature_group_count={2}\n}}\n",
      batch, fmt::join(input, ","), channels, kernel, fmt::join(output, ","), fmt::join(filter, "x"),
      fmt::join(strides, "x"), fmt::join(paddings, "x"), fmt::join(dilations, "x"), space,
      isFeatureFirst ? "oi" + space : space + "io");
}

TEST(Depthwise, OfEveryFormGivesTheEvaluatorsBits) {
  int byKernel = 0, tried = 0;
  for (; tried < 60 && !testing::Test::HasFailure(); ++tried) {
    const std::string text = depthwise(static_cast<uint64_t>(tried));
    byKernel += !expectTheSameBits(text, ThunkKind::Convolution, tried % 4 == 0 ? "haswell" : "");
  }
  EXPECT_GT(byKernel, tried - 10);  // some are filter gradients by their sizes
}

// Many images, shared among threads, and a result written past the caches.
TEST(Depthwise, OfLargeArraysGivesTheEvaluatorsBits) {
  EXPECT_FALSE(expectTheSameBits(
      "HloModule m\nENTRY e {\n x = f32[4,60,115,256] parameter(0)\n k = f32[1,3,1,256] parameter(1)\n"
      " ROOT y = f32[4,60,115,256] convolution(x, k), window={size=1x3 pad=0_0x1_1}, "
      "dim_labels=b01f_01io->b01f, feature_group_count=256\n}\n",
      ThunkKind::Convolution));
}

}  // namespace
}  // namespace hilo
