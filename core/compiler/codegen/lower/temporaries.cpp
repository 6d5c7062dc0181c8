#include "core/compiler/codegen/lower/temporaries.h"

#include <algorithm>
#include <limits>

namespace hilo {
namespace {

// Visits the fields of a thunk and moves the slices among them.
template <typename Move>
struct SliceMover {
  const Move& move;

  void operator()(const char*, ReadSlice& slice) { move(slice); }
  void operator()(const char*, WriteSlice& slice) { move(slice); }
  template <typename T>
  void operator()(const char* name, std::vector<T>& items) {
    for (T& item : items) (*this)(name, item);
  }
  template <typename T>
  void operator()(const char*, T& value) {
    if constexpr (requires { T::visit(value, *this); }) T::visit(value, *this);
  }
};

template <typename Move>
void moveSlices(Program& program, const Move& move) {
  SliceMover<Move> mover{move};
  for (ThunkSequence& sequence : program.sequences) {
    for (Thunk& thunk : sequence) visitFields(thunk, mover);
  }
  for (ReadSlice& slice : program.resultSlices) move(slice);
  for (ResultSize& size : program.resultSizes) move(size.size);
}

}  // namespace

BufferSlice Temporaries::take(int64_t bytes) {
  // An empty array has an address too, by which it is known.
  const int64_t room = std::max<int64_t>(bytes, 1);
  const BufferSlice slice{allocation_, end_, bytes};
  addresses_.push_back(end_);
  blocks_.push_back({room, {{now_++, std::numeric_limits<int64_t>::max()}}});
  end_ += room;
  return slice;
}

void Temporaries::giveBack(const BufferSlice& slice) {
  blocks_[blockAt(slice.offsetBytes)].times[0].end = now_++;
}

void Temporaries::forget(const BufferSlice& slice) { blocks_[blockAt(slice.offsetBytes)].sizeBytes = 1; }

void Temporaries::place(Program& program) {
  for (HeapBlock& block : blocks_) block.times[0].end = std::min(block.times[0].end, now_);
  // Large results lie apart, each in an allocation of its own, and can be made where they are wanted.
  constexpr int64_t kLargeBytes = int64_t{64} << 10;
  std::vector<uint32_t> allocations(blocks_.size(), allocation_);
  for (const ReadSlice& slice : program.resultSlices) {
    if (slice.allocation != allocation_ || slice.sizeBytes < kLargeBytes) continue;
    const size_t block = blockAt(slice.offsetBytes);
    if (slice.offsetBytes != addresses_[block] || slice.sizeBytes != blocks_[block].sizeBytes) continue;
    allocations[block] = static_cast<uint32_t>(program.allocations.size());
    program.allocations.push_back({.kind = AllocationKind::Temporary,
                                   .sizeBytes = slice.sizeBytes,
                                   .memorySpace = program.allocations[allocation_].memorySpace});
    blocks_[block].sizeBytes = 1;
  }
  const HeapLayout layout = layOutHeap(blocks_, kAlignment);
  moveSlices(program, [&](BufferSlice& slice) {
    if (slice.allocation != allocation_) return;
    const size_t block = blockAt(slice.offsetBytes);
    slice.offsetBytes -= addresses_[block];
    slice.allocation = allocations[block];
    if (slice.allocation == allocation_) slice.offsetBytes += layout.offsets[block];
  });
  program.allocations[allocation_].sizeBytes = layout.heapBytes;
}

size_t Temporaries::blockAt(int64_t address) const {
  const auto after = std::ranges::upper_bound(addresses_, address);
  return static_cast<size_t>(after - addresses_.begin()) - 1;
}

}  // namespace hilo
