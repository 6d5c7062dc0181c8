// What the threads of a block do together. A kernel with a Block is launched in whole blocks of
// kBlockThreads (nvptx_target.h), and an iteration is a thread of one: each block does a piece of work.
//
// All threads of a warp must come to a shuffle, all of the block to a barrier.
#pragma once

#include "core/compiler/codegen/emit/kernel_builder.h"
#include "core/compiler/codegen/gpu/nvptx_target.h"

namespace hilo::gpu {

inline constexpr int kWarpThreads = 32;

// An array in the memory that a block shares.
struct SharedArray {
  llvm::GlobalVariable* array;
  llvm::Type* type;
};

class Block {
 public:
  explicit Block(KernelBuilder& kernel);

  // How many iterations a kernel has that does so many pieces of work.
  static int64_t iterations(int64_t pieces) { return pieces * kBlockThreads; }

  llvm::IRBuilder<>& builder() { return b_; }
  llvm::Value* piece() const { return piece_; }    // of the work, i64
  llvm::Value* thread() const { return thread_; }  // in the block, i64

  void barrier();

  // `x` of the lane `by` further on, of the same group of `width` lanes; beyond it, its own.
  Scalar fromLaneBeyond(Scalar x, int by, int width);
  // The same `by` before, of all lanes of a warp.
  Scalar fromLaneBefore(Scalar x, int by);
  // `x` of the first lane of the group.
  Scalar fromFirstLane(Scalar x, int width);

  // `alignment` in bytes.
  SharedArray shared(llvm::Type* type, int64_t count, int64_t alignment = 16);
  // Bytes of all these so far.
  int64_t sharedBytes() const { return sharedBytes_; }
  llvm::Value* load(const SharedArray& array, llvm::Value* place);
  void store(const SharedArray& array, llvm::Value* place, llvm::Value* value);

 private:
  llvm::Value* shuffle(llvm::Intrinsic::ID how, llvm::Value* x, int lane, int width);
  Scalar shuffle(llvm::Intrinsic::ID how, Scalar x, int lane, int width);

  KernelBuilder& k_;
  llvm::IRBuilder<>& b_;
  llvm::Value *thread_, *piece_;
  int64_t sharedBytes_ = 0;
};

}  // namespace hilo::gpu
