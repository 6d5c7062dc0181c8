// Manual regions: a call of a body in which each device runs a program of its own, between custom calls that
// turn whole arrays into parts (xla.sdy.GlobalToLocalShape) and back (xla.sdy.LocalToGlobalShape).
#pragma once

#include "core/compiler/spmd/shardy/statements.h"

namespace hilo::sdy {

// Reads one of the two calls. "sharding-invalid": parts that the manual axes do not make of the array.
Status readBorder(const Instruction& call, Statements& statements);
// Which computations are inside of which region. "sharding-invalid": an axis used inside that is manual
// there, or a part of an array outside of a region.
Status findRegions(const Module& module, Statements& statements);

// After shardings have spread: as the partitioner knows regions. A border becomes a copy with the sharding of
// the whole array and a custom call SPMDFullToShardShape or SPMDShardToFullShape that changes the shape.
// `whole` and `part` are by leaf.
void writeBorder(Instruction& call, std::span<const Sharding> whole, std::span<const Sharding> part);

}  // namespace hilo::sdy
