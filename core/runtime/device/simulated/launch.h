// A grid of a kernel, as it is launched, and what its run told.
#pragma once

#include <cstdint>
#include <span>
#include <string>

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
  uint32_t sharedBytes = 0;           // beside what the kernel declares
  std::span<const std::byte> params;  // as PTX lays them out: SimulatedKernel::params
  // Turns of waiting loops, of all threads together, in which nothing else happens: more is an endless wait.
  uint64_t mostWaiting = uint64_t{1} << 28;
};

struct SimulatedCounters {
  uint64_t threads = 0;
  // In check mode alone. Sectors are 32 bytes of global memory that a warp's access touches; conflicts are
  // turns beyond the first that a warp's access to 32 banks of shared memory takes.
  uint64_t globalAccesses = 0, globalSectors = 0;
  uint64_t sharedAccesses = 0, bankConflicts = 0;
  uint64_t branches = 0, divergentBranches = 0;
};

struct SimulatedReport {
  Diagnostics findings;  // of check mode, each line of each kind once
  SimulatedCounters counters;
};

}  // namespace hilo
