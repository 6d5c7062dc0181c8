// CUB's radix sorts, of one block and of many, and the same by the host.
#include <numeric>

#include "tests/conformance/ptx/cub_kernels.h"

namespace hilo {
namespace {

using Words = std::vector<unsigned>;
constexpr size_t kDigits = 256, kPasses = 4;

// All different, and none of them 0.
Words keysOf(size_t count) {
  Words keys(count);
  for (size_t i = 0; i < count; ++i) keys[i] = static_cast<unsigned>((i + 1) * 2654435761u);
  return keys;
}

class CubSorts : public CubKernels {
 protected:
  // A pass a digit of 8 bits, each a kernel whose tiles look back at those before them (CUB's onesweep),
  // after one that counts all digits and one that says where each begins. Of the values there may be none.
  void sweep(const std::string& policy, Words& keys, Words& values) {
    const auto count = static_cast<unsigned>(keys.size());
    Words bins(kPasses * kDigits), nextKeys(count), nextValues(values.size());
    launch({"RadixSortHistogramKernel", policy}, 3, 0,
           {array(bins), array(keys), param(count), param(0), param(32), nothing()});
    launch({"RadixSortExclusiveSumKernel", policy}, kPasses, kDigits, {array(bins)});
    const auto pass = [&](size_t number, size_t tiles) {
      std::vector<int> lookback(tiles * kDigits), counter(1);
      launch(
          {"RadixSortOnesweepKernel", policy}, static_cast<uint32_t>(tiles), 0,
          {array(lookback), array(counter), null(), array(bins, true, number * kDigits), array(nextKeys),
           array(keys), values.empty() ? null() : array(nextValues), values.empty() ? null() : array(values),
           param(count), param(static_cast<int>(8 * number)), param(8), nothing()});
      memory_.remove(reinterpret_cast<std::byte*>(lookback.data()));
      memory_.remove(reinterpret_cast<std::byte*>(counter.data()));
    };
    pass(0, 1);  // how large a tile is, this one by itself tells
    const auto tile = keys.size() - static_cast<size_t>(std::ranges::count(nextKeys, 0u));
    ASSERT_GE(tile, 128u);
    ASSERT_LT(tile, keys.size());
    for (size_t number = 0; number < kPasses; ++number) {
      pass(number, (keys.size() + tile - 1) / tile);
      std::ranges::swap_ranges(keys, nextKeys);
      std::ranges::swap_ranges(values, nextValues);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, CubSorts, testing::Bool());

TEST_P(CubSorts, InOneBlock) {
  Words in = keysOf(1500), out(in.size());
  launch({"DeviceRadixSortSingleTileKernel", "8NullTypeEjE"}, 1, 0,
         {array(in), array(out, false), null(), null(), param(1500), param(0), param(32), nothing()});
  std::ranges::sort(in);
  EXPECT_EQ(out, in);
}

TEST_P(CubSorts, InTilesThatLookBack) {
  Words keys = keysOf(50'001), none, expected = keys;
  sweep("policy_hubIjNS0_8NullTypeEjE", keys, none);
  std::ranges::sort(expected);
  EXPECT_EQ(keys, expected);
}

TEST_P(CubSorts, PairsInTilesThatLookBack) {
  Words keys = keysOf(30'000), values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  const Words given = keys;
  Words expected = values;
  sweep("policy_hubIjjjE", keys, values);
  std::ranges::sort(expected, {}, [&](unsigned i) { return given[i]; });
  EXPECT_EQ(values, expected);
}

// Three passes of three kernels: each block counts the digits of its share, one adds the counts up, and each
// block puts its share where they say.
TEST_P(CubSorts, InShares) {
  constexpr int kBlocks = 5;
  constexpr size_t kShare = 6000;
  std::vector<uint16_t> keys(kBlocks * kShare - 1234), next(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<uint16_t>(i * 40503u % 50021u);
  auto expected = keys;
  std::ranges::sort(expected);
  const auto count = static_cast<unsigned>(keys.size());
  const CubShares shares{
      .tiles = kBlocks, .items = kShare, .count = count, .blocks = kBlocks, .begin = count, .end = count};
  Words counts(128 * kBlocks);
  for (const int bit : {0, 7, 14}) {
    const auto from = param(bit), bits = param(std::min(7, 16 - bit));
    launch({"RadixSortUpsweepKernel", "policy_hubIt", "ELb0E"}, kBlocks, 0,
           {array(keys), array(counts), param(count), from, bits, param(shares), nothing()});
    launch({"RadixSortScanBinsKernel", "policy_hubIt"}, 1, 0,
           {array(counts), param(static_cast<int>(counts.size()))});
    launch({"RadixSortDownsweepKernel", "policy_hubIt", "ELb0E"}, kBlocks, 0,
           {array(keys), array(next), null(), null(), array(counts), param(count), from, bits, param(shares),
            nothing()});
    std::ranges::swap_ranges(keys, next);
  }
  EXPECT_EQ(keys, expected);
}

}  // namespace
}  // namespace hilo
