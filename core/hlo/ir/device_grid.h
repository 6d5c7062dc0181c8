// Devices by number: `partitions` of them in each of `replicas`. A device's number is its flattened id,
// replica * partitions + partition.
#pragma once

#include <cstdint>

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

}  // namespace hilo
