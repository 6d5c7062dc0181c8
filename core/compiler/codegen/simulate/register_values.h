// Private to the room: the registers of a PTX function as LLVM has them, a place on the stack each, which
// LLVM turns into values, or a constant.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "core/compiler/codegen/simulate/constant_registers.h"

namespace hilo {

class RegisterValues {
 public:
  explicit RegisterValues(const PtxFunction& function) : constants_(constantRegisters(function)) {}

  // Makes the places, where the builder is.
  void declare(llvm::IRBuilder<>& b, const PtxFunction& function);
  // An integer of the register's width.
  llvm::Type* type(uint32_t index) const { return places_[index]->getAllocatedType(); }
  llvm::Value* read(llvm::IRBuilder<>& b, uint32_t index) const;
  void write(llvm::IRBuilder<>& b, uint32_t index, llvm::Value* value) const {
    b.CreateStore(value, places_[index]);
  }

 private:
  std::vector<std::optional<uint64_t>> constants_;
  std::vector<llvm::AllocaInst*> places_;
};

}  // namespace hilo
