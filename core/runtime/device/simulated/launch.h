// A grid of a kernel, as it is launched, and what its run told.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/diagnostic.h"

namespace hilo {

struct SimDim {
  uint32_t x = 1, y = 1, z = 1;
  uint32_t operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  friend bool operator==(const SimDim&, const SimDim&) = default;
};

struct SimulatedLaunch {
  std::string kernel;
  SimDim grid, block, cluster;
  uint32_t stream = 0;                // in check mode: SimulatedMemory has how streams wait for each other
  uint32_t sharedBytes = 0;           // beside what the kernel declares
  std::span<const std::byte> params;  // as PTX lays them out: SimulatedKernel::params
  // Turns of waiting loops, of all threads together, in which nothing else happens: more is an endless wait.
  uint64_t mostWaiting = uint64_t{1} << 28;
  CancelToken cancel;  // looked at whenever warps wait or begin; what only computes is not ended
};

// Sums over warps. Lanes that come to a line for the same time are taken to be there together.
struct SimulatedLineCounters {
  uint32_t line = 0;  // of PTX; 0: of the kernel
  // Sectors are 32 bytes of global memory that a warp's access touches; conflicts are
  // turns beyond the first that a warp's access to 32 banks of shared memory takes.
  uint64_t globalAccesses = 0, globalSectors = 0;
  uint64_t sharedAccesses = 0, bankConflicts = 0;
  uint64_t branches = 0, divergentBranches = 0;
};
// Where the code counts (SimulatedCode::isCounted), but for the number of threads.
struct SimulatedCounters : SimulatedLineCounters {
  uint64_t threads = 0;
  uint64_t instructions = 0;                 // of PTX, that threads executed
  std::vector<SimulatedLineCounters> lines;  // those with accesses or branches, in order
};

struct SimulatedReport {
  Diagnostics findings;  // of check mode, each line of each kind once
  SimulatedCounters counters;
};

}  // namespace hilo
