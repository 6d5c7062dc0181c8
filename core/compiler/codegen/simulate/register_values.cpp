#include "core/compiler/codegen/simulate/register_values.h"

namespace hilo {

void RegisterValues::declare(llvm::IRBuilder<>& b, const PtxFunction& function) {
  for (const PtxRegister& reg : function.registers)
    places_.push_back(b.CreateAlloca(b.getIntNTy(reg.type.totalBits()), nullptr, reg.name));
}

llvm::Value* RegisterValues::read(llvm::IRBuilder<>& b, uint32_t index) const {
  if (!constants_[index]) return b.CreateLoad(type(index), places_[index]);
  const llvm::APInt bits(64, *constants_[index]);
  return llvm::ConstantInt::get(b.getContext(), bits.zextOrTrunc(type(index)->getIntegerBitWidth()));
}

}  // namespace hilo
