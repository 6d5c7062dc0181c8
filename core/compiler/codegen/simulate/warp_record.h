// Private to the room: what lanes of a warp lay down at a point and take back.
#pragma once

#include "core/compiler/codegen/simulate/function_emitter.h"
#include "core/runtime/device/simulated/sim_abi.h"
#include "core/runtime/device/simulated/warp.h"

namespace hilo {

// 64 bits a value.
class Record {
 public:
  Record(FunctionEmitter& f, uint32_t size) : f_(f), size_(size) {}
  void put(uint32_t i, llvm::Value* value) {
    f_.b().CreateStore(f_.b().CreateZExt(f_.bitsOf(value), f_.b().getInt64Ty()), f_.recordPlace(i));
  }
  llvm::Value* get(uint32_t i, unsigned bits = 32) {
    return f_.b().CreateTrunc(f_.b().CreateLoad(f_.b().getInt64Ty(), f_.recordPlace(i)),
                              f_.b().getIntNTy(bits));
  }
  // The mask comes after the values.
  void meet(WarpOp operation, uint32_t detail, llvm::Value* mask) {
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(mask);
    const bool isFull = constant != nullptr && constant->isMinusOne();
    if (!isFull) put(size_, mask);
    f_.wait({.kind = SimPointKind::Warp,
             .operation = static_cast<uint32_t>(operation),
             .detail = detail,
             .values = size_,
             .isFull = isFull});
  }

 private:
  FunctionEmitter& f_;
  uint32_t size_;
};

// Modifiers, and what they stand for.
template <typename T>
struct Word {
  std::string_view word;
  T value;
};
template <typename T, size_t kSize>
const T* findWord(const PtxInstruction& at, const Word<T> (&words)[kSize]) {
  for (const Word<T>& known : words) {
    if (at.has(known.word)) return &known.value;
  }
  return nullptr;
}

inline llvm::Value* allLanes(FunctionEmitter& f) { return f.b().getInt32(~0u); }

}  // namespace hilo
