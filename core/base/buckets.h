// Items sorted into numbered buckets, in two arrays: a million short lists cost no allocation each.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace hilo {

template <typename T>
class Buckets {
 public:
  // `forEach` is called twice with a function put(bucket, item), and must put the same both times. Items of a
  // bucket stay in the order they were put.
  template <typename ForEach>
  Buckets(size_t count, ForEach forEach) : first_(count + 1) {
    forEach([&](size_t bucket, const T&) { ++first_[bucket + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    items_.resize(first_.back());
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    forEach([&](size_t bucket, const T& item) { items_[next[bucket]++] = item; });
  }
  std::span<const T> operator[](size_t bucket) const {
    return std::span(items_).subspan(first_[bucket], first_[bucket + 1] - first_[bucket]);
  }
  size_t size() const { return first_.size() - 1; }

 private:
  std::vector<uint32_t> first_;
  std::vector<T> items_;
};

}  // namespace hilo
