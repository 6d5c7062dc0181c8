#include "core/base/arena.h"

#include <algorithm>

namespace hilo {

void* Arena::allocateInNewBlock(size_t bytes) {
  // A request over a quarter of a block gets its own, so that the current block's rest is not lost.
  const bool large = bytes > kBlockBytes / 4;
  const size_t size = large ? bytes : kBlockBytes;
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(std::max<size_t>(size, 1)));
  reserved_ += size;
  char* start = blocks_.back().get();
  if (!large) {
    block_ = start;
    capacity_ = size;
    used_ = bytes;
  }
  return start;
}

}  // namespace hilo
