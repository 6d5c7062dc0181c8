#include "core/compiler/codegen/gpu/block.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace hilo::gpu {

using llvm::Value;

namespace {
constexpr unsigned kSharedMemory = 3;  // LLVM's number of the address space
}

Block::Block(KernelBuilder& kernel) : k_(kernel), b_(kernel.b()) {
  b_.GetInsertBlock()->getParent()->addFnAttr(kWholeBlocks, std::to_string(kBlockThreads));
  thread_ = b_.CreateZExt(b_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {}), b_.getInt64Ty());
  piece_ = b_.CreateLShr(k_.begin(), static_cast<uint64_t>(std::countr_zero(unsigned{kBlockThreads})));
}

void Block::barrier() {
  b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b_.getInt32(0)});
}

// By 32 bits at a time.
Value* Block::shuffle(llvm::Intrinsic::ID how, Value* x, int lane, int width) {
  llvm::Type* type = x->getType();
  const unsigned bits = type->getScalarSizeInBits(), words = (bits + 31) / 32;
  Value* all = b_.CreateZExt(b_.CreateBitCast(x, b_.getIntNTy(bits)), b_.getIntNTy(32 * words));
  Value* moved = llvm::ConstantInt::get(all->getType(), 0);
  // The groups, and the last lane of one, as PTX packs them.
  const int last = how == llvm::Intrinsic::nvvm_shfl_sync_up_i32 ? 0 : kWarpThreads - 1;
  const auto clamp = static_cast<uint32_t>((kWarpThreads - width) << 8 | last);
  for (unsigned i = 0; i < words; ++i) {
    Value* word = b_.CreateTrunc(b_.CreateLShr(all, 32 * i), b_.getInt32Ty());
    Value* got = b_.CreateIntrinsic(
        how, {b_.getInt32(~0u), word, b_.getInt32(static_cast<uint32_t>(lane)), b_.getInt32(clamp)});
    moved = b_.CreateOr(moved, b_.CreateShl(b_.CreateZExt(got, all->getType()), 32 * i));
  }
  return b_.CreateBitCast(b_.CreateTrunc(moved, b_.getIntNTy(bits)), type);
}

// What is kept beside the value does not travel.
Scalar Block::shuffle(llvm::Intrinsic::ID how, Scalar x, int lane, int width) {
  Value* imaginary = x.imaginary == nullptr ? nullptr : shuffle(how, x.imaginary, lane, width);
  return {shuffle(how, x.value, lane, width), imaginary};
}

Scalar Block::fromLaneBeyond(Scalar x, int by, int width) {
  return shuffle(llvm::Intrinsic::nvvm_shfl_sync_down_i32, x, by, width);
}

Scalar Block::fromLaneBefore(Scalar x, int by) {
  return shuffle(llvm::Intrinsic::nvvm_shfl_sync_up_i32, x, by, kWarpThreads);
}

Scalar Block::fromFirstLane(Scalar x, int width) {
  return shuffle(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, x, 0, width);
}

SharedArray Block::shared(llvm::Type* type, int64_t count, int64_t alignment) {
  auto* array = llvm::ArrayType::get(type, static_cast<uint64_t>(count));
  sharedBytes_ += count * type->getScalarSizeInBits() / 8;
  auto* made = new llvm::GlobalVariable(*b_.GetInsertBlock()->getModule(), array, false,
                                        llvm::GlobalValue::InternalLinkage, llvm::UndefValue::get(array),
                                        "shared", nullptr, llvm::GlobalValue::NotThreadLocal, kSharedMemory);
  made->setAlignment(llvm::Align(static_cast<uint64_t>(alignment)));
  return {made, type};
}

Value* Block::load(const SharedArray& array, Value* place) {
  return b_.CreateLoad(array.type, b_.CreateInBoundsGEP(array.type, array.array, {place}));
}

void Block::store(const SharedArray& array, Value* place, Value* value) {
  b_.CreateStore(value, b_.CreateInBoundsGEP(array.type, array.array, {place}));
}

}  // namespace hilo::gpu
