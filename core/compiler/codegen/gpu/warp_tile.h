// A tile as mma.sync takes it: registers of a warp, loaded by ldmatrix.
#pragma once

#include "core/compiler/codegen/gpu/tensor_tile.h"

namespace hilo::gpu {

class WarpTile final : public TensorTile {
 public:
  static constexpr int64_t kStages = 2;

  WarpTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines);

  // Four registers of a stage: of 16 lines from `line` on, and kStepBytes from step `step` on, in the order
  // in which mma.m16n8 takes its left side, or its right side for 8 lines and then 8 more.
  llvm::SmallVector<llvm::Value*, 4> load(llvm::Value* stage, llvm::Value* line, int64_t step, bool isLeft);

 private:
  llvm::Value* placeOf(llvm::Value* line, llvm::Value* i) override;
  llvm::SmallVector<llvm::Value*, 4> loadDoubles(llvm::Value* stage, llvm::Value* line, int64_t step,
                                                 llvm::Value* lane, bool isLeft);
};

}  // namespace hilo::gpu
