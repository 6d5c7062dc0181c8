// Several devices that evaluate side by side, each in a thread of its own, and meet in collectives.
// Devices form a grid of replicas by partitions; a device's number is its flattened id, replica *
// partitions + partition.
//
// Every device may run a program of its own. A collective takes place when all devices of its group have come
// to one of the same opcode, channel and group; a receive when a matching send was. When every device that is
// not done waits for another, that is an error of kind "deadlock" that names for each device the instruction
// it waits at. The same programs and arguments give the same outputs, whichever thread runs when.
//
// Which devices a collective joins: XLA's service/collective_ops_utils.cc.
#pragma once

#include <span>
#include <vector>

#include "core/hlo/eval/evaluate.h"

namespace hilo {

// How many devices there may be.
constexpr int64_t kMaxDevices = 1024;

// Runs programs[i] on device i; gives the output of each. replicaId, partitionId and observe of the options
// are set aside: a device's ids are those of its place, and `observe` sees what device 0 does. maxLiveBytes
// is shared out evenly among the devices; the seed is the same for all, so `rng` gives all the same. Blocks
// until all are done; the first error stops all. Errors: those of evaluate, "deadlock", "infeed-empty", and
// "wrong-argument" when there are not as many programs as devices, or too many.
Result<std::vector<Literal>> evaluateOnDevices(DeviceGrid grid, std::span<const DeviceProgram> programs,
                                               const EvalOptions& options = {});

// Whether nothing tells devices apart, neither in the module nor in what they are given (one list or one a
// device): of a module that is partitioned in name alone, such as one before the partitioner.
bool devicesDoTheSame(const Module& module, std::span<const std::vector<Literal>> arguments);

// The module's entry on every device of the grid, with one list of arguments for all or one a device. Worked
// out once where nothing in the module tells devices apart.
Result<std::vector<Literal>> evaluateOnDevices(const Module& module, DeviceGrid grid,
                                               std::span<const std::vector<Literal>> arguments,
                                               const EvalOptions& options = {});

}  // namespace hilo
