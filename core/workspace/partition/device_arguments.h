// A whole module beside the program of one device: arguments cut for the devices, values put together again.
// Private to the room.
#pragma once

#include "core/compiler/spmd/tiling.h"
#include "core/workspace/partition/partition.h"
#include "core/workspace/run/runs.h"

namespace hilo {

// How an array or tuple lies: as `sharding=` says, else whole on each device. Errors: those of tilingsOf().
Result<Tilings> tilingsOrWhole(const Instruction& instruction, Shape global, int64_t partitions);
// What runs on one device: the module without its shardings, for one partition.
Result<std::shared_ptr<const Module>> wholeModule(const std::shared_ptr<const Module>& module,
                                                  const JobContext& context);
// The arrays of `values` in their order, as tuples of such shapes: partitioning may have taken tuples apart.
// Sizes need not agree; none where there are more or fewer arrays.
std::vector<Literal> groupedAs(std::span<const Shape> shapes, std::span<const Literal> values);
// A list for each device, by the shardings of the parameters of `local`. Error kind "wrong-argument".
Result<ArgumentSource> cutArguments(const Module& local, const std::vector<Literal>& given);

}  // namespace hilo
