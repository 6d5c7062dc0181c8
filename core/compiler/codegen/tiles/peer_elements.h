// What other ranks shared, by the addresses that they told: in kernels with the tables of rank_rendezvous.h.
#pragma once

#include "core/analysis/tile_program/tile_program.h"
#include "core/compiler/codegen/emit/element_emitter.h"
#include "core/compiler/codegen/tiles/tile_workers.h"

namespace hilo::tiles {

// Writes down where the buffer lies, in the buffer after it.
void tellAddress(KernelBuilder& kernel, int buffer, Shape shape);

// What all ranks shared at this index of the array, combined.
Scalar combined(KernelBuilder& kernel, ElementEmitter& applied, const AllReduceKernel& allReduce,
                ElementIndex index);
// What the rank shared whose part of the tile the place is in; `index` is where that lies in the array.
Scalar collected(KernelBuilder& kernel, const AllReduceKernel& allReduce, const InstructionTile& tile,
                 const Place& place, ElementIndex index);

// Makes the tile this rank's part of it, and gives where that begins in it.
Place ownPart(KernelBuilder& kernel, const AllReduceKernel& allReduce, PlacedTile& tile);

}  // namespace hilo::tiles
