// Records of CUPTI, as far as they are read: these fields lie there in CUDA 12 and 13 alike.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo {

enum class CuptiKind : int32_t { Copy = 1, Fill = 2, Kernel = 10, Mark = 39 };

// Of copies, fills and kernels: ns of CUPTI's clock; both 0 where it has none.
struct CuptiWork {
  CuptiKind kind;
  std::byte ofKind[12];
  uint64_t startNs, endNs;
};

// The number of the call that gave the work. Of copies and fills it comes 12 bytes behind the times, of
// kernels behind their stream, grid, block and memory.
inline constexpr size_t kCallOfCopy = 44, kCallOfKernel = 92;

// Which call was made under which mark.
struct CuptiMark {
  CuptiKind kind;
  int32_t kindOfMark;
  uint64_t mark;
  uint32_t call;
};

// CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, for marks of programs.
inline constexpr int kCuptiOwnMarks = 3;

using CuptiBufferWanted = void(std::byte** buffer, size_t* bytes, size_t* mostRecords);
using CuptiBufferFilled = void(void* context, uint32_t stream, std::byte* buffer, size_t bytes,
                               size_t filled);

}  // namespace hilo
