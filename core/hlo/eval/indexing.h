// Index arithmetic on dense row-major arrays, the form every value has during evaluation.
#pragma once

#include <absl/container/inlined_vector.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace hilo {

using DimVector = absl::InlinedVector<int64_t, 6>;

// Elements to step over for one step in each dimension.
DimVector rowMajorStrides(std::span<const int64_t> dimensions);

// Saturates at INT64_MAX.
inline int64_t productOf(std::span<const int64_t> sizes) {
  int64_t product = 1;
  bool overflows = false;
  for (const int64_t size : sizes) {
    if (size == 0) return 0;
    overflows |= __builtin_mul_overflow(product, size, &product);
  }
  return overflows ? std::numeric_limits<int64_t>::max() : product;
}

// Counts through an index space in row-major order while keeping several linear offsets, one a stride vector.
// Use: for (StridedCounter c(sizes, {strides...}); !c.done(); c.next()) use(c.offset(0)).
template <int kOffsets>
class StridedCounter {
 public:
  StridedCounter(std::span<const int64_t> sizes,
                 const std::array<std::span<const int64_t>, kOffsets>& strides)
      : sizes_(sizes.begin(), sizes.end()), index_(sizes.size(), 0), done_(productOf(sizes) == 0) {
    for (int k = 0; k < kOffsets; ++k) strides_[k].assign(strides[k].begin(), strides[k].end());
  }

  bool done() const { return done_; }
  int64_t offset(int which) const { return offsets_[which]; }
  int64_t index(size_t dimension) const { return index_[dimension]; }
  std::span<const int64_t> index() const { return index_; }

  void next() {
    for (size_t d = sizes_.size(); d-- > 0;) {
      if (++index_[d] < sizes_[d]) {
        for (int k = 0; k < kOffsets; ++k) offsets_[k] += strides_[k][d];
        return;
      }
      for (int k = 0; k < kOffsets; ++k) offsets_[k] -= strides_[k][d] * (sizes_[d] - 1);
      index_[d] = 0;
    }
    done_ = true;
  }

 private:
  DimVector sizes_;
  DimVector index_;
  std::array<DimVector, kOffsets> strides_;
  std::array<int64_t, kOffsets> offsets_{};
  bool done_;
};

// One side of a move: element `base + sum of index * strides`. Strides count elements and may be
// 0 or negative.
struct StridedView {
  int64_t base = 0;
  std::span<const int64_t> strides;
};

// out[view(index)] = in[view(index)] for every index below `sizes`. The out elements must be distinct.
void moveStrided(void* out, StridedView to, const void* in, StridedView from, int elementBytes,
                 std::span<const int64_t> sizes);

// Dense row-major out from a strided in, and the other way round.
void copyStrided(void* out, const void* in, int elementBytes, std::span<const int64_t> sizes,
                 StridedView from);

// Fills `count` elements with the one at `element`.
void fillElements(void* out, const void* element, int elementBytes, int64_t count);

}  // namespace hilo
