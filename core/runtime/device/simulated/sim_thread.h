// What compiled code of a simulated kernel agrees on with what runs it: plain data, at offsets that the code
// has in it.
//
// A kernel's code is cut at the points where a thread may wait. It runs lanes of a warp from the point where
// they are (0: the beginning) to the next, and says which that is (0: they ended).
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
  std::byte* shared = nullptr;   // where the shared memory of its block begins
  int64_t fuel = 0;              // turns of loops that it may go on for before others have theirs
  uint64_t executed = 0;         // instructions, where they are counted
  uint64_t turns = 0;            // a clock: %clock, %globaltimer
  std::byte* context = nullptr;  // of its warp
  std::byte* origin = nullptr;   // address 0: compiled code counts addresses from it
};

// SimThreads of a warp lie so far apart.
constexpr uint32_t kSimThreadStride = 320;
constexpr uint32_t kSimLanes = 32;

// A warp's context: values of its lanes side by side. First uint32_t tid[3][32] and next[32], the point each
// came to; then what lanes lay down and take back at points, uint64_t [values][32]; then all that the code
// keeps from one point to another.
constexpr uint32_t kContextTid = 0, kContextNext = 3 * 128, kContextRecords = 4 * 128;
constexpr uint32_t kContextAlignment = 128;

// Runs lanes from .. from + count of the warp whose lanes begin at `warp`. With `isTogether` they are all 32:
// the result is the point that all of them came to, or kSimApart: each has its own, in the context.
using SimKernelFunction = uint32_t (*)(SimThread* warp, const std::byte* params, uint32_t point,
                                       uint32_t from, uint32_t count, uint32_t isTogether);
constexpr uint32_t kSimApart = ~uint32_t{0};

// Addresses of shared memory in the window of a cluster: (rank of the block + 1) << 24 | place; a place alone
// is the own block's.
constexpr uint32_t kClusterRankShift = 24;

}  // namespace hilo
