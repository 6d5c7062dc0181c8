// Devices by number: `partitions` of them in each of `replicas`. A device's number is its flattened id,
// replica * partitions + partition.
#pragma once

#include <cstdint>
#include <vector>

#include "core/hlo/ir/host_feed.h"
#include "core/hlo/ir/literal.h"
#include "core/hlo/ir/module.h"

namespace hilo {

struct DeviceGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;
  int64_t count() const { return replicas * partitions; }
};

// What a module asks for: its replica_count and num_partitions.
inline DeviceGrid gridOf(const Module& module) {
  return {.replicas = module.replicaCount(), .partitions = module.partitionCount()};
}

// What one of several devices runs, where each may have a program of its own.
struct DeviceProgram {
  const Computation* entry = nullptr;  // of any module; modules may be shared among devices
  std::vector<Literal> arguments;      // one a parameter
  InfeedValues infeed;
  // Where the values of outfeeds go, in order; null: nowhere. Belongs to the caller.
  std::vector<Literal>* outfeed = nullptr;
};

}  // namespace hilo
