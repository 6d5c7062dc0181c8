// A tile as wgmma takes it: it reads shared memory by itself, as a descriptor says. 64 bytes lie side by
// side, in rows whose four pieces of 16 bytes change places by the number of the row (swizzle of 64 bytes),
// so that eight rows meet in no bank. Source: PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Shared Memory
// Layout"; strides as cute's mma_sm90_desc.hpp has them.
#pragma once

#include "core/compiler/codegen/gpu/tensor_tile.h"

namespace hilo::gpu {

class WarpgroupTile final : public TensorTile {
 public:
  static constexpr int64_t kStages = 3;

  WarpgroupTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines);

  // Of the lines from `line` on, a multiple of 32, and kStepBytes of the sum from step `step` on. i64
  llvm::Value* descriptor(llvm::Value* stage, llvm::Value* line, int64_t step);
  // Neighbours in the tile are those of a free dimension: the instruction turns it.
  bool turns() const { return isTurned(side_); }

 private:
  llvm::Value* placeOf(llvm::Value* line, llvm::Value* i) override;
};

}  // namespace hilo::gpu
