// Where the values between the parameters and the result lie: one allocation, and one for each large result,
// so that it can be made where it is wanted. While a module is lowered each array has addresses of its own,
// and it is seen from when to when it is needed; once all is known, the heap of core/compiler/buffers gives
// each its place. Reuse makes thunks wait for each other where they otherwise would not; the executor sees
// that from the slices.
#pragma once

#include <memory>
#include <vector>

#include "core/compiler/buffers/best_fit_heap.h"
#include "core/runtime/program/program.h"

namespace hilo {

class Temporaries {
 public:
  static constexpr int64_t kAlignment = 64;

  explicit Temporaries(uint32_t allocation) : allocation_(allocation) {}

  BufferSlice take(int64_t bytes);
  void giveBack(const BufferSlice& slice);
  // No thunk has the slice any more: it needs no room.
  void forget(const BufferSlice& slice);
  // Moves every slice of the program that lies in the allocation to its place, and sizes the allocation. What
  // is not given back by now is the result's.
  void place(Program& program);

 private:
  size_t blockAt(int64_t address) const;

  uint32_t allocation_;
  int64_t now_ = 0;                 // counts what is taken and given back
  int64_t end_ = 0;                 // of the addresses given out
  std::vector<int64_t> addresses_;  // by block, ascending
  std::vector<HeapBlock> blocks_;
};

// A piece of memory that values share. It is given back with its last holder.
class Slab {
 public:
  // Memory that is not given back: parameters and constants.
  explicit Slab(BufferSlice slice) : slice(slice) {}
  Slab(Temporaries& temporaries, int64_t bytes)
      : slice(temporaries.take(bytes)), temporaries_(&temporaries) {}
  ~Slab() {
    if (temporaries_ != nullptr) temporaries_->giveBack(slice);
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  const BufferSlice slice;
  bool isWritable() const { return temporaries_ != nullptr; }
  // Holders that allow others to write over it: the loop whose state it is.
  int permissive = 0;

 private:
  Temporaries* temporaries_ = nullptr;
};
using SlabPointer = std::shared_ptr<Slab>;

}  // namespace hilo
