// A matrix in shared memory as tensor cores read it: tiles of 8 rows as long as the swizzle, told to wgmma
// and tcgen05.mma by a descriptor. Source: PTX ISA 9.0, "Shared Memory Descriptor" of both.
#pragma once

#include <initializer_list>

#include "core/compiler/codegen/warpgroup/kernel_lowering.h"

namespace hilo::warpgroup {

struct MatrixTiles {
  llvm::Value* start = nullptr;  // i64, the address
  uint64_t fixed = 0;            // of the descriptor: what does not depend on the address
  bool isTurned = false;         // the rows of tiles lie along the free dimension
  int64_t elementBytes = 2;
  // Elements of one tile along the free dimension and along the sum, and bytes from one tile to the next.
  int64_t freeElements = 0, freeStep = 0;
  int64_t summedElements = 0, summedStep = 0;
};

// Of two dimensions, `freeDimension` is the one that is not summed along; rows may lie along it where an
// element has one of `turnedBytes`. "kernel-lowering": tiles of another form.
Result<MatrixTiles> tilesOf(KernelLowering& lowering, OpId op, const MemoryView& view, size_t freeDimension,
                            std::initializer_list<int64_t> turnedBytes);

// i64: of the matrix from element `free` of the free dimension on, which begins a tile, and of the sum from
// element `summed` on, which begins 32 bytes or a tile.
llvm::Value* descriptor(KernelLowering& lowering, const MatrixTiles& tiles, int64_t free, int64_t summed);

}  // namespace hilo::warpgroup
