// How many devices a module is for where its header does not say.
#pragma once

#include "core/hlo/ir/device_grid.h"

namespace hilo {

// What the header asks for (replica_count x num_partitions). Where that is one device, as many as the
// collectives' groups and pairs name or, of a collective of all devices, as its shapes tell: an all-gather
// from f32[4] to f32[12] is of three. They are partitions where a collective is among partitions alone, else
// replicas. One device where nothing tells of more.
DeviceGrid impliedGrid(const Module& module);

}  // namespace hilo
