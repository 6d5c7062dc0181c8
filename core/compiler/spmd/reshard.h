// Moves a value from one tiling to another, by the first way that does: nothing, a slice of what the device
// has, a permute of whole parts, an all-to-all from dimension to dimension, an all-gather; several of them in
// turn where no single one does. The order is that of XLA's service/spmd/spmd_partitioner.cc
// (PartitionedHlo:: Reshard). Where all of the array must come to every device though both tilings cut it,
// that is remarked as an involuntary full rematerialization.
#pragma once

#include "core/compiler/spmd/local_builder.h"

namespace hilo {

// One array on the devices: what each holds, of which whole, cut how.
struct Part {
  Instruction* local = nullptr;
  Shape global;
  Tiling tiling;
};

// Needs both tilings to have the same manual groups, or the first to be whole.
Part reshard(LocalBuilder& builder, Part part, const Tiling& target);

// Bytes that a device would receive, estimated; 0 where it has what it needs.
int64_t reshardBytes(Shape global, const Tiling& from, const Tiling& to);

// Groups of `size` devices that differ along one dimension of the tiling alone, in its most minor tiles.
DeviceGroups groupsAlong(const Tiling& tiling, size_t dimension, int64_t size);

}  // namespace hilo
