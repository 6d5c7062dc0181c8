// The k largest along a dimension that is cut: each device finds those of its part, all gather and sort them.
#pragma once

#include "core/compiler/spmd/partitioner.h"

namespace hilo {

// Of a call to "TopK": whether its array is cut along the last dimension, into parts of one size that have
// more than k elements each, and no device holds a copy. As XLA's HandleCustomCallTopK, which pads parts.
bool isTopKOfParts(const Partitioner& partitioner, const Instruction& call);
Status partitionTopK(Partitioner& partitioner, Instruction& call);

// The first k of each tile, numbered like this, are the operands' parts; gives the first k of all, in the
// comparator's order, equal ones by tile.
Value firstOfAll(LocalBuilder& builder, std::span<const Part> firsts, size_t along, int64_t k,
                 Computation* comparator);

}  // namespace hilo
