// Ranges of a dimension that is cut: each tile of a result needs a range of an operand that need not be the
// tile that lies on its devices. Borders come from other tiles by collective-permutes (halo exchange, as
// XLA's service/spmd/spmd_partitioner_util.cc), or by an all-gather where a range is nearly the array.
#pragma once

#include "core/compiler/spmd/reshard.h"

namespace hilo {

// What the tiles of a result need along one dimension of an operand, in elements of the operand with
// `dilation` - 1 holes behind each. What lies beside the operand, and holes, are filled.
struct TileRanges {
  std::vector<int64_t> starts;  // by tile
  int64_t length = 0;
  int64_t dilation = 1;
};

// Bytes that a device receives; 0 where each tile holds all that it needs.
int64_t rangeBytes(const Part& part, size_t dimension, const TileRanges& ranges);

// On each device the range of its tile: `part.local` with `length` elements along `dimension`. `fill`: a
// scalar, or null where what lies beside the operand does not count; then there must be no holes.
Instruction* takeRanges(LocalBuilder& builder, const Part& part, size_t dimension, const TileRanges& ranges,
                        Instruction* fill);

// The same array in tiles of `size` elements, from tile * size on: part.global gets as long as they are
// together, and what is beyond the array holds any value.
Part retiled(LocalBuilder& builder, Part part, size_t dimension, int64_t size);

// A scalar that is values[tile] on each device: s32.
Instruction* byTile(LocalBuilder& builder, const DeviceNumbers& tile, std::span<const int64_t> values);

}  // namespace hilo
