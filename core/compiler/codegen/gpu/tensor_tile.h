// A tile of one side of a dot in memory that a block shares, as tensor cores take it: two of them, so that
// the next is filled while one is read.
#pragma once

#include "core/compiler/codegen/gpu/dot_form.h"

namespace hilo::gpu {

inline constexpr int64_t kTileBytes = 64;  // of a line, along the sum
inline constexpr int64_t kStepBytes = 32;  // that one instruction multiplies

class TensorTile {
 public:
  TensorTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines);

  // Elements of a line.
  static int64_t depthOf(ElementType type);
  static int64_t bytesOf(const DotSide& side, int64_t lines);

  // Begins to fill tile `number`, 0 or 1, which is done for all when the copies of each thread are (see
  // waitForCopies) and the block has met.
  void fill(llvm::Value* number, llvm::Value* batch, llvm::Value* firstLine, llvm::Value* firstSummed);
  // Four registers of tile `number`: of 16 lines from `line` on, and kStepBytes from step `step` on, in the
  // order in which mma.m16n8 takes its left side, or its right side for 8 lines and then 8 more.
  llvm::SmallVector<llvm::Value*, 4> load(llvm::Value* number, llvm::Value* line, int64_t step, bool isLeft);

  static void commitCopies(llvm::IRBuilder<>& b);
  // Until no more than `left` of the fills that were committed last are under way.
  static void waitForCopies(llvm::IRBuilder<>& b, uint32_t left);

 private:
  llvm::SmallVector<llvm::Value*, 4> loadDoubles(llvm::Value* number, llvm::Value* line, int64_t step,
                                                 llvm::Value* lane, bool isLeft);
  bool isCopied() const;
  void copy(llvm::Value* base, llvm::Value* batch, llvm::Value* firstLine, llvm::Value* firstSummed);
  llvm::Value* placeOf(llvm::Value* line, llvm::Value* i);
  llvm::Value* baseOf(llvm::Value* number);

  ElementEmitter& elements_;
  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block& block_;
  const DotSide& side_;
  const int64_t lines_;
  const ElementType type_;
  // Lines of the tile are along the sum, or, where the operand lies so, neighbours of one summed place, which
  // are turned when they are loaded.
  const bool isTurned_;
  SharedArray tiles_;
};

}  // namespace hilo::gpu
