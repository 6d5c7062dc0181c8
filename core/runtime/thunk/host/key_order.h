// The order in which unsigned keys stand: what a sort does where its comparator is one of keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace hilo {

// Reuses its memory from line to line. One thread.
class KeyOrder {
 public:
  // The places (counted from 0) of the `kept` smallest of `length` keys of `keyBytes` (1, 2, 4 or 8) bytes
  // each, the smallest first and equal ones by their place; `order` becomes `kept` long. 0 <= kept <= length.
  void find(const std::byte* keys, int64_t keyBytes, int64_t length, int64_t kept,
            std::vector<int64_t>& order);

  // Writes `length` values in the order of their keys, equal ones as they came, to `out`. Of keys and values
  // of 1, 2 or 4 bytes each, or of 8 both; fewer than 2^32.
  void sortValues(const std::byte* keys, int64_t keyBytes, const std::byte* values, int64_t valueBytes,
                  int64_t length, std::byte* out);

 private:
  template <typename Key>
  void findOf(const Key* keys, int64_t length, int64_t kept, std::vector<int64_t>& order);
  template <typename Packed, typename Key>
  void findPacked(const Key* keys, int64_t length, int64_t kept, std::vector<int64_t>& order);

  template <typename Key, typename Value>
  void sortValuesOf(const Key* keys, const Value* values, int64_t length, Value* out);

  // At least so many bytes, which hold anything.
  std::byte* room(size_t bytes);

  std::unique_ptr<std::byte[]> room_;
  size_t roomBytes_ = 0;
};

}  // namespace hilo
