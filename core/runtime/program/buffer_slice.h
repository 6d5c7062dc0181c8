// Where a value lies: bytes of one allocation. A thunk's fields say by their type what it does with a slice,
// so that the executor, the race check, the text form and the file format all read the same declaration.
#pragma once

#include <cstdint>

namespace hilo {

struct BufferSlice {
  uint32_t allocation = 0;
  int64_t offsetBytes = 0;
  int64_t sizeBytes = 0;

  int64_t endBytes() const { return offsetBytes + sizeBytes; }
  bool overlaps(const BufferSlice& other) const {
    return allocation == other.allocation && offsetBytes < other.endBytes() && other.offsetBytes < endBytes();
  }
  friend bool operator==(const BufferSlice&, const BufferSlice&) = default;

  template <typename Self, typename Visitor>
  static void visit(Self& self, Visitor& visitor) {
    visitor("allocation", self.allocation);
    visitor("offset", self.offsetBytes);
    visitor("size", self.sizeBytes);
  }
};

// Read and not written.
struct ReadSlice : BufferSlice {
  ReadSlice() = default;
  explicit ReadSlice(const BufferSlice& slice) : BufferSlice(slice) {}
};
// Written in part or whole, and perhaps read: nothing else may touch the bytes meanwhile.
struct WriteSlice : BufferSlice {
  WriteSlice() = default;
  explicit WriteSlice(const BufferSlice& slice) : BufferSlice(slice) {}
};

struct BufferUse {
  BufferSlice slice;
  bool writes = false;
};

}  // namespace hilo
