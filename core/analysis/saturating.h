// Sums and products of non-negative counts that stop at INT64_MAX: sizes in a hostile module must not wrap.
#pragma once

#include <cstdint>
#include <limits>

namespace hilo {

inline int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}
inline int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace hilo
