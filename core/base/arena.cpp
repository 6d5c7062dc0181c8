#include "core/base/arena.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>

namespace hilo {
namespace {

// What the kernel can back with one page. Blocks of that size are asked to be: the first touches of small
// pages were up to half the time of parsing a module of 30,000 instructions. Advice only: where it is not
// taken nothing changes.
constexpr size_t kHugePageBytes = size_t{2} << 20;

// The first place in `room`, which is twice the size, that such a page can start at.
char* adviseHugePage(char* room) {
  const size_t past = reinterpret_cast<uintptr_t>(room) % kHugePageBytes;
  char* start = past == 0 ? room : room + (kHugePageBytes - past);
#ifdef __linux__
  madvise(start, kHugePageBytes, MADV_HUGEPAGE);
#endif
  return start;
}

}  // namespace

void* Arena::allocateInNewBlock(size_t bytes) {
  // Blocks grow with what is held already, so that a small arena stays small and a large one has few.
  const size_t block = reserved_ < kHugePageBytes / 2 ? std::max(reserved_, kBlockBytes) : kHugePageBytes;
  // A request over a quarter of a block gets its own, so that the current block's rest is not lost.
  const bool large = bytes > block / 4;
  const size_t size = large ? std::max<size_t>(bytes, 1) : block;
  const bool huge = size == kHugePageBytes;
  // Room to start at a multiple of the page; what lies outside is never touched and costs no memory.
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(huge ? 2 * size : size));
  reserved_ += size;
  char* start = blocks_.back().get();
  if (huge) start = adviseHugePage(start);
  if (!large) {
    block_ = start;
    capacity_ = size;
    used_ = bytes;
  }
  return start;
}

}  // namespace hilo
