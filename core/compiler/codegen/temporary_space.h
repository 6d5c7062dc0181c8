// Where values lie while a program runs: one allocation for all temporaries, given out in the order of the
// thunks and taken back after the last use. Reuse makes thunks wait for each other where they otherwise would
// not; the executor sees that from the slices.
#pragma once

#include <map>
#include <memory>

#include "core/runtime/program/buffer_slice.h"

namespace hilo {

// Offsets within the allocation, first fit.
class TemporarySpace {
 public:
  static constexpr int64_t kAlignment = 64;

  int64_t take(int64_t bytes);
  void giveBack(int64_t offset, int64_t bytes);
  int64_t sizeBytes() const { return size_; }

 private:
  std::map<int64_t, int64_t> free_;  // offset to bytes, no two adjacent
  int64_t size_ = 0;
};

// A piece of memory that values share. It goes back to the space with its last holder.
class Slab {
 public:
  // Memory that is not given back: parameters and constants.
  explicit Slab(BufferSlice slice) : slice(slice) {}
  Slab(TemporarySpace& space, uint32_t allocation, int64_t bytes)
      : slice{allocation, space.take(bytes), bytes}, space_(&space) {}
  ~Slab() {
    if (space_ != nullptr) space_->giveBack(slice.offsetBytes, slice.sizeBytes);
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  const BufferSlice slice;
  bool isWritable() const { return space_ != nullptr; }
  // Holders that allow others to write over it: the loop whose state it is.
  int permissive = 0;

 private:
  TemporarySpace* space_ = nullptr;
};
using SlabPointer = std::shared_ptr<Slab>;

}  // namespace hilo
