// Lists of neighbours in two flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hilo {

struct Adjacency {
  std::vector<uint32_t> start;  // one more than there are keys
  std::vector<uint32_t> items;

  std::span<const uint32_t> of(uint32_t key) const {
    return std::span(items).subspan(start[key], start[key + 1] - start[key]);
  }
};

// For each i in [0, count): value(i) goes into the list of key(i). Lists keep the order of i.
template <typename Key, typename Value>
Adjacency makeAdjacency(size_t keyCount, size_t count, Key key, Value value) {
  Adjacency lists;
  lists.start.assign(keyCount + 1, 0);
  lists.items.resize(count);
  for (size_t i = 0; i < count; ++i) ++lists.start[key(i) + 1];
  for (size_t k = 0; k < keyCount; ++k) lists.start[k + 1] += lists.start[k];
  std::vector<uint32_t> next(lists.start.begin(), lists.start.end() - 1);
  for (size_t i = 0; i < count; ++i) lists.items[next[key(i)]++] = static_cast<uint32_t>(value(i));
  return lists;
}

}  // namespace hilo
