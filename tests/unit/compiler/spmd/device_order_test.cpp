// Orders of devices held as digits do what lists of the same devices do, and stay small.
#include "core/compiler/spmd/device_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace hilo {
namespace {

// Element i of the table is at the place that its transposed index says: straight from the definition.
std::vector<int64_t> transposedList(const std::vector<int64_t>& list, const std::vector<int64_t>& sizes,
                                    const std::vector<size_t>& order) {
  std::vector<int64_t> result;
  for (size_t place = 0; place < list.size(); ++place) {
    std::vector<int64_t> index(sizes.size());
    auto rest = static_cast<int64_t>(place);
    for (size_t i = order.size(); i-- > 0;) {
      index[order[i]] = rest % sizes[order[i]];
      rest /= sizes[order[i]];
    }
    int64_t at = 0;
    for (size_t d = 0; d < sizes.size(); ++d) at = at * sizes[d] + index[d];
    result.push_back(list[static_cast<size_t>(at)]);
  }
  return result;
}

TEST(DeviceOrder, TransposesAsAListDoes) {
  std::mt19937 random(7);
  const std::vector<std::vector<int64_t>> tables = {{2, 3, 4}, {4, 6}, {3, 2, 2, 2}, {24}, {8, 3}, {2, 12}};
  DeviceOrder order = DeviceOrder::iota(24);
  for (int step = 0; step < 200; ++step) {
    const auto& sizes = tables[random() % tables.size()];
    std::vector<size_t> dimensions(sizes.size());
    std::iota(dimensions.begin(), dimensions.end(), 0);
    std::ranges::shuffle(dimensions, random);
    const std::vector<int64_t> expected = transposedList(order.list(), sizes, dimensions);
    order = order.transposed(sizes, dimensions);
    ASSERT_EQ(order.list(), expected);
    ASSERT_EQ(order, DeviceOrder(expected)) << "an order has one form, whichever way it came about";
    ASSERT_TRUE(order.isPermutationOf(24));
    for (size_t d = 0; d < sizes.size(); ++d) {
      const DeviceNumbers places = order.placesAlong(sizes, d);
      const auto inner = std::accumulate(sizes.begin() + static_cast<int64_t>(d) + 1, sizes.end(), int64_t{1},
                                         std::multiplies<>());
      for (size_t i = 0; i < 24; ++i)
        ASSERT_EQ(places[static_cast<size_t>(expected[i])], static_cast<int64_t>(i) / inner % sizes[d]);
    }
  }
}

TEST(DeviceOrder, SortsRunsAndGroups) {
  const DeviceOrder order = DeviceOrder::iota(std::vector<int64_t>{2, 3, 4}, std::vector<int64_t>{2, 0, 1});
  std::vector<int64_t> sorted = order.list();
  for (auto run = sorted.begin(); run != sorted.end(); run += 6) std::sort(run, run + 6);
  EXPECT_EQ(order.withSortedRuns(6).list(), sorted);
  // By the last digit of the device, then by the device.
  const auto grouped = DeviceOrder::sortedBy(DeviceNumbers(24, {{4, 1, 1}}), 4);
  ASSERT_TRUE(grouped);
  EXPECT_EQ((*grouped)[0], 0);
  EXPECT_EQ((*grouped)[1], 4);
  EXPECT_EQ((*grouped)[6], 1);
  EXPECT_FALSE(DeviceOrder::sortedBy(DeviceNumbers({0, 0, 0, 1}), 2)) << "groups of three and of one";
}

TEST(DeviceOrder, NumbersThatDoNotFitGiveNone) {
  EXPECT_EQ(DeviceOrder::iota(std::vector<int64_t>{2, -1}, {}).size(), 0);
  EXPECT_EQ(DeviceOrder::iota(std::vector<int64_t>{2, 2}, std::vector<int64_t>{0, 0}).size(), 0);
  EXPECT_EQ(DeviceOrder::iota(std::vector<int64_t>{1 << 20, 1 << 20}, {}).size(), 0);
}

TEST(DeviceNumbers, AddDivideAndPairAsListsDo) {
  const DeviceNumbers a(12, {{3, 4, 2}, {2, 2, 1}}), b(12, {{2, 1, 5}, {3, 4, -2}}, 7);
  const DeviceNumbers sum = a.plus(b), half = a.dividedBy(2);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(sum[i], a[i] + b[i]);
    EXPECT_EQ(half[i], a[i] / 2);
    pairs.emplace_back(a[i], b[i]);
  }
  std::ranges::sort(pairs);
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  EXPECT_EQ(DeviceNumbers::pairs(a, b), pairs);
  EXPECT_FALSE(sum.isListed());
  EXPECT_EQ(sum, DeviceNumbers(sum.list()));
}

TEST(DeviceOrder, ManyDevicesStayDigits) {
  const std::vector<int64_t> mesh = {256, 256};
  const DeviceOrder order = DeviceOrder::iota(65'536).transposed(mesh, std::vector<size_t>{1, 0});
  EXPECT_FALSE(order.placesAlong(mesh, 0).isListed());
  EXPECT_EQ(order.iota()->reshape, mesh);
  EXPECT_EQ(order[1], 256);
}

}  // namespace
}  // namespace hilo
