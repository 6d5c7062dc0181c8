// A tile of one side of a dot in memory that a block shares, as tensor cores take it: several stages of it,
// so that the next are filled while one is read. Where its elements lie is what the kinds of tiles differ in:
// for mma.sync (warp_tile.h) and for wgmma (warpgroup_tile.h).
#pragma once

#include "core/compiler/codegen/gpu/dot_form.h"

namespace hilo::gpu {

inline constexpr int64_t kTileBytes = 64;  // of a line, along the sum
inline constexpr int64_t kStepBytes = 32;  // that one instruction multiplies

class TensorTile {
 public:
  virtual ~TensorTile() = default;

  // Elements of a line.
  static int64_t depthOf(ElementType type);

  // Begins to fill stage `stage`, which is done for all when the copies of each thread are (see
  // waitForCopies) and the block has met.
  void fill(llvm::Value* stage, llvm::Value* batch, llvm::Value* firstLine, llvm::Value* firstSummed);

  // Fills it at once: `give` is called for each of a thread's elements and puts what lies there in memory.
  using Put = std::function<void(llvm::Value* stored)>;
  void fillBy(llvm::Value* stage,
              const std::function<void(llvm::Value* line, llvm::Value* i, const Put& put)>& give);

  static void commitCopies(llvm::IRBuilder<>& b);
  // Until no more than `left` of the fills that were committed last are under way.
  static void waitForCopies(llvm::IRBuilder<>& b, uint32_t left);

 protected:
  struct Room {
    int64_t elements;  // of a stage
    int64_t stages;
    int64_t alignment;  // of the first, in bytes
  };
  TensorTile(ElementEmitter& elements, Block& block, const DotSide& side, int64_t lines, const Room& room);

  // Lines of the tile are along the sum, or, where the operand lies so, neighbours of one summed place.
  static bool isTurned(const DotSide& side);

  // Of an element in its stage. 16 bytes of memory from a multiple of 16 on lie together here too.
  virtual llvm::Value* placeOf(llvm::Value* line, llvm::Value* i) = 0;
  llvm::Value* addressOf(llvm::Value* stage, llvm::Value* line, llvm::Value* i);

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  Block& block_;
  const DotSide& side_;
  const int64_t lines_;
  const ElementType type_;

 private:
  llvm::Value* inStage(llvm::Value* stage, llvm::Value* line, llvm::Value* i);
  bool isCopied() const;
  void copy(llvm::Value* stage, llvm::Value* batch, llvm::Value* firstLine, llvm::Value* firstSummed);

  ElementEmitter& elements_;
  const int64_t stageElements_;
  SharedArray tiles_;
};

}  // namespace hilo::gpu
