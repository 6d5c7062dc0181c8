// Orders of keys against std::stable_sort: every width, lines on both sides of each length at which another
// way is taken, few kept and all, many equal keys and the largest there is.
#include "core/runtime/thunk/host/key_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>

namespace hilo {
namespace {

template <typename Key>
std::vector<Key> keysOf(int64_t length, uint64_t different) {
  std::mt19937_64 random(static_cast<uint64_t>(length) * 31 + different);
  std::vector<Key> keys(static_cast<size_t>(length));
  // The largest ones, so that all bytes of a wide key differ.
  for (Key& key : keys) key = static_cast<Key>(~Key{0} - static_cast<Key>(random() % different));
  return keys;
}

template <typename Key>
std::vector<int64_t> orderOf(const std::vector<Key>& keys) {
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [data = keys.data()](int64_t a, int64_t b) { return data[a] < data[b]; });
  return order;
}

template <typename Key, typename Value>
void expectSortedValues(KeyOrder& finder, const std::vector<Key>& keys, const std::vector<Value>& values,
                        const std::vector<int64_t>& order) {
  std::vector<Value> expected, got(keys.size());
  for (const int64_t i : order) expected.push_back(values[static_cast<size_t>(i)]);
  finder.sortValues(reinterpret_cast<const std::byte*>(keys.data()), sizeof(Key),
                    reinterpret_cast<const std::byte*>(values.data()), sizeof(Value), std::ssize(keys),
                    reinterpret_cast<std::byte*>(got.data()));
  ASSERT_EQ(got, expected) << keys.size();
}

// Values that tell keys of one size apart, by what stands where in them.
template <typename Value, typename Key>
void expectSortedPlaces(KeyOrder& finder, const std::vector<Key>& keys, const std::vector<int64_t>& order) {
  std::vector<Value> values(keys.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Value>(i * 7);
  expectSortedValues(finder, keys, values, order);
}

// Values that follow from the keys, as those of floats do from theirs; and where one value does not.
template <typename Key>
void expectSortedNumbers(KeyOrder& finder, const std::vector<Key>& keys) {
  constexpr Key kTop = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  std::vector<Key> values(keys.size()), halves(keys);
  for (size_t i = 0; i < halves.size(); i += 2) halves[i] = static_cast<Key>(halves[i] ^ kTop);
  const std::vector<int64_t> order = orderOf(halves);
  for (const Key low : {Key{0}, static_cast<Key>(~Key{0})}) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<Key>(halves[i] ^ ((halves[i] & kTop) != 0 ? kTop : low));
    expectSortedValues(finder, halves, values, order);
  }
  Key& odd = values[values.size() / 2];
  odd = static_cast<Key>(odd ^ 1);
  expectSortedValues(finder, halves, values, order);
}

template <typename Key>
void expectOrders() {
  KeyOrder finder;
  std::vector<int64_t> found;
  for (const int64_t length : {1, 2, 63, 64, 65, 97, 300, 4096, 65535, 65536, 70001}) {
    for (const uint64_t different : {uint64_t{1}, uint64_t{7}, uint64_t{40000}, ~uint64_t{0}}) {
      const std::vector<Key> keys = keysOf<Key>(length, different);
      const std::vector<int64_t> expected = orderOf(keys);
      if constexpr (sizeof(Key) <= 4) {
        expectSortedPlaces<uint8_t>(finder, keys, expected);
        expectSortedPlaces<uint32_t>(finder, keys, expected);
      } else {
        expectSortedPlaces<uint64_t>(finder, keys, expected);
      }
      expectSortedNumbers(finder, keys);
      for (const int64_t kept : {int64_t{0}, int64_t{1}, length / 100, length / 3, length}) {
        if (kept > length) continue;
        finder.find(reinterpret_cast<const std::byte*>(keys.data()), sizeof(Key), length, kept, found);
        ASSERT_TRUE(std::ranges::equal(found, std::span(expected).first(static_cast<size_t>(kept))))
            << fmt::format("{} of {} keys of {} bytes", kept, length, sizeof(Key));
      }
    }
  }
}

TEST(KeyOrder, OneByte) { expectOrders<uint8_t>(); }
TEST(KeyOrder, TwoBytes) { expectOrders<uint16_t>(); }
TEST(KeyOrder, FourBytes) { expectOrders<uint32_t>(); }
TEST(KeyOrder, EightBytes) { expectOrders<uint64_t>(); }

}  // namespace
}  // namespace hilo
