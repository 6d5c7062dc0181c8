#include "core/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace hilo {

void preferLargePages(void* start, size_t bytes) {
  constexpr uintptr_t kLeastBytes = 4 << 20, kPage = 2 << 20;
  if (bytes < kLeastBytes) return;
  const auto address = reinterpret_cast<uintptr_t>(start);
  const uintptr_t first = (address + kPage - 1) / kPage * kPage, last = (address + bytes) / kPage * kPage;
  (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace hilo
