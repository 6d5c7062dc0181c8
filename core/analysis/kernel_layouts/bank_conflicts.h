// What a copy between registers and shared memory costs in bank conflicts. Shared memory has 32 banks of 4
// bytes (CUDA C++ Programming Guide, "Shared Memory"); lanes that want different words of one bank wait for
// one another, lanes that want the same word do not.
#pragma once

#include "core/analysis/kernel_layouts/register_map.h"
#include "core/analysis/kernel_layouts/shared_layout.h"

namespace hilo {

inline constexpr int64_t kSharedBanks = 32;
inline constexpr int64_t kBankBytes = 4;

// One instruction of a warp: every lane moves `bytes` side by side; of 4 bytes 32 lanes at once, of 8 bytes
// 16, of 16 bytes 8.
struct WarpAccess {
  int64_t warp = 0;
  int64_t reg = 0;
  int64_t slot = 0;        // the first of the vector's elements that it moves
  int64_t bytes = 0;       // 1, 2, 4, 8 or 16
  int64_t wavefronts = 0;  // times that the memory is read or written
  int64_t least = 0;       // wavefronts without conflicts
};

struct SharedTransfer {
  std::vector<WarpAccess> accesses;  // by warp, register, slot
  int64_t wavefronts() const;
  int64_t least() const;
  int64_t conflicts() const { return wavefronts() - least(); }
};

// Vectors go as wide as their elements lie side by side in memory, at most 16 bytes. "kernel-transfer" when
// the shapes differ, the layout is a splat, or elements of less than a byte make no whole bytes.
Result<SharedTransfer> planTransfer(const RegisterMap& registers, const SharedMap& shared);

}  // namespace hilo
