// What compiled code of a simulated kernel reads of its thread: the special registers of PTX. A kernel is
//   void kernel(SimThread* thread, const std::byte* params)
// and runs one thread of the grid. Plain data, at offsets that compiled code holds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hilo {

struct SimThread {
  uint32_t tid[3] = {}, ntid[3] = {1, 1, 1};
  uint32_t ctaid[3] = {}, nctaid[3] = {1, 1, 1};
  uint32_t clusterid[3] = {}, nclusterid[3] = {1, 1, 1};
  uint32_t clusterCtaid[3] = {}, clusterNctaid[3] = {1, 1, 1};
  uint32_t clusterCtarank = 0, clusterNctarank = 1, isExplicitCluster = 0;
  uint32_t laneid = 0, warpid = 0, nwarpid = 1;
  uint32_t dynamicSharedBytes = 0, totalSharedBytes = 0;
  std::byte* shared = nullptr;  // where the shared memory of its block begins
  int64_t fuel = 0;             // turns of loops that it may go on for before others have theirs
  uint64_t turns = 0;           // a clock: %clock, %globaltimer
};

using SimKernelFunction = void (*)(SimThread*, const std::byte*);

// Addresses of shared memory in the window of a cluster: (rank of the block + 1) << 24 | place; a place alone
// is the own block's.
constexpr uint32_t kClusterRankShift = 24;

}  // namespace hilo
